"""Forward dynamics of a tree with closed loops: M a + c = tau + J^T lambda, J a + bias = b."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import RunError
from dovetail.linalg.triangular import solve_lower, solve_upper
from dovetail.model.values import Array
from dovetail.multibody.loops import closures
from dovetail.multibody.loops.independent_rows import independent_rows
from dovetail.multibody.loops.records import LoopArrays
from dovetail.multibody.loops.velocity_projection import DEPENDENT
from dovetail.multibody.tree import (
    STANDARD_GRAVITY,
    Tree,
    factor,
    forward_dynamics,
    kinematics,
    mass_matrix,
)


@dataclass(frozen=True, eq=False)
class Accelerations:
    """What a state and its forces lead to."""

    a: Array
    """(n_v,) accelerations of the joint coordinates."""
    multipliers: Array
    """(m,) forces [N] and moments [N m] of the equations; zero for redundant ones."""


def closure_residuals(tree: Tree, loops: LoopArrays, q: Any) -> Array:
    """How far each equation is from closed, (m,) [m or 1]."""
    workspace, e = tree.workspace(), np.empty(loops.kind.size)
    kinematics.positions(tree.arrays, tree.checked_q(q), workspace)
    closures.residuals(loops, workspace, tree.checked_q(q), e)
    return e


def closure_jacobian(tree: Tree, loops: LoopArrays, q: Any) -> Array:
    """Rates of the residuals per joint velocity, (m, n_v)."""
    workspace, J = tree.workspace(), np.zeros((loops.kind.size, tree.n_v))
    kinematics.positions(tree.arrays, tree.checked_q(q), workspace)
    closures.jacobian(tree.arrays, loops, workspace, tree.checked_q(q), 0, J)
    return J


def closure_biases(tree: Tree, loops: LoopArrays, q: Any, v: Any) -> Array:
    """Second rates of the residuals when no joint accelerates, (m,)."""
    workspace, bias = tree.workspace(), np.empty(loops.kind.size)
    kinematics.positions(tree.arrays, tree.checked_q(q), workspace)
    kinematics.velocities(tree.arrays, tree.checked_v(v), workspace)
    closures.biases(tree.arrays, loops, workspace, tree.checked_q(q), tree.checked_v(v), bias)
    return bias


def coordinates_above(tree: Tree) -> NDArray[np.int64]:
    """The next coordinate towards the ground of each, (n_v,); -1 at the ground."""
    arrays = tree.arrays
    last = np.full(tree.n_bodies + 1, -1, dtype=np.int64)
    above = np.empty(tree.n_v, dtype=np.int64)
    for i in range(1, tree.n_bodies + 1):
        previous = last[arrays.parent[i]]
        for k in range(arrays.v_start[i], arrays.v_start[i + 1]):
            above[k], previous = previous, k
        last[i] = previous
    return above


class MassFactor:
    """M(q) = L^T L of a tree at one configuration."""

    def __init__(self, tree: Tree, q: Any) -> None:
        M = mass_matrix(tree, q)
        bad = factor.factor(coordinates_above(tree), M)
        if bad >= 0:
            raise RunError(f"joint coordinate {bad} moves nothing that has inertia")
        self.L: Array = np.tril(M)

    def reduced(self, J: Array) -> Array:
        """J L^-1: rows in the metric of the kinetic energy."""
        return solve_upper(self.L.T, J.T).T

    def expanded(self, y: Array) -> Array:
        """L^-1 y."""
        return solve_lower(self.L, y)


def independent(Y: Array, sizes: Array, n_first: int = 0) -> NDArray[np.int64]:
    """Numbers of the independent rows of Y, in ascending order; see `independent_rows`."""
    chosen = np.zeros(len(Y), dtype=np.int64)
    rank = independent_rows(np.array(Y, order="C"), n_first, sizes, DEPENDENT, chosen)
    return chosen[:rank]


def constrained_dynamics(
    tree: Tree,
    rows: Array,
    sizes: Array,
    wanted: Array,
    q: Any,
    v: Any,
    tau: Any,
    gravity: Any = STANDARD_GRAVITY,
    wrench: Any = None,
) -> Accelerations:
    """Accelerations with rows a = wanted; rows (m, n_v) may depend on each other.

    sizes (m,) make the rows comparable, as `LoopArrays.size` does.

    The tree's free acceleration by articulated bodies, corrected by J^T lambda with
    J M^-1 J^T lambda = wanted - J a_free over the independent rows.
    """
    free = forward_dynamics(tree, q, v, tau, gravity, wrench)
    multipliers = np.zeros(len(rows))
    if not len(rows):
        return Accelerations(free, multipliers)
    mass = MassFactor(tree, q)
    Y = mass.reduced(rows)
    chosen = independent(Y, sizes)
    Q, upper = np.linalg.qr(Y[chosen].T)
    # Y Y^T lambda = b with Y^T = Q U: U^T U lambda = b
    missing = wanted[chosen] - rows[chosen] @ free
    inner = solve_lower(upper.T, missing)
    multipliers[chosen] = solve_upper(upper, inner)
    return Accelerations(free + mass.expanded(Q @ inner), multipliers)
