"""The contact solver: sweeps, then Newton's method, then Lemke's for contacts that remain."""

from typing import Protocol

import numpy as np

from dovetail.contact.impulse.gauss_seidel import gauss_seidel, residual
from dovetail.contact.impulse.lemke import solve_worst
from dovetail.contact.impulse.newton.solver import NewtonSolver
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.contact.impulse.records import ACTIVE, NORMAL_FIXED, Outcome
from dovetail.contact.impulse.workspace import sweep_workspace
from dovetail.model.values import Array
from dovetail.runtime.records import Int8Array

MAX_SWEEPS = 40_000
SWEEPS_BEFORE_LEMKE = 400  # before contacts are solved exactly, few at a time
STALL_RATIO = 0.3  # left over by a forward and a backward sweep: more, and Newton's method follows
FEW_ROWS, FEW_SWEEPS = 60, 40  # where sweeps cost next to nothing
SWEEPS_BETWEEN = 200  # two attempts of Newton's method
MAX_ATTEMPTS = 3
FAR = 1e5  # tolerances off: impulses hardly known
COLD_PENALTY, WARM_PENALTY = 10.0, 1e2  # first weights of Newton's method


class ImpulseSolver(Protocol):
    """Solves an impulse problem; what an impulse law provides."""

    problem: ImpulseProblem

    def solve_step(self, u: Array, mu: Array, tolerance: float) -> Outcome:
        """The impulses `problem.lam` of a step.

        u (n, 6) are the velocities with the `lam` there is, and become those with the new one.
        mu (contacts,) are friction coefficients, `tolerance` [m/s] the largest residual wanted.
        """

    def solve(
        self, u: Array, mu: Array, active: Int8Array, tolerance: float, max_sweeps: int = ...,
        release_dampers: bool = False,
    ) -> Outcome:  # fmt: skip
        """The same for some contacts only (`active`), for impacts and position corrections."""


class ContactSolver:
    """Gauss-Seidel sweeps and Newton's method on Coulomb friction in a pyramid or round cone."""

    def __init__(self, problem: ImpulseProblem, facets: int = 0) -> None:
        """`facets` is the number of corners of the friction pyramid's base, 0 the round cone."""
        self.problem, self.facets = problem, facets
        self._workspace = sweep_workspace(0)
        self._newton = NewtonSolver(problem.bodies)

    def residual(self, u: Array, mu: Array, active: Int8Array) -> Outcome:
        """How far the laws of rows are off in u, the velocities with the `lam` there is."""
        problem = self.problem
        found = residual(problem.system(mu, active, self.facets), problem.lam, u)
        return Outcome(0, *found)

    def solve_step(self, u: Array, mu: Array, tolerance: float) -> Outcome:
        """Sweeps and Newton's method, then Lemke's for contacts on which they do not converge."""
        active = np.full(self.problem.n_contacts, ACTIVE, np.int8)
        first = self.solve(u, mu, active, tolerance, SWEEPS_BEFORE_LEMKE)
        if first.residual <= tolerance:
            return first
        last = solve_worst(self, u, mu, active, tolerance)
        done = first.iterations + last.iterations
        if not last.residual <= tolerance:
            last = self.solve(u, mu, active, tolerance)
            done += last.iterations
        return Outcome(done, last.residual, last.row)

    def solve(
        self, u: Array, mu: Array, active: Int8Array, tolerance: float,
        max_sweeps: int = MAX_SWEEPS, release_dampers: bool = False,
    ) -> Outcome:  # fmt: skip
        """Solve for `lam`, u (n, 6) being the velocities with the `lam` there is."""
        problem = self.problem
        system, lam = problem.system(mu, active, self.facets, release_dampers), problem.lam
        if len(self._workspace.previous) < len(lam):
            self._workspace = sweep_workspace(len(lam))

        def sweep(max_sweeps: int, stall_ratio: float = np.inf) -> Outcome:
            return Outcome(*gauss_seidel(
                system, lam, u, self._workspace, tolerance, max_sweeps, stall_ratio
            ))  # fmt: skip

        if bool((active == NORMAL_FIXED).any()):
            return sweep(max_sweeps)
        few = problem.n_rows <= FEW_ROWS
        found = sweep(min(FEW_SWEEPS, max_sweeps) if few else max_sweeps,
                      np.inf if few else STALL_RATIO)  # fmt: skip
        done = found.iterations
        for _ in range(MAX_ATTEMPTS):
            if found.residual <= tolerance or done >= max_sweeps:
                return Outcome(done, found.residual, found.row)
            penalty = COLD_PENALTY if found.residual > FAR * tolerance else WARM_PENALTY
            found = self._newton.solve(system, lam, u, problem.R, penalty, tolerance)
            done += found.iterations
            if found.residual > tolerance:
                found = sweep(min(SWEEPS_BETWEEN, max(max_sweeps - done, 2)))
                done += found.iterations
        if found.residual > tolerance and done < max_sweeps:
            found = sweep(max_sweeps - done)
            done += found.iterations
        return Outcome(done, found.residual, found.row)
