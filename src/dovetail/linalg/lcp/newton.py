"""Semismooth Newton methods, for large or sparse problems."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.linalg.lcp.problem import TOLERANCE, Problem, is_sparse
from dovetail.linalg.lcp.solution import Solution, answer, on_support
from dovetail.linalg.lcp.sweeps import projected_gauss_seidel
from dovetail.runtime.extras import require

Array = NDArray[np.float64]
NAME = "newton"
MAX_STEPS = 200
SHORTEST_STEP = 2.0**-30
ARMIJO = 1e-4
PATIENCE = 15  # steps in which the merit must halve, or it is a local minimum
FIRST_SWEEPS = 30


def newton(problem: Problem, most_steps: int | None = None, start: Array | None = None) -> Solution:
    """Newton's method on min(x_i, y_i) = 0, then on Fischer and Burmeister's equation.

    The first solves the linear system on {x_i > y_i} until that set repeats: exact, and fast
    where A is near an M-matrix (Hintermueller, Ito, Kunisch 2002, "The primal-dual active set
    strategy as a semismooth Newton method"), but it may go round in circles. Then damped steps on
        phi(x_i, y_i) = sqrt(x_i^2 + y_i^2) - x_i - y_i = 0,
    which converge from anywhere where A is a P-matrix (De Luca, Facchinei, Kanzow 1996, "A
    semismooth equation approach to the solution of nonlinear complementarity problems").
    """
    most = MAX_STEPS if most_steps is None else most_steps
    best, made = np.zeros(problem.size), 0
    for x in _starts(problem, start):
        for method in (_active_sets, _descend):
            found, steps = method(problem, x, most - made)
            made += steps
            if problem.residual(np.maximum(found, 0.0)) < problem.residual(best):
                best = np.maximum(found, 0.0)
            if made >= most or problem.residual(best) <= TOLERANCE:
                return _ended(problem, best, made)
    return _ended(problem, best, made)


def _ended(problem: Problem, best: Array, made: int) -> Solution:
    reason = (
        f"Newton's method stopped after {made} steps at a point that is no solution, residual "
        f"{problem.residual(best):.1e}; there may be none, or 'lemke' may find one"
    )
    return answer(problem, best, NAME, made, reason)


def _starts(problem: Problem, start: Array | None) -> Iterator[Array]:
    if start is not None:
        yield start
    swept = projected_gauss_seidel(problem, FIRST_SWEEPS)
    guess = swept.x / (problem.beta * problem.scale)
    if swept.iterations and np.max(guess, initial=0.0) < 1e6:
        yield guess
    yield np.zeros(problem.size)
    yield np.ones(problem.size)


def _active_sets(problem: Problem, x: Array, most: int) -> tuple[Array, int]:
    """x solved for on the active set {x > y} until that set repeats."""
    y = problem.scaled_A @ x + problem.scaled_b
    seen: set[bytes] = set()
    for step in range(most):
        active = x > y
        if active.tobytes() in seen:
            return x, step
        seen.add(active.tobytes())
        x = on_support(problem, np.flatnonzero(active))
        if not np.all(np.isfinite(x)):
            return np.zeros(problem.size), step + 1
        y = problem.scaled_A @ x + problem.scaled_b
        y[active] = 0.0
        if problem.residual(np.maximum(x, 0.0)) <= TOLERANCE:
            return x, step + 1
    return x, most


def _descend(problem: Problem, x: Array, most: int) -> tuple[Array, int]:
    """Newton steps from x until solved, stuck, or `most` made."""
    A, b = problem.scaled_A, problem.scaled_b
    y = A @ x + b
    phi = _fischer_burmeister(x, y)
    support: Any = None
    merits: list[float] = []
    for step in range(most):
        if problem.residual(np.maximum(x, 0.0)) <= TOLERANCE:
            return x, step
        active = x > y
        if support is not None and np.array_equal(active, support):
            exact = on_support(problem, np.flatnonzero(active))
            if problem.residual(np.maximum(exact, 0.0)) <= TOLERANCE:
                return exact, step + 1
        support = active
        jacobian = _jacobian(A, x, y)
        slope = jacobian.T @ phi
        merit = 0.5 * float(phi @ phi)
        merits.append(merit)
        if step >= PATIENCE and merit > 0.5 * merits[-1 - PATIENCE]:
            return x, step
        direction = _newton_direction(jacobian, phi)
        if direction is None or slope @ direction > -1e-10 * float(direction @ direction):
            direction = -slope
        length, decrease = 1.0, float(slope @ direction)
        while True:
            trial = x + length * direction
            y_trial = A @ trial + b
            phi_trial = _fischer_burmeister(trial, y_trial)
            if 0.5 * float(phi_trial @ phi_trial) <= merit + ARMIJO * length * decrease:
                break
            length *= 0.5
            if length < SHORTEST_STEP:
                return x, step + 1
        x, y, phi = trial, y_trial, phi_trial
    return x, most


def _fischer_burmeister(x: Array, y: Array) -> Array:
    """sqrt(x^2 + y^2) - x - y, without cancellation where x + y > 0."""
    r = np.hypot(x, y)
    total = x + y
    positive = total > 0
    below = np.where(positive, r + total, 1.0)
    return np.asarray(np.where(positive, -2.0 * x * y / below, r - total))


def _jacobian(A: Any, x: Array, y: Array) -> Any:
    """diag(x/r - 1) + diag(y/r - 1) A, an element of the generalised Jacobian of phi."""
    r = np.hypot(x, y)
    kink = r == 0
    safe = np.where(kink, 1.0, r)
    dx = np.where(kink, np.sqrt(0.5), x / safe) - 1.0
    dy = np.where(kink, np.sqrt(0.5), y / safe) - 1.0
    if is_sparse(A):
        diagonal = require("scipy.sparse").diags_array
        return (diagonal(dx) + diagonal(dy) @ A).tocsc()
    return np.diag(dx) + dy[:, None] * A


def _newton_direction(jacobian: Any, phi: Array) -> Array | None:
    if is_sparse(jacobian):
        splu = require("scipy.sparse.linalg").splu
        try:
            direction = splu(jacobian).solve(-phi)
        except RuntimeError:  # exactly singular
            return None
    else:
        try:
            direction = np.linalg.solve(jacobian, -phi)
        except np.linalg.LinAlgError:
            return None
    return np.asarray(direction) if np.all(np.isfinite(direction)) else None
