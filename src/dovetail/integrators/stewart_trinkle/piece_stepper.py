"""One piece of a step of `StewartTrinkle`: impulses, displacements, joints closed again."""

import warnings
from typing import NamedTuple

import numpy as np

from dovetail.contact.impulse.contact_matching import SolvedContacts
from dovetail.contact.impulse.lifting import Payment, StepMotion, slow_down
from dovetail.contact.impulse.position_correction import MAX_OVERLAP
from dovetail.contact.impulse.records import Outcome
from dovetail.errors import RunError
from dovetail.integrators.interface import StepReport
from dovetail.integrators.shared.impulse_poses import DONE
from dovetail.integrators.shared.search_again import MAX_SEARCHES
from dovetail.integrators.stewart_trinkle.contact_kernels import end_gaps, mark_free_bodies
from dovetail.integrators.stewart_trinkle.failures import ResidualWarning, pose_failure, unsolved
from dovetail.integrators.stewart_trinkle.joint_drift import correct_joint_drift
from dovetail.integrators.stewart_trinkle.kinematic_bodies import KinematicMotion
from dovetail.integrators.stewart_trinkle.piece_impacts import PieceWithImpacts
from dovetail.integrators.stewart_trinkle.piece_kernels import begin_solve, move, moved_farther
from dovetail.integrators.stewart_trinkle.piece_problem import TOLERANCE
from dovetail.integrators.stewart_trinkle.pieces import SolvedPiece, will_bounce
from dovetail.integrators.stewart_trinkle.quiet_kernels import OPEN, POSE_FAILED, STEPPED, UNSOLVED
from dovetail.integrators.stewart_trinkle.touched_kernels import READY
from dovetail.model.values import Array
from dovetail.runtime.records import BoolArray

ACCEPTED = 1e-2  # of it: a larger residual is worth a warning
MAX_JOINT_ERROR = 0.1  # of it: joints that miss by more contradict each other
SHORTEST = 1e-9  # of the step: a piece is not shorter
FREE = 1e6  # times the speed: a bias that leaves a contact without impulse

_NOTHING: Array = np.zeros(0)
_NONE = np.zeros(0, np.bool_)


class _Solution(NamedTuple):
    """Of the rows of a piece."""

    u: Array  # (n, 6) velocities at the end, world axes
    lam: Array  # (rows,) impulses
    c: Array  # (rows,) bias
    warm: SolvedContacts  # those that were solved before it


class PieceStepper(PieceWithImpacts):
    """Advances the state by a step, or by the piece of it that ends at the first impact."""

    def _quiet_step(self, t_next: float) -> StepReport | KinematicMotion:
        """A step to t_next [s] in one call, if nothing touches and it reaches its tolerance.

        If not, nothing has moved yet, and the motion from `_set_time` is returned.
        """
        state, seen, jointed = self.bodies, self._observed, self._jointed
        h, began = t_next - state.t, self._set_time(t_next)
        if self._contacts.count or jointed is None or seen is None:
            return began
        made, steps, left, _, speed, fits, code, body = jointed.step(
            self._piece, self._quiet, seen.arrays, h
        )
        if made == UNSOLVED:
            return began
        if made == POSE_FAILED:
            spin = float(np.linalg.norm(self._u[body, 3:]))
            raise pose_failure(self._model, code, body, spin, h, t_next)
        if self._motors:
            self._motors.commit()
        self._warm_start.clear(h)
        state.t = t_next
        if made == OPEN:
            fits = correct_joint_drift(self._joints, self._solver, state, self._L)
            self._fall_asleep(h)
            seen.end_step(self._joints.angle)
        seen.stepped(h)
        return StepReport(
            steps + fits, left / max(speed, 1e-300), converged=left <= self._accepted(speed)
        )

    def _fall_asleep(self, h: float, counted: bool = False) -> None:
        """See `StewartTrinkleStepper`."""
        raise NotImplementedError

    def _advance(
        self, t_next: float, h_step: float, last: bool, began: KinematicMotion | None = None
    ) -> StepReport:
        """One piece of a step of h_step [s], which ends at t_next if it is the last.

        Its rows are set already if it `began`.
        """
        report = self._try_advance(t_next, h_step, last, began)
        while report is None:  # an impulse on a sleeping body woke its island
            report = self._try_advance(t_next, h_step, last)
        return report

    def _try_advance(
        self, t_next: float, h_step: float, last: bool, began: KinematicMotion | None = None
    ) -> StepReport | None:
        """The same, or None where a sleeping body woke up and nothing has moved yet."""
        state = self.bodies
        kinematic = self._set_time(t_next) if began is None else began
        impacts = self._impacts(t_next - state.t, h_step, last)
        h = t_next - state.t
        solved = self._solve_within_reach(t_next, h_step, impacts.shift)
        first = np.inf if last else self._first_impact(solved)
        if first < h - SHORTEST * h_step:
            h = max(first, SHORTEST * h_step)
            t_next = state.t + h
            kinematic = self._set_time(t_next)
            solved = self._solve_within_reach(t_next, h_step, impacts.shift)
        if self._sleeping.wake_by_impulses(self._contacts, self._problem, self._warm_start):
            return None
        if solved.at_once and self._quiet is not None:
            if not (solved.overlap and self._overlaps.is_needed(self._contacts)):
                return self._end_at_once(solved, t_next, h_step)
        shift = np.zeros_like(self._u) if impacts.shift is None else impacts.shift
        paid = self._finish_contacts(solved, shift)
        self._move_bodies(h, t_next, shift, solved.alone)
        if paid is not None:
            self._overlaps.keep(slow_down(self._arrays, state, self._L, paid))
        kinematic.finish(state)
        if self._motors:
            self._motors.commit()
        fits = self._close_joints()
        state.t = t_next
        outcome = solved.outcome
        iterations = impacts.iterations + outcome.iterations + fits
        return StepReport(
            iterations, outcome.residual / max(solved.speed, 1e-300),
            converged=outcome.residual <= self._accepted(solved.speed),
        )  # fmt: skip

    def _end_at_once(self, solved: SolvedPiece, t_next: float, h_step: float) -> StepReport:
        """The last piece of a step of h_step [s] without impacts to its end, in one call."""
        state, seen, touched = self.bodies, self._observed, self._touched
        assert seen is not None and touched is not None
        (made, fits, code, body), kept = touched.end(
            self._piece, self._quiet, seen.arrays, self._contacts, solved
        )
        if made == POSE_FAILED:
            spin = float(np.linalg.norm(self._u[body, 3:]))
            raise pose_failure(self._model, code, body, spin, solved.h, t_next)
        self._warm_start.keep(kept)
        if self._motors:
            self._motors.commit()
        state.t = t_next
        if made == OPEN:
            fits = correct_joint_drift(self._joints, self._solver, state, self._L)
        if made != STEPPED:
            self._fall_asleep(h_step, counted=made == READY)
            seen.end_step(self._joints.angle)
        seen.stepped(solved.h)
        self._ended = True
        outcome, speed = solved.outcome, solved.speed
        return StepReport(
            outcome.iterations + fits, outcome.residual / max(speed, 1e-300),
            converged=outcome.residual <= self._accepted(speed),
        )  # fmt: skip

    def _close_joints(self) -> int:
        """Correct the drift of joints at the new poses; returns the iterations."""
        jointed = self._jointed
        done = None if jointed is None else jointed.close(self._piece)
        if done is None:
            done = correct_joint_drift(self._joints, self._solver, self.bodies, self._L)
        return done

    def _solve_within_reach(self, t_next: float, h_step: float, shift: Array | None) -> SolvedPiece:
        """Solve the piece that ends at t_next [s] with all contacts that its solution can close.

        Where a body moves farther than these were sought (`search_again`), they are sought again,
        and the piece is solved again if one of them would close, else the solution stays.
        """
        h = t_next - self.bodies.t
        solved = self._solve(h, self._slow_approaches(h_step))
        for _ in range(MAX_SEARCHES):
            least = self._least.copy()
            if self._law is None or not moved_farther(self._piece, h):
                break
            problem, state, known = self._problem, self.bodies, self._solution()
            self._warm_start.update(self._contacts, problem, state.x, state.R, h)
            self._seek_again(t_next, shift)
            if not solved.at_once and not self._crosses(known.u, h):
                self._least[...] = least
                self._seek_again(t_next, shift)
                self._take_back(known)
                break
            solved = self._solve(h, self._slow_approaches(h_step))
        self._least[...] = 0.0
        return solved

    def _solution(self) -> _Solution:
        """Of the piece that was solved last; copies."""
        problem = self._problem
        rows = slice(problem.n_rows)
        return _Solution(
            self._u.copy(), problem.lam[rows].copy(), problem.c[rows].copy(),
            self._warm_start.solved,
        )  # fmt: skip

    def _take_back(self, known: _Solution) -> None:
        """Go on with a solution; the contacts are those that it was found with."""
        problem = self._problem
        rows = slice(problem.n_rows)
        self._warm_start.keep(known.warm)
        problem.lam[rows], problem.c[rows] = known.lam, known.c
        self._u[...] = known.u

    def _seek_again(self, t_next: float, shift: Array | None) -> None:
        """Find contacts, and set rows, of the piece that ends at t_next [s], from its start on.

        `shift` (n, 6) [m, rad] is what impacts within the piece add to the displacement by u.
        """
        self._set_time(t_next)
        if shift is not None and self._contacts.count:
            moved = self._problem.rates(shift)[self._problem.normals()]
            self._contacts.points.gap[...] += moved

    def _crosses(self, u: Array, h: float) -> bool:
        """Whether a contact closes within h [s] with the velocities u (n, 6), beyond rounding."""
        contacts = self._contacts
        if not contacts.count:
            return False
        end = contacts.points.gap + h * self._problem.rates(u)[self._problem.normals()]
        start = np.minimum(contacts.points.gap, 0.0)
        return bool((end < start - MAX_OVERLAP * contacts.smaller_size).any())

    def _solve(self, h: float, slow: Array) -> SolvedPiece:
        """The velocities u at the end of a piece of h [s]."""
        state, problem, u, contacts = self.bodies, self._problem, self._u, self._contacts
        if self._jointed is not None and not contacts.count:
            done = self._jointed.solve(self._piece, h)
            if done is not None:
                outcome, speed = done
                self._check_residual(outcome, speed, state.t + h)
                alone = self._single & ~self._sleeping.asleep
                return SolvedPiece(h, speed, outcome, _NONE, alone, False, _NOTHING)
        if self._touched is not None and contacts.count:
            alone = self._single & ~self._sleeping.asleep
            found = self._touched.solve(self._piece, contacts, self._warm_start.solved, alone, h)
            if found is not None:
                self._check_residual(found.outcome, found.speed, state.t + h)
                return found
        self._joints.take_rates(state.v, state.omega)
        mu, later, start = _NOTHING, _NONE, _NOTHING
        if contacts.count:
            mu = self._friction(u)
            if contacts.bounces:
                later, start = will_bounce(contacts, problem, u, slow), u.copy()
        speed = begin_solve(
            self._piece, self._joints.arrays, problem.arrays, contacts.points.gap, h,
            self._joint_force,
        )  # fmt: skip
        outcome = Outcome(0, 0.0, -1)
        if problem.n_rows:
            if contacts.count:
                self._first_impulses(h, FREE * speed, later)
            problem.apply(problem.lam, u)
            outcome = self._solver.solve_step(u, mu, TOLERANCE * speed)
            self._check_residual(outcome, speed, state.t + h)
        alone, overlap = self._single & ~self._sleeping.asleep, False
        if contacts.count:
            overlap = mark_free_bodies(
                self._piece, problem.arrays, contacts.points, contacts.body_size, h, alone
            )
        return SolvedPiece(h, speed, outcome, later, alone, overlap, start)

    def _accepted(self, speed: float) -> float:
        """[m/s] the largest residual of a step that counts as solved."""
        return self._solver_tolerance or ACCEPTED * speed

    def _first_impulses(self, h: float, free: float, later: BoolArray) -> None:
        """Impulses of contacts as in the last step; those that bounce `later` get none.

        The bias `free` [m/s] keeps them away.
        """
        state, problem = self.bodies, self._problem
        self._warm_start.initialise(self._contacts, problem, state.x, state.R, h)
        if later.any():
            problem.c[problem.normals()][later] += free
            for k in range(3):
                problem.lam[problem.n_joint + k : problem.n_rows : 3][later] = 0.0

    def _check_residual(self, outcome: Outcome, speed: float, t: float) -> None:
        """Warn, once, of a residual that is not acceptable; joints that contradict end the run."""
        wanted = self._accepted(speed)
        if outcome.residual <= wanted:
            return
        problem, sentence = self._problem, unsolved(self._model, self._problem, outcome, wanted)
        if outcome.row < problem.n_joint and not outcome.residual <= MAX_JOINT_ERROR * speed:
            raise RunError(sentence, t)
        if not self._warned:
            self._warned = True
            warnings.warn(
                f"at t = {t:.6g} s {sentence}. The run goes on with the best impulses; "
                "`result.stats` has the residual of every step",
                ResidualWarning, stacklevel=2,
            )  # fmt: skip

    def _finish_contacts(self, solved: SolvedPiece, shift: Array) -> Payment | None:
        """Correct overlaps by `shift` (n, 6) [m, rad]; keep impulses and the gaps at the end.

        Returns what that costs, None where no overlap is corrected.
        """
        paid: Payment | None = None
        state, problem, contacts, h = self.bodies, self._problem, self._contacts, solved.h
        if problem.n_joint:
            self._joint_force[...] = problem.lam[: problem.n_joint] / h
        if self._observed is not None:
            amount = self._joints.forces(self._joint_force)
            self._observed.add(amount, self._joints.G, state.R, h)
        if self._law is None:
            return None
        if contacts.count:
            if solved.overlap:
                start = np.concatenate((state.v, state.spin), axis=1)
                loads = np.hstack((self._force, self._torque))
                motion = StepMotion(state.x, start, self._u, loads, solved.alone)
                paid = self._overlaps.correct(contacts, self._solver, h, motion, shift)
            end_gaps(self._piece, problem.arrays, contacts.points.gap, h, solved.alone, shift)
        self._warm_start.update(contacts, problem, state.x, state.R, h)
        return paid

    def _move_bodies(self, h: float, t: float, shift: Array, alone: BoolArray) -> None:
        """The poses at the time t [s], the end of a piece of h [s]."""
        code, body = move(self._piece, h, alone, shift)
        if code != DONE:
            spin = float(np.linalg.norm(self._u[body, 3:]))
            raise pose_failure(self._model, code, body, spin, h, t)
