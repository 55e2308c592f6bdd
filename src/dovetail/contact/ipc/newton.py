"""Newton's method on the group with a line search that never lets bodies meet."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from dovetail.contact.ipc.objective import Near, StepObjective, moved
from dovetail.geometry.slack_lists import SlackLists
from dovetail.model.values import Array

MOST_ITERATIONS = 1000
MOST_HALVINGS = 60
REST = 0.1  # of every gap that one search step leaves
TOO_CLOSE = 1e-4  # of dhat: a gap that shrinks below this, or ends there, doubles the stiffness
LARGEST_TURN = 2.0  # [rad] of a body in one iteration, so that two knots tell the way between
STIFFEST = 2.0**40  # of the first stiffness


@dataclass(frozen=True)
class Solved:
    """The poses found and how.

    The way along the `knots`, at a constant twist from each to the next, is free of contacts; the
    straight way from the first to the last need not be.
    """

    x: Array
    R: Array
    converged: bool
    knots: tuple[tuple[Array, Array], ...]  # poses x, R after each iteration, the start first
    speed: float  # [m/s] of the fastest vertex in the last Newton direction
    weight: float  # [kg m^2] h^2 kappa at the end
    doublings: int
    least_distance: float  # [m]
    shifted: int  # iterations in which the exact Hessian was not positive

    @property
    def iterations(self) -> int:
        return len(self.knots) - 1


def minimise(
    objective: StepObjective,
    lists: SlackLists,
    x: Array,
    R: Array,
    h: float,
    weight: float,
    tolerance: float,
) -> Solved:
    """Minimise from the intersection-free poses x, R; all poses tried are intersection-free.

    Stops when no vertex moves faster than `tolerance` [m/s] in the full Newton direction (the
    reference's rule). Where the exact Hessian has no Cholesky factor on the free directions, the
    contacts' part is made positive, pair by pair of bodies, and what inertia needs is added to
    its diagonal.
    """
    free = objective.bodies.free.ravel()
    first_weight, doublings, shifted = weight, 0, 0
    reach = objective.dmin + objective.dhat
    near = lists.within(x, R, reach)
    before = objective.barrier(x, R, near)[1]
    speed, converged = np.inf, False
    knots = [(x, R)]
    while len(knots) <= MOST_ITERATIONS:
        twist, exact = _direction(objective, x, R, near, weight, free)
        shifted += not exact
        speed = _fastest(objective, R, twist) / h
        converged = speed <= tolerance
        twist *= min(1.0, LARGEST_TURN / max(np.max(np.linalg.norm(twist[:, 3:], axis=1)), 1e-300))
        paths = np.linalg.norm(twist[:, :3], axis=1) + np.linalg.norm(twist[:, 3:], axis=1) * [
            body.radius for body in objective.bodies.features
        ]
        around = lists.within(x, R, reach + 2 * float(np.max(paths)))
        t = objective.safe_time(x, R, twist, around, REST)
        x, R, stuck = _searched(objective, x, R, twist, t, around, weight)
        knots.append((x, R))
        near = lists.within(x, R, reach)
        least = objective.barrier(x, R, near)[1]
        gap = least - objective.dmin
        too_close = gap < TOO_CLOSE * objective.dhat and (least < before or converged)
        if too_close and weight < STIFFEST * first_weight:
            weight, doublings, converged = 2 * weight, doublings + 1, False
        before = least
        if converged or stuck:
            break
    return Solved(x, R, converged, tuple(knots), speed, weight, doublings, before, shifted)


def _direction(
    objective: StepObjective, x: Array, R: Array, near: Near, weight: float, free: NDArray[np.bool_]
) -> tuple[Array, bool]:
    """Newton twists (n, 6), and whether they come from the exact Hessian."""
    gradient, H = objective.inertia_terms(x, R)
    g, contact = objective.barrier_terms(x, R, near)
    right = -(gradient + weight * g)[free]
    twist = np.zeros(len(free))
    exact = _solved((H + weight * contact)[np.ix_(free, free)], right)
    if exact is not None:
        twist[free] = exact
        return twist.reshape(-1, 6), True
    _, contact = objective.barrier_terms(x, R, near, positive=True)
    matrix = (H + weight * contact)[np.ix_(free, free)]
    shift, size = 0.0, np.diag(np.abs(np.diag(matrix)))
    while (found := _solved(matrix + shift * size, right)) is None:
        shift = max(2 * shift, 1e-8)
    twist[free] = found
    return twist.reshape(-1, 6), False


def _solved(matrix: Array, right: Array) -> Array | None:
    """The solution, or None where the matrix is not positive."""
    try:
        found: Array = cho_solve(cho_factor(matrix), right)
    except LinAlgError:
        return None
    return found if np.all(np.isfinite(found)) else None


def _searched(
    objective: StepObjective,
    x: Array,
    R: Array,
    twist: Array,
    t: float,
    near: Near,
    weight: float,
) -> tuple[Array, Array, bool]:
    """The first of t, t/2, t/4, ... that does not raise the energy; stays where none does."""

    def energy(x: Array, R: Array) -> float:
        return objective.inertia(x, R) + weight * objective.barrier(x, R, near)[0]

    start = energy(x, R)
    for _ in range(MOST_HALVINGS):
        there = moved(x, R, twist, t)
        if energy(*there) <= start:
            return *there, False
        t /= 2
    return x, R, True


def _fastest(objective: StepObjective, R: Array, twist: Array) -> float:
    """[m] largest component of a vertex's displacement."""
    largest = 0.0
    for k in np.flatnonzero(objective.bodies.free.any(axis=1)):
        levers = objective.bodies.levers(int(k), R)
        shifts = twist[k, :3] + np.cross(twist[k, 3:], levers)
        largest = max(largest, float(np.max(np.abs(shifts), initial=0.0)))
    return largest
