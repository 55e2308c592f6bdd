"""One piece of a step of `StewartTrinkle`: rows, impacts, impulses, displacements."""

import warnings
from typing import Any

import numpy as np

from dovetail.collision.narrow_phase.contact_points import contact_points
from dovetail.contact.impact.generations import reflect
from dovetail.contact.impact.records import Hypothesis
from dovetail.contact.impact.time_of_impact import times_of_impact
from dovetail.contact.impulse.friction import friction_coefficients
from dovetail.contact.impulse.joint_rows import JointRows
from dovetail.contact.impulse.law import LcpLaw
from dovetail.contact.impulse.position_correction import correct_overlaps
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.contact.impulse.records import ContactMaterials, ContactSet, Outcome
from dovetail.contact.impulse.solver import ContactSolver, ImpulseSolver
from dovetail.contact.impulse.warm_start import WarmStart
from dovetail.contact.law import RowImpulseLaw
from dovetail.errors import RunError
from dovetail.integrators.interface import StepReport
from dovetail.integrators.shared.impulse_poses import (
    DONE,
    load_speeds,
    momenta,
)
from dovetail.integrators.shared.observed_joints import ObservedJoints
from dovetail.integrators.stewart_trinkle.contact_kernels import (
    end_gaps,
    friction_at_slip,
    mark_free_bodies,
)
from dovetail.integrators.stewart_trinkle.failures import ResidualWarning, pose_failure, unsolved
from dovetail.integrators.stewart_trinkle.joint_drift import correct_joint_drift
from dovetail.integrators.stewart_trinkle.kinematic_bodies import KinematicMotion, kinematic_motion
from dovetail.integrators.stewart_trinkle.piece_kernels import (
    begin,
    begin_solve,
    bundle_piece,
    finish_loads,
    move,
    set_reach,
    set_rows,
)
from dovetail.integrators.stewart_trinkle.pieces import (
    PieceImpacts,
    SolvedPiece,
    impact_contacts,
    slow_approaches,
    will_bounce,
)
from dovetail.integrators.stewart_trinkle.sleeping import Sleeping
from dovetail.model.frozen import DYNAMIC, KINEMATIC, Model
from dovetail.model.values import Array
from dovetail.multibody.freedoms import body_arrays
from dovetail.multibody.inputs import BodyInputs
from dovetail.multibody.state import BodyState
from dovetail.runtime.records import BoolArray

TOLERANCE = 1e-8  # of the largest speed: wanted residual of the laws of contacts and joints
ACCEPTED = 1e-2  # of it: a larger residual is worth a warning
MAX_JOINT_ERROR = 0.1  # of it: joints that miss by more contradict each other
MAX_ROUNDS = 20  # of impacts at one time
SHORTEST = 1e-9  # of the step: a piece is not shorter
FREE = 1e6  # times the speed: a bias that leaves a contact without impulse

_NOTHING: Array = np.zeros(0)
_NONE = np.zeros(0, np.bool_)
_NO_CONTACTS = ContactSet(
    contact_points(0), np.zeros((0, 2)), ContactMaterials(*(np.zeros(0) for _ in range(5)))
)


class PieceStepper:
    """Advances the state by a step, or by the piece of it that ends at the first impact.

    The law finds the contacts of a step with their materials and provides the solver for the
    impulses; nothing else is asked of it.
    """

    def __init__(self, model: Model, law: RowImpulseLaw | None) -> None:
        self._model, self._law = model, law
        self._arrays = body_arrays(model)
        self._joints = JointRows(model, with_friction=True)
        self._joints.solve_friction()
        system = self._joints.system
        self._loads, self._motors = system.loads, system.motors
        self._inputs = BodyInputs(self._loads.compiled)
        self.bodies: BodyState = system.initial
        n = model.n_bodies
        self._problem = ImpulseProblem(self._arrays, self._joints)
        self._solver: ImpulseSolver = (
            ContactSolver(self._problem) if law is None else law.solver(self._problem)
        )
        self._contacts, self._warm_start = _NO_CONTACTS, WarmStart()
        self._hypothesis: Hypothesis = getattr(law, "hypothesis", "poisson")
        self._all_loads = np.zeros((n, 6))  # forces and torques, those of sleeping bodies too
        self._sleeps = bool(getattr(law, "sleeps", False))
        self._solver_tolerance: float | None = getattr(self._solver, "tolerance", None)
        self._warned = False
        self._kinematic = np.flatnonzero(model.motion == KINEMATIC)
        self._moves = model.motion == DYNAMIC
        self._radius = np.zeros(n) if law is None else law.bounding_radius
        self._radius = np.where(np.isfinite(self._radius), self._radius, 0.0)
        self._L, self._u = np.zeros((n, 3)), np.zeros((n, 6))
        self._force, self._torque = np.zeros((n, 3)), np.zeros((n, 3))
        self._joint_force = np.zeros(self._joints.count)
        self._loaded, self._displacement = np.zeros((n, 6)), np.zeros(n)
        self._nobody, self._awake = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
        self._in_joint = np.zeros(n, np.bool_)
        jointed = self._joints.bodies[self._joints.which].ravel()
        self._in_joint[jointed[jointed >= 0]] = True
        self._single = self._moves & ~self._in_joint
        self._sleeping = Sleeping(self._single, self._radius)
        self._problem.softness, self._problem.bound = self._joints.softness, self._joints.bound
        state = self.bodies
        self._piece: Any = bundle_piece(
            self._arrays, self._loads.compiled, state.x, state.R, state.v, state.omega, self._L,
            self._u, self._loaded, self._force, self._torque, self._all_loads, self._radius,
            self._displacement, self._sleeping.asleep, self._awake,
        )  # fmt: skip
        momenta(self._arrays, self.bodies.R, self.bodies.spin, self._L)
        self._stop_fixed_directions()
        self._motors.set_time(0.0, 0.0)
        self._joints.at(self.bodies.x, self.bodies.R)
        self._observed: ObservedJoints | None = None
        if model.joints:
            self._observed = ObservedJoints(model, system, self.bodies)
            self._observed.start(self._joints.angle)
        if law is not None:
            self._record_initial_contacts(law)

    def _stop_fixed_directions(self) -> None:
        """No velocity along fixed directions."""
        state, arrays = self.bodies, self._arrays
        for i in np.flatnonzero(self._moves):
            state.v[i, arrays.inverse_mass[i] == 0.0] = 0.0
            if self._model.fixed[i, 3:].any():
                spin = state.R[i] @ state.omega[i]
                spin[self._model.fixed[i, 3:]] = 0.0
                state.omega[i] = state.R[i].T @ spin

    def _record_initial_contacts(self, law: RowImpulseLaw) -> None:
        x, R = self.bodies.x, self.bodies.R
        self._contacts = law.find_contacts(x, R, np.zeros(self._model.n_bodies))
        self._set_velocities()
        self._problem.set_contacts(x, R, self._u, self._contacts.points)
        self._warm_start.update(self._contacts, self._problem, x, R, 1.0)

    def _set_velocities(self) -> None:
        """u of the current state."""
        self._u[:, :3] = self.bodies.v
        self._u[:, 3:] = self.bodies.spin

    def _advance(self, t_next: float, h_step: float, last: bool) -> StepReport:
        """One piece of a step of h_step [s], which ends at t_next if it is the last."""
        report = self._try_advance(t_next, h_step, last)
        while report is None:  # an impulse on a sleeping body woke its island
            report = self._try_advance(t_next, h_step, last)
        return report

    def _try_advance(self, t_next: float, h_step: float, last: bool) -> StepReport | None:
        """The same, or None where a sleeping body woke up and nothing has moved yet."""
        state = self.bodies
        kinematic = self._set_time(t_next)
        impacts = self._impacts(t_next - state.t, h_step, last)
        h, slow = t_next - state.t, self._slow_approaches(h_step)
        solved = self._solve(h, slow)
        first = np.inf if last else self._first_impact(solved)
        if first < h - SHORTEST * h_step:
            h = max(first, SHORTEST * h_step)
            kinematic = self._set_time(state.t + h)
            slow = self._slow_approaches(h_step)
            solved = self._solve(h, slow)
            t_next = state.t + h
        if self._sleeping.wake_by_impulses(self._contacts, self._problem, self._warm_start):
            return None
        self._finish_contacts(solved, impacts.shift)
        self._move_bodies(h, t_next, impacts.shift, solved.alone)
        kinematic.finish(state)
        if self._motors:
            self._motors.commit()
        fits = correct_joint_drift(self._joints, self._solver, state, self._L)
        state.t = t_next
        outcome = solved.outcome
        iterations = impacts.iterations + outcome.iterations + fits
        return StepReport(
            iterations, outcome.residual / max(solved.speed, 1e-300),
            converged=outcome.residual <= self._accepted(solved.speed),
        )  # fmt: skip

    def _solve(self, h: float, slow: Array) -> SolvedPiece:
        """The velocities u at the end of a piece of h [s]."""
        state, problem, u, contacts = self.bodies, self._problem, self._u, self._contacts
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

    def _friction(self, u: Array) -> Array:
        """(contacts,) mu at the slip in u (n, 6)."""
        contacts, problem = self._contacts, self._problem
        if contacts.curves:
            return friction_coefficients(contacts, problem, u)
        mu = np.empty(contacts.count)
        friction_at_slip(problem.arrays, contacts.materials, u, mu)
        return mu

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

    def _set_time(self, t_end: float) -> KinematicMotion:
        """Motors, loads, joints and velocities of a piece from now to t_end."""
        state = self.bodies
        kinematic = kinematic_motion(self._model, self._kinematic, state, t_end)
        self._motors.set_time(state.t, t_end)
        self._set_wrenches()
        kinematic.set_velocities(self._u)
        sleeping, h = self._sleeping, t_end - state.t
        if sleeping.wake_by_loads(self._all_loads, self._warm_start):
            self._restore_loads()
        self._set_rows(h)
        while sleeping.wake_by_contacts(
            self._contacts, self._problem, self._loaded, h, self._warm_start
        ):
            self._restore_loads()
            self._set_rows(h)
        return kinematic

    def _restore_loads(self) -> None:
        """The loads of bodies that are awake."""
        awake = ~self._sleeping.asleep
        self._force[awake], self._torque[awake] = (
            self._all_loads[awake, :3],
            self._all_loads[awake, 3:],
        )

    def _set_rows(self, h: float) -> None:
        """The rows of joints and of the contacts within reach of h [s]."""
        state, problem = self.bodies, self._problem
        if self._law is not None:
            awake = self._awake if set_reach(self._piece, h) else None
            self._contacts = self._find(state.x, state.R, self._displacement, awake)
        rows = problem.begin_rows(state.R, self._contacts.count)
        set_rows(self._piece, rows, self._contacts.points, h)

    def _find(self, x: Array, R: Array, displacement: Array, awake: BoolArray | None) -> ContactSet:
        """The contacts of bodies that are awake, or move by themselves."""
        law = self._law
        assert law is not None
        if awake is not None and isinstance(law, LcpLaw):
            return law.find_contacts(x, R, displacement, awake)
        return law.find_contacts(x, R, displacement)

    def _set_wrenches(self) -> None:
        """Velocities, rows of joints, and loads at the current state but dampers, which are rows.

        The loads of sleeping bodies do not act.
        """
        joints = self._joints.arrays
        begin(self._piece, joints)
        if self._loads.functions:
            self._loads.functions.add_wrenches(self.bodies, self._force, self._torque)
        finish_loads(self._piece, joints)

    def _slow_approaches(self, h_step: float) -> Array:
        """(contacts,) [m/s] approaches that do not bounce."""
        if not self._contacts.count or not self._contacts.bounces:
            return _NOTHING
        return slow_approaches(self._contacts, self._load_speeds(h_step))

    def _load_speeds(self, h: float) -> Array:
        """(n,) [m/s] what loads add to the speed of each body in the step."""
        speed = np.empty(len(self._force))
        load_speeds(h, self._arrays, self._force, speed)
        return speed

    def _impacts(self, h: float, h_step: float, last: bool) -> PieceImpacts:
        """Reflect what touches, or what closes within h [s] if this is the last piece.

        The contacts are those that the velocities after the impacts reach.
        """
        if not (self._contacts.count and self._contacts.bounces):
            return PieceImpacts(np.zeros_like(self._u), 0)
        state, u, moves = self.bodies, self._u, self._moves
        before, shift = u.copy(), np.zeros_like(u)
        time, iterations, added = np.full(len(u), np.inf), 0, self._load_speeds(h_step)
        for _ in range(MAX_ROUNDS):
            contacts = self._contacts
            if not contacts.bounces:
                break
            hits = reflect(
                self._solver, u, self._friction(u), impact_contacts(contacts, added),
                h if last else 0.0, self._hypothesis,
            )  # fmt: skip
            if not len(hits.impulses):
                break
            iterations += hits.iterations
            time = np.minimum(time, hits.time)
            if self._observed is not None:
                amount = self._joints.along_rows(hits.impulses[: self._problem.n_joint])
                self._observed.add_impulses(amount, self._joints.G, state.R)
            self._warm_start.add_impacts(self._contacts, self._problem, hits.impulses)
            state.v[moves] = u[moves, :3]
            state.omega[moves] = np.einsum("nji,nj->ni", state.R[moves], u[moves, 3:])
            momenta(self._arrays, state.R, np.ascontiguousarray(u[:, 3:]), self._L)
            self._set_rows(h)
        if iterations and last:
            time = np.where(np.isfinite(time) & moves, time, 0.0)
            shift = time[:, None] * (before - u)  # x + time before + (h - time) u
            self._contacts.points.gap[...] += self._problem.rates(shift)[self._problem.normals()]
        return PieceImpacts(shift, iterations)

    def _fall(self) -> Array:
        """(n, 6) [m/s^2] how constant loads change the velocity of a free body."""
        fall = np.zeros_like(self._u)
        fall[:, :3] = self._loads.compiled.force * self._arrays.inverse_mass
        return fall

    def _first_impact(self, solved: SolvedPiece) -> float:
        """[s] into the solved piece when the first contact that bounces closes, inf: none does."""
        if not solved.later.any():
            return np.inf
        normals, start, u = self._problem.normals(), solved.start, self._u.copy()
        u[solved.alone, :3] = start[solved.alone, :3]
        rates = self._problem.rates(u)[normals].copy()
        gained = np.where(solved.alone[:, None], self._fall(), 0.0)
        accelerations = self._problem.rates(gained)[normals]
        times = times_of_impact(self._contacts.points.gap, rates, accelerations)
        return float(times[solved.later].min())

    def _finish_contacts(self, solved: SolvedPiece, shift: Array) -> None:
        """Correct overlaps by `shift` (n, 6) [m, rad]; keep impulses and the gaps at the end."""
        state, problem, contacts, h = self.bodies, self._problem, self._contacts, solved.h
        if problem.n_joint:
            self._joint_force[...] = problem.lam[: problem.n_joint] / h
        if self._observed is not None:
            amount = self._joints.forces(self._joint_force)
            self._observed.add(amount, self._joints.G, state.R, h)
        if self._law is None:
            return
        if contacts.count:
            if solved.overlap:
                correct_overlaps(contacts, self._solver, h, self._u, shift)
            end_gaps(self._piece, problem.arrays, contacts.points.gap, h, solved.alone, shift)
        self._warm_start.update(contacts, problem, state.x, state.R, h)

    def _move_bodies(self, h: float, t: float, shift: Array, alone: BoolArray) -> None:
        """The poses at the time t [s], the end of a piece of h [s]."""
        code, body = move(self._piece, h, alone, shift)
        if code != DONE:
            spin = float(np.linalg.norm(self._u[body, 3:]))
            raise pose_failure(self._model, code, body, spin, h, t)
