"""The contact solver: sweeps, Newton's method where it pays, Lemke's for few contacts.

Coulomb friction is neither convex nor unique, and no method reaches any tolerance on every heap
(Acary, Bremond and Huber 2018). So the effort is bounded and the best impulses that were found are
returned with their residual.
"""

from typing import NamedTuple, Protocol

import numpy as np

from dovetail.contact.impulse.gauss_seidel import gauss_seidel, residual
from dovetail.contact.impulse.islands import IslandProblem, KnownIslands, unsolved_islands
from dovetail.contact.impulse.lemke import solve_worst
from dovetail.contact.impulse.newton.solver import MAX_STEPS, NewtonSolver
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.contact.impulse.records import ACTIVE, NORMAL_FIXED, ImpulseSystem, Outcome
from dovetail.contact.impulse.workspace import sweep_workspace
from dovetail.model.values import Array
from dovetail.runtime.records import Int8Array, Int64Array

MAX_SWEEPS = 4000  # of a solve for impacts or displacements
STALL_RATIO = 0.3  # left over by a forward and a backward sweep: more, and Newton's method follows
FEW_ROWS, FEW_SWEEPS = 60, 40  # where sweeps cost next to nothing
SWEEPS_BETWEEN = 200  # two attempts of Newton's method
MAX_ATTEMPTS = 3
FAR = 1e5  # tolerances off: impulses hardly known
COLD_PENALTY, WARM_PENALTY = 10.0, 1e2  # first weights of Newton's method

JOINED = 1e-2  # times what is acceptable without joints: accepted with joints
AIM = 0.03  # of the tolerance: where Newton's method ends if there are joints
NEAR_AIM = 300.0  # times that: where it may end if steps are slow, as rounding is what is left
WORTH_IT = 0.5  # left of the residual by a further attempt: more, and there is no other
FIRST_SWEEPS = 40  # of a step, before anything else
TRIAL_STEPS, TRIAL_GAIN = 10, 0.1  # Newton's method goes on if it leaves less of the residual
MAX_SLIDING = 0.3  # share of the pressing contacts that slide: more, and Newton's method stalls
MAX_STEP_SWEEPS = 300  # of a step, or as many as update MAX_UPDATES contacts
MAX_UPDATES = 150_000
ACCEPTABLE = 1e4  # times the tolerance that is derived: the effort ends here
MAX_LEMKE_CONTACTS = 120  # of a step that may be solved by parts exactly


def sliding_share(system: ImpulseSystem, lam: Array) -> float:
    """Of the contacts that press, those whose friction is at its bound."""
    impulses = lam[system.n_joint :][: 3 * len(system.mu)].reshape(-1, 3)
    bound = system.mu * impulses[:, 0]
    pressing = bound > 0.0
    slides = np.hypot(impulses[:, 1], impulses[:, 2])[pressing] >= 0.92 * bound[pressing]
    return float(slides.mean()) if len(slides) else 0.0


class _Iterate(NamedTuple):
    """The best impulses so far, with their velocities."""

    lam: Array
    u: Array
    outcome: Outcome


class Wanted(NamedTuple):
    """How far a step is solved."""

    tolerance: float  # [m/s]
    acceptable: float  # [m/s] where sweeps over many contacts end
    max_sweeps: int
    exactly: bool  # whether Lemke's method may solve what is left


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

    def __init__(
        self, problem: ImpulseProblem, facets: int = 0,
        tolerance: float | None = None,
    ) -> None:  # fmt: skip
        """`facets` is the number of corners of the friction pyramid's base, 0 the round cone.

        `tolerance` [m/s] is the residual that steps are solved to, None: what the caller wants.
        """
        self.problem, self.facets, self.tolerance = problem, facets, tolerance
        self._workspace = sweep_workspace(0)
        self._newton, self._islands = NewtonSolver(problem.bodies), KnownIslands()

    def residual(self, u: Array, mu: Array, active: Int8Array) -> Outcome:
        """How far the laws of rows are off in u, the velocities with the `lam` there is."""
        problem = self.problem
        found = residual(problem.system(mu, active, self.facets), problem.lam, u)
        return Outcome(0, *found)

    def solve_step(self, u: Array, mu: Array, tolerance: float) -> Outcome:
        """Sweeps, then islands by themselves; those with joints by Newton's method.

        Without a tolerance of the user's the effort ends at ACCEPTABLE times the one wanted.
        """
        problem = self.problem
        acceptable = ACCEPTABLE * tolerance
        if self.tolerance is not None:
            tolerance = acceptable = self.tolerance
        few = problem.n_contacts <= MAX_LEMKE_CONTACTS
        wanted = Wanted(tolerance, acceptable, self._max_sweeps(), few)
        system = problem.system(mu, np.full(problem.n_contacts, ACTIVE, np.int8), self.facets)
        swept = Outcome(0, np.inf, -1)
        if not problem.n_joint:
            swept = self._sweep(system, u, tolerance, FIRST_SWEEPS)
            if swept.residual <= tolerance:
                return swept
        label = self._islands.of(problem)
        if self._islands.single:
            return self._solve_island(u, mu, swept, wanted)
        islands = unsolved_islands(problem, label, system, u, tolerance)
        return self._solve_islands(islands, u, mu, wanted)

    def _solve_islands(
        self, islands: list[Int64Array], u: Array, mu: Array, wanted: Wanted
    ) -> Outcome:
        """Solve the rows of each island as a problem of its own."""
        done = 0
        for rows in islands:
            part, solver = self._solver_of(rows)
            own = u[part.body]
            friction = mu[part.contact]
            swept = Outcome(0, np.inf, -1)
            if not part.n_joint:
                active = np.full(part.n_contacts, ACTIVE, np.int8)
                swept = solver.residual(own, friction, active)
            done += solver._solve_island(own, friction, swept, wanted).iterations
            part.give_back(self.problem, own, u)
        active = np.full(self.problem.n_contacts, ACTIVE, np.int8)
        left = self.residual(u, mu, active)
        return Outcome(done, left.residual, left.row)

    def _solver_of(self, rows: Int64Array) -> "tuple[IslandProblem, ContactSolver]":
        """The problem of an island with its solver, kept while all rows have the same bodies."""
        known, first = self._islands.solvers, int(rows[0])
        if first not in known:
            part = IslandProblem(self.problem, rows)
            known[first] = part, ContactSolver(part, self.facets)
        else:
            known[first][0].take(self.problem)
        found: tuple[IslandProblem, ContactSolver] = known[first]
        return found

    def _solve_island(self, u: Array, mu: Array, swept: Outcome, wanted: Wanted) -> Outcome:
        """A trial of Newton's method, more sweeps; for few contacts Lemke's method.

        `swept` is what sweeps left; with joints Newton's method is first.
        """
        problem, (tolerance, acceptable, max_sweeps, exactly) = self.problem, wanted
        active = np.full(problem.n_contacts, ACTIVE, np.int8)
        system = problem.system(mu, active, self.facets)
        if problem.n_joint:
            enough = max(tolerance, JOINED * acceptable)
            return self._solve_jointed(system, u, AIM * tolerance, enough)
        done, best = swept.iterations, self._keep(u, swept)
        if sliding_share(system, problem.lam) <= MAX_SLIDING:
            found = self._try_newton(system, u, tolerance, best.outcome)
            done += found.iterations
            best = self._better(best, u, found)
        if best.outcome.residual > acceptable:
            found = self._sweep(system, u, acceptable, max_sweeps)
            done += found.iterations
            best = self._better(best, u, found)
        if best.outcome.residual > tolerance and exactly:
            self._take(best, u)
            found = solve_worst(self, u, mu, active, tolerance)
            done += found.iterations
            best = self._better(best, u, found)
            if best.outcome.residual > tolerance:
                self._take(best, u)
                found = self.solve(u, mu, active, tolerance)
                done += found.iterations
                best = self._better(best, u, found)
        self._take(best, u)
        return Outcome(done, best.outcome.residual, best.outcome.row)

    def _solve_jointed(
        self, system: ImpulseSystem, u: Array, aim: float, tolerance: float
    ) -> Outcome:
        """Newton's method first: sweeps pass impulses on by one joint of a chain each.

        It aims at the residual `aim` [m/s]. If it does not come down to `tolerance`, it starts once
        more from other impulses, those of a few sweeps.
        """
        problem, R = self.problem, self.problem.R
        unknown = problem.n_contacts and not problem.lam[problem.n_joint : problem.n_rows].any()
        penalty = COLD_PENALTY if unknown else WARM_PENALTY
        near = min(NEAR_AIM * aim, tolerance)
        found = self._newton.solve(system, problem.lam, u, R, penalty, aim, enough=near)
        best, done = found, found.iterations
        for _ in range(MAX_ATTEMPTS - 1):
            if best.residual <= tolerance:
                break
            kept = self._keep(u, best)
            done += self._sweep(system, u, tolerance, FIRST_SWEEPS).iterations
            found = self._newton.solve(system, problem.lam, u, R, COLD_PENALTY, aim, enough=near)
            done += found.iterations
            if found.residual > WORTH_IT * best.residual:
                if found.residual >= best.residual:
                    self._take(kept, u)
                    found = best
                best = found
                break
            best = found
        return Outcome(done, best.residual, best.row)

    def _max_sweeps(self) -> int:
        return max(MAX_STEP_SWEEPS, MAX_UPDATES // max(self.problem.n_contacts, 1))

    def _try_newton(
        self, system: ImpulseSystem, u: Array, tolerance: float, before: Outcome
    ) -> Outcome:
        """A few steps of Newton's method, and all of them if these reduce the residual much."""
        problem = self.problem
        penalty = COLD_PENALTY if before.residual > FAR * tolerance else WARM_PENALTY
        found = self._newton.solve(
            system, problem.lam, u, problem.R, penalty, tolerance, TRIAL_STEPS
        )
        done = found.iterations
        while tolerance < found.residual < TRIAL_GAIN * before.residual and done < MAX_STEPS:
            before = found
            steps = min(2 * done, MAX_STEPS)
            found = self._newton.solve(
                system, problem.lam, u, problem.R, WARM_PENALTY, tolerance, steps
            )
            done += found.iterations
        return Outcome(done, found.residual, found.row)

    def _sweep(
        self, system: ImpulseSystem, u: Array, tolerance: float, sweeps: int,
        stall_ratio: float = np.inf,
    ) -> Outcome:  # fmt: skip
        lam = self.problem.lam
        if len(self._workspace.previous) < len(lam):
            self._workspace = sweep_workspace(len(lam))
        return Outcome(*gauss_seidel(
            system, lam, u, self._workspace, tolerance, sweeps, stall_ratio
        ))  # fmt: skip

    def _keep(self, u: Array, outcome: Outcome) -> _Iterate:
        return _Iterate(self.problem.lam[: self.problem.n_rows].copy(), u.copy(), outcome)

    def _better(self, best: _Iterate, u: Array, found: Outcome) -> _Iterate:
        return self._keep(u, found) if found.residual < best.outcome.residual else best

    def _take(self, best: _Iterate, u: Array) -> None:
        self.problem.lam[: self.problem.n_rows], u[...] = best.lam, best.u

    def solve(
        self, u: Array, mu: Array, active: Int8Array, tolerance: float,
        max_sweeps: int = MAX_SWEEPS, release_dampers: bool = False,
    ) -> Outcome:  # fmt: skip
        """Solve for `lam`, u (n, 6) being the velocities with the `lam` there is."""
        problem = self.problem
        system, lam = problem.system(mu, active, self.facets, release_dampers), problem.lam

        def sweep(max_sweeps: int, stall_ratio: float = np.inf) -> Outcome:
            return self._sweep(system, u, tolerance, max_sweeps, stall_ratio)

        if bool((active == NORMAL_FIXED).any()):
            return sweep(max_sweeps)
        if problem.n_joint:
            found = self._solve_jointed(system, u, tolerance, tolerance)
            if found.residual <= tolerance or not problem.n_contacts:
                return found
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
