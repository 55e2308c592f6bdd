"""L D L^T from leaves to root against the elimination of any blocks."""

import numpy as np
import pytest
from test_kkt_tree import dense, random_system

from dovetail.linalg.kkt import symmetric_tree
from dovetail.linalg.kkt.records import bundle_elimination, bundle_kkt
from dovetail.linalg.kkt.rows import OFF
from dovetail.runtime.jit import jit


@jit
def _solved(tree, G, workspace, c, u, lam):
    unsolved = symmetric_tree.factor_symmetric(tree, G, workspace)
    if unsolved < 0:
        symmetric_tree.solve_symmetric(tree, workspace, c, u, lam)
    return unsolved


@jit
def _is_plain(tree, workspace):
    return symmetric_tree.is_plain_tree(tree, workspace)


def bundled(tree, workspace):
    return bundle_elimination(tree), bundle_kkt(workspace)


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("n", [1, 2, 9])
def test_symmetric_systems_of_trees_are_solved_as_by_a_dense_matrix(n, soft):
    rng = np.random.default_rng(n + 10 * soft)
    tree, workspace, G, _ = random_system(rng, n, 0, soft)
    workspace.A[...] = 0.5 * (workspace.A + workspace.A.transpose(0, 2, 1))
    K = dense(tree, workspace, G, G)
    b, c = rng.normal(size=(n, 6)), rng.normal(size=len(tree.child_side))
    c[workspace.mode == OFF] = 0.0
    exact = np.linalg.solve(K, np.concatenate((b.ravel(), c)))
    workspace.b[...] = b
    u, lam = np.zeros((n, 6)), np.full(len(c), np.nan)
    records = bundled(tree, workspace)
    assert _is_plain(*records)
    assert _solved(records[0], G, records[1], c, u, lam) == -1
    # rounding times the condition, which is that of a few random blocks
    error = np.abs(np.concatenate((u.ravel(), lam)) - exact).max()
    assert error < 1e-14 * np.linalg.cond(K) * np.abs(exact).max()


def test_rows_that_repeat_others_and_loops_are_left_to_the_other_elimination():
    rng = np.random.default_rng(3)
    tree, workspace, G, _ = random_system(rng, 3, 0)
    workspace.A[...] = np.eye(6)
    G[1 if tree.last[0] - tree.first[0] > 1 else 0] = 0.0
    records = bundled(tree, workspace)
    nothing = np.zeros((3, 6)), np.zeros(len(tree.child_side))
    assert _solved(records[0], G, records[1], nothing[1], *nothing) >= 0
    assert not _is_plain(*bundled(*random_system(rng, 4, 2)[:2]))
    assert not _is_plain(*bundled(*random_system(rng, 4, 0, coupled=True)[:2]))
