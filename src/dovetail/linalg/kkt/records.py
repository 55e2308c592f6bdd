"""What the elimination of bodies and joints works on: its order, its factors and its scratch."""

from typing import Any, NamedTuple

import numpy as np

from dovetail.linalg.kkt.articulated import (
    ArticulatedWorkspace,
    articulated_workspace,
    bundle_articulated_workspace,
)
from dovetail.linalg.kkt.fronts import SparseOrder, bundle_sparse_order, no_sparse_order
from dovetail.linalg.kkt.sparse import (
    SLACK,
    SparseWorkspace,
    bundle_sparse_workspace,
    sparse_workspace,
)
from dovetail.runtime.records import BoolArray, FloatArray, Int64Array, bundler

ELSEWHERE, AT_END, AT_NOW = 0, 1, 2  # where the factors of M are from: a stage's end, the state


class Elimination(NamedTuple):
    """The order of elimination: n bodies, r rows."""

    order: Int64Array  # (k,) dynamic bodies, leaves first
    parent: Int64Array  # (n,) body above, -1 for the ground or one that does not move by forces
    first: Int64Array  # (n,) first row of the link to the parent
    last: Int64Array  # (n,) one past the last
    child_side: Int64Array  # (r,) which of a tree row's two bodies is the child
    loop: Int64Array  # (1,) first row that closes a loop
    moves: BoolArray  # (n,) whether forces move the body
    body: Int64Array  # (r, k) bodies of a row; those beyond two are of loop rows only
    sparse: SparseOrder  # empty without loops
    articulated: SparseOrder  # of bodies and loop rows alone, see `kkt.articulated`
    parent_at: Int64Array  # (s,) where the parent of a body's node is in its front, or -1
    carried: Int64Array  # (s,) which column it is where it is not in the front, else -1


class KktWorkspace(NamedTuple):
    """Factors and scratch."""

    A: FloatArray  # (n, 6, 6)
    A_pivot: Int64Array  # (n, 6)
    S: FloatArray  # (n, m, m)
    S_pivot: Int64Array  # (n, m)
    Y: FloatArray  # (r, 6) A_i^-1 G0_i^T, one row each
    G0_up: FloatArray  # (r, 6) G0_p of a tree row, the child eliminated
    G1_up: FloatArray  # (r, 6) G1_p
    V: FloatArray  # (n, 6, 6) A_i^-1 A_ip, or empty where bodies are not coupled
    W: FloatArray  # (n, 6, 6) A_pi
    coupling: FloatArray  # (r, 2, 6, 6) block of A of a row: own side, other side; or none
    b: FloatArray  # (n, 6)
    y: FloatArray  # (n, 6)
    short: FloatArray  # (max(m, 6),)
    wide: FloatArray  # (max(m, 6), 6) six right-hand sides
    D: FloatArray  # (r,)
    mode: Int64Array  # (r,)
    used: Int64Array  # (r,) from the first row of each link on: those that are not OFF
    n_used: Int64Array  # (n,) how many, when factored
    slack: FloatArray  # (1,) of loop rows in `kkt.sparse`, of their mobility
    corrected: FloatArray  # (1,) squared norm of what u is added to, see `sparse_solve`
    factors_of: Int64Array  # (1,) ELSEWHERE, AT_END or AT_NOW
    factored_mode: Int64Array  # (r,) of the rows there
    sparse: SparseWorkspace
    articulated: ArticulatedWorkspace


_bundle_elimination = bundler(Elimination)
_bundle_kkt = bundler(KktWorkspace)


def bundle_elimination(tree: Elimination) -> Any:
    """The arrays of `tree` as one bundle."""
    return _bundle_elimination(
        *tree._replace(
            sparse=bundle_sparse_order(*tree.sparse),
            articulated=bundle_sparse_order(*tree.articulated),
        )
    )


def bundle_kkt(workspace: KktWorkspace) -> Any:
    """The arrays of `workspace` as one bundle."""
    return _bundle_kkt(
        *workspace._replace(
            sparse=bundle_sparse_workspace(workspace.sparse),
            articulated=bundle_articulated_workspace(workspace.articulated),
        )
    )


def kkt_workspace(tree: Elimination, coupled: bool = False) -> KktWorkspace:
    """Arrays for systems of one elimination order, with blocks between bodies if `coupled`."""
    n, r = len(tree.parent), len(tree.child_side)
    pairs = (n, r) if coupled else (0, 0)
    m = int((tree.last - tree.first).max(initial=0))
    return KktWorkspace(
        A=np.zeros((n, 6, 6)), A_pivot=np.zeros((n, 6), np.int64),
        S=np.zeros((n, m, m)), S_pivot=np.zeros((n, m), np.int64), Y=np.zeros((r, 6)),
        G0_up=np.zeros((r, 6)), G1_up=np.zeros((r, 6)), V=np.zeros((pairs[0], 6, 6)),
        W=np.zeros((pairs[0], 6, 6)), coupling=np.zeros((pairs[1], 2, 6, 6)),
        b=np.zeros((n, 6)), y=np.zeros((n, 6)), short=np.zeros(max(m, 6)),
        wide=np.zeros((max(m, 6), 6)), D=np.zeros(r),
        mode=np.zeros(r, np.int64), used=np.zeros(r, np.int64), n_used=np.zeros(n, np.int64),
        slack=np.array([SLACK]), corrected=np.zeros(1),
        factors_of=np.zeros(1, np.int64), factored_mode=np.zeros(r, np.int64),
        sparse=sparse_workspace(tree.sparse, n, r),
        articulated=articulated_workspace(tree.articulated, n, r),
    )  # fmt: skip


def no_elimination() -> Elimination:
    """No bodies and no rows, of the types every call has."""
    i = [np.zeros(0, np.int64) for _ in range(5)]
    return Elimination(
        i[0], i[1], i[2], i[3], i[4], np.zeros(1, np.int64), np.zeros(0, np.bool_),
        np.zeros((0, 2), np.int64), no_sparse_order(), no_sparse_order(), np.zeros(0, np.int64),
        np.zeros(0, np.int64),
    )  # fmt: skip
