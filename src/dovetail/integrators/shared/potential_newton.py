"""Newton's method on SE(3)^n for a function of all poses: line search, PSD treatment.

Directions solve H d = -g. Where the Hessian has no Cholesky factor its eigenvalues are replaced by
their absolute values, so that d is a direction of descent; an Armijo line search (Nocedal and
Wright, Numerical Optimization, 2nd ed., algorithm 3.1) then accepts a share of it.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dovetail.contact.law import CollisionFreePotential
from dovetail.linalg.lie import so3
from dovetail.linalg.triangular import solve_lower, solve_upper
from dovetail.model.values import Array

ARMIJO = 1e-4  # of the decrease that the gradient promises
MAX_HALVINGS = 60
LEAST_EIGENVALUE = 1e-10  # of the largest, where the Hessian is singular or worse
LARGEST_ROTATION = 0.5  # [rad] of a body in one iteration
SHORT_OF_CONTACT = 0.9  # of a collision-free step size below 1
ROUNDING = 1e-11  # of the energy: a decrease below this is not distinct from rounding


class Objective(Protocol):
    """A function of poses x (n, 3), R (n, 3, 3) with derivatives in world twists."""

    free: NDArray[np.bool_]  # (n, 6) the unknowns

    def value(self, x: Array, R: Array) -> float: ...

    def gradient(self, x: Array, R: Array) -> Array:
        """(n, 6)."""

    def hessian(self, x: Array, R: Array) -> Array:
        """(n, 6, n, 6)."""


@dataclass(frozen=True)
class Minimum:
    """Where Newton's method ended."""

    x: Array
    R: Array
    iterations: int
    displacement: float  # [m] the largest of any body in the last direction
    converged: bool
    iterates: list[tuple[Array, Array]]  # poses between the first and the last


def minimise(
    objective: Objective,
    x: Array,
    R: Array,
    radius: Array,
    tolerance: float,
    max_iterations: int,
    bound: CollisionFreePotential | None,
) -> Minimum:
    """A local minimum from poses x, R on.

    Converged where no point of a body of radius (n,) [m] would move by more than `tolerance` [m];
    `bound` limits every displacement to its collision-free part.
    """
    iterates: list[tuple[Array, Array]] = []
    energy, size = objective.value(x, R), np.inf
    for iteration in range(1, max_iterations + 1):
        gradient = objective.gradient(x, R)
        direction = newton_direction(objective, x, R, gradient)
        before, size = size, largest_displacement(direction, radius)
        if size == 0.0 or not np.isfinite(size):
            return Minimum(x, R, iteration, size, size == 0.0, iterates)
        step = 1.0 if bound is None else bound.collision_free_step_size(x, R, direction)
        step = step if step == 1.0 else SHORT_OF_CONTACT * step
        descent = float(np.sum(gradient * direction))
        flat = step == 1.0 and -descent <= ROUNDING * abs(energy)
        if flat and size >= 0.5 * before:
            return Minimum(x, R, iteration, size, True, iterates)
        found = None if flat else _line_search(objective, x, R, energy, direction, step, descent)
        if flat:  # the energy can no longer tell, but Newton's full step is right
            x_next, R_next = displaced(x, R, direction)
            found = x_next, R_next, objective.value(x_next, R_next)
        if found is None or not np.isfinite(found[2]):
            return Minimum(x, R, iteration, size, size <= tolerance, iterates)
        x, R, energy = found
        if size <= tolerance:
            return Minimum(x, R, iteration, size, True, iterates)
        iterates.append((x, R))
    return Minimum(x, R, max_iterations, size, False, iterates)


def _line_search(
    objective: Objective, x: Array, R: Array, energy: float, direction: Array, step: float,
    descent: float,
) -> tuple[Array, Array, float] | None:  # fmt: skip
    """Poses and energy after the first of step, step/2, ... that lowers the energy enough."""
    for _ in range(MAX_HALVINGS):
        x_next, R_next = displaced(x, R, step * direction)
        found = objective.value(x_next, R_next)
        if found <= energy + ARMIJO * step * descent:
            return x_next, R_next, found
        step *= 0.5
    return None


def largest_displacement(twist: Array, radius: Array) -> float:
    """[m] of any point of bodies of that radius (n,) [m] by twists (n, 6)."""
    rows = np.linalg.norm(twist[:, :3], axis=1) + radius * np.linalg.norm(twist[:, 3:], axis=1)
    return float(rows.max(initial=0.0))


def newton_direction(objective: Objective, x: Array, R: Array, gradient: Array) -> Array:
    """(n, 6) -H^-1 g in the free motions, with |H| where H is not positive definite."""
    free = objective.free.ravel()
    direction = np.zeros(free.size)
    if free.any():
        H = objective.hessian(x, R).reshape(free.size, free.size)[np.ix_(free, free)]
        g = gradient.ravel()[free]
        try:
            L: Array = np.asarray(np.linalg.cholesky(H), dtype=np.float64)
            direction[free] = -solve_upper(L.T, solve_lower(L, g))
        except np.linalg.LinAlgError:
            eigenvalues, vectors = np.linalg.eigh(0.5 * (H + H.T))
            sizes = np.abs(eigenvalues)
            sizes = np.maximum(sizes, LEAST_EIGENVALUE * sizes.max(initial=1e-300))
            direction[free] = -vectors @ ((vectors.T @ g) / sizes)
    rows = direction.reshape(-1, 6)
    largest = float(np.linalg.norm(rows[:, 3:], axis=1).max(initial=0.0))
    return rows * min(1.0, LARGEST_ROTATION / largest) if largest > 0.0 else rows


def displaced(x: Array, R: Array, twist: Array) -> tuple[Array, Array]:
    """x + s and exp([w]) R for twists (n, 6) = (s, w)."""
    return x + twist[:, :3], so3.exp(twist[:, 3:]) @ R
