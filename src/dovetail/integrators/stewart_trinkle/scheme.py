"""Time stepping with impulses: rigid contact, friction, impacts, joints."""

from typing import ClassVar

import numpy as np

from dovetail.collision.narrow_phase.contact_points import contact_points
from dovetail.contact.impulse.friction import friction_coefficients
from dovetail.contact.impulse.joint_rows import JointRows
from dovetail.contact.impulse.position_correction import correct_overlaps
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.contact.impulse.records import ContactMaterials, ContactSet, Outcome
from dovetail.contact.impulse.restitution import Impacts, impacts
from dovetail.contact.impulse.solver import ContactSolver, ImpulseSolver
from dovetail.contact.impulse.warm_start import WarmStart
from dovetail.contact.law import ContactMethod, ContactReport, LawKind, RowImpulseLaw
from dovetail.integrators.interface import Observation, Snapshot, StepReport
from dovetail.integrators.pairing import prepared_law
from dovetail.integrators.shared.impulse_poses import DONE, apply_loads, drift, kinetic, momenta
from dovetail.integrators.shared.impulse_stepper import ImpulseStepper
from dovetail.integrators.shared.snapshots import part_of, prefixed
from dovetail.integrators.stewart_trinkle.failures import pose_failure, unsolved
from dovetail.integrators.stewart_trinkle.joint_drift import correct_joint_drift
from dovetail.integrators.stewart_trinkle.kinematic_bodies import kinematic_motion
from dovetail.model.frozen import DYNAMIC, KINEMATIC, Model
from dovetail.model.values import Array
from dovetail.multibody.constraints.bodies import JOINT, MOTOR
from dovetail.multibody.constraints.rows import row_rate
from dovetail.multibody.freedoms import body_arrays
from dovetail.multibody.loads.wrenches import position_wrenches
from dovetail.multibody.state import BodyState

TOLERANCE = 1e-8  # of the largest speed: wanted residual of the laws of contacts and joints
ACCEPTED = 1e-6  # of it: beyond this the run ends

_NO_CONTACTS = ContactSet(
    contact_points(0), np.zeros((0, 2)), ContactMaterials(*(np.zeros(0) for _ in range(5)))
)


class StewartTrinkle:
    """Semi-implicit Euler with impulses (Stewart and Trinkle 1996, Anitescu and Potra 1997).

    Contacts, limits, joints, motors and dampers are solved for together:
        u' = u + M^-1 (h f + J^T lambda),   0 <= lambda_N _|_ J_N u' + gap / h >= 0,
    friction in a pyramid or cone, then x' = x + h u', and R' = R exp(f) with the rotation f of a
    free body of that momentum. A positive gap may be closed but not crossed, so bodies do not sink;
    overlaps left by rounding or by the rotation are corrected by a second solve that moves poses
    only and so adds no energy. First order; bodies that touch nothing and have no joints fly as
    under LieVerlet.
    """

    name: ClassVar[str] = "StewartTrinkle"
    order: ClassVar[int] = 1
    order_alone: ClassVar[int] = 2  # of bodies that touch nothing
    takes: ClassVar[frozenset[LawKind]] = frozenset({"impulse"})
    takes_joints: ClassVar[bool] = True
    keeps_momentum: ClassVar[bool] = True

    def __repr__(self) -> str:
        return "StewartTrinkle()"

    def start(
        self, model: Model, contact: ContactMethod | None
    ) -> "StewartTrinkleStepper | ImpulseStepper":
        law = prepared_law(self, model, contact)
        if law is None or isinstance(law, RowImpulseLaw):
            return StewartTrinkleStepper(model, law)
        return ImpulseStepper(model, law)


class StewartTrinkleStepper:
    """One run of `StewartTrinkle`.

    The law finds the contacts of a step with their materials and provides the solver for the
    impulses; the stepper asks nothing else of it.
    """

    def __init__(self, model: Model, law: RowImpulseLaw | None) -> None:
        self._model, self._law = model, law
        self._arrays = body_arrays(model)
        self._joints = JointRows(model)
        system = self._joints.system
        self._loads, self._motors = system.loads, system.motors
        self.bodies: BodyState = system.initial
        n = model.n_bodies
        self._problem = ImpulseProblem(self._arrays, self._joints)
        self._solver: ImpulseSolver = (
            ContactSolver(self._problem) if law is None else law.solver(self._problem)
        )
        self._contacts, self._warm_start = _NO_CONTACTS, WarmStart()
        self._kinematic = np.flatnonzero(model.motion == KINEMATIC)
        self._moves = model.motion == DYNAMIC
        self._radius = np.zeros(n) if law is None else law.bounding_radius
        self._radius = np.where(np.isfinite(self._radius), self._radius, 0.0)
        self._L, self._u = np.zeros((n, 3)), np.zeros((n, 6))
        self._force, self._torque = np.zeros((n, 3)), np.zeros((n, 3))
        self._joint_impulse = np.zeros(self._joints.count)
        self._in_joint = np.zeros(n, np.bool_)
        jointed = self._joints.bodies[self._joints.which].ravel()
        self._in_joint[jointed[jointed >= 0]] = True
        momenta(self._arrays, self.bodies.R, self.bodies.spin, self._L)
        self._stop_fixed_directions()
        self._motors.set_time(0.0, 0.0)
        self._joints.at(self.bodies.x, self.bodies.R)
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
        self._warm_start.update(self._contacts, self._problem, x, R, 1.0, np.zeros(0))

    def _set_velocities(self) -> None:
        """u of the current state."""
        self._u[:, :3] = self.bodies.v
        self._u[:, 3:] = self.bodies.spin

    def step(self, t_next: float) -> StepReport:
        state, problem, u = self.bodies, self._problem, self._u
        h = t_next - state.t
        kinematic = kinematic_motion(self._model, self._kinematic, state, t_next)
        self._motors.set_time(state.t, t_next)
        self._joints.at(state.x, state.R)
        self._set_wrenches()
        self._set_velocities()
        kinematic.set_velocities(u)
        speed = self._largest_speed(h)
        self._set_rows(h)
        contacts = self._contacts
        targets = self._joints.targets(h)
        problem.softness = targets.softness
        mu = friction_coefficients(contacts, problem, u)
        hits = self._impacts(h, mu) if contacts.count else Impacts(np.zeros(0), 0)
        v, L = state.v, self._L
        if len(hits.impulses):
            v, L = u[:, :3].copy(), self._L.copy()
            momenta(self._arrays, state.R, np.ascontiguousarray(u[:, 3:]), L)
        apply_loads(self._arrays, state.R, L, v, h, self._force, self._torque, u)
        outcome = Outcome(0, 0.0, -1)
        if problem.n_rows:
            problem.c[: problem.n_joint] = targets.c
            problem.lam[: problem.n_joint] = self._joint_impulse
            problem.c[problem.normals()] = np.maximum(contacts.points.gap, 0.0) / h
            self._warm_start.initialise(contacts, problem, state.x, state.R, h)
            problem.apply(problem.lam, u)
            outcome = self._solver.solve_step(u, mu, TOLERANCE * speed)
            if not outcome.residual <= ACCEPTED * speed:
                raise unsolved(self._model, problem, outcome, TOLERANCE * speed, t_next)
            self._joint_impulse = problem.lam[: problem.n_joint].copy()
        shift = np.zeros_like(u)
        if contacts.count:
            correct_overlaps(contacts, self._solver, h, u, shift)
        if self._law is not None:
            gap = contacts.points.gap
            gap[...] = gap + h * problem.rates(u)[problem.normals()]
            gap += problem.rates(shift)[problem.normals()]
            self._warm_start.update(contacts, problem, state.x, state.R, h, hits.impulses)
        self._move_bodies(h, t_next, shift)
        kinematic.finish(state)
        if self._motors:
            self._motors.commit()
        fits = correct_joint_drift(self._joints, self._solver, state, self._L)
        state.t = t_next
        iterations = hits.iterations + outcome.iterations + fits
        return StepReport(iterations, outcome.residual / max(speed, 1e-300))

    def _set_rows(self, h: float) -> None:
        """The rows of joints and of the contacts within reach of the step."""
        state = self.bodies
        if self._law is not None:
            displacement = self._displacement_bounds(h)
            self._contacts = self._law.find_contacts(state.x, state.R, displacement)
        self._problem.set_joints(state.R)
        if self._law is not None:
            loaded = self._loaded_velocities(h)
            self._problem.set_contacts(state.x, state.R, loaded, self._contacts.points)

    def _loaded_velocities(self, h: float) -> Array:
        """(n, 6) velocities after the loads, along which a contact at rest would begin to slip."""
        state, u = self.bodies, self._u.copy()
        apply_loads(self._arrays, state.R, self._L, state.v, h, self._force, self._torque, u)
        return u

    def _set_wrenches(self) -> None:
        """Loads at the current state but dampers, which are rows."""
        state = self.bodies
        position_wrenches(self._loads.compiled, state.x, state.R, self._force, self._torque)
        if self._loads.functions:
            self._loads.functions.add_wrenches(state, self._force, self._torque)
        self._joints.add_efforts(state.R, self._force, self._torque)

    def _point_speeds(self) -> Array:
        """(n,) [m/s] bound on the speed of any point of each body."""
        u = self._u
        linear, angular = np.linalg.norm(u[:, :3], axis=1), np.linalg.norm(u[:, 3:], axis=1)
        return np.asarray(linear + self._radius * angular)

    def _load_speeds(self, h: float) -> Array:
        """(n,) [m/s] what loads add to the speed of each body in the step."""
        return np.asarray(h * np.linalg.norm(self._force * self._arrays.inverse_mass, axis=1))

    def _largest_speed(self, h: float) -> float:
        """[m/s] the largest speed of any point that the step can know of."""
        return float((self._point_speeds() + self._load_speeds(h)).max(initial=0.0)) or 1.0

    def _displacement_bounds(self, h: float) -> Array:
        """(n,) [m] how far a point of each body may move in the step."""
        return np.asarray(h * (self._point_speeds() + self._load_speeds(2.0 * h)))

    def _impacts(self, h: float, mu: Array) -> Impacts:
        """Reflect what closes within the step and is fast enough."""
        mass, arrays, R = self._model.mass, self._arrays, self.bodies.R
        return impacts(
            self._contacts, self._solver, self._u, h, mu, self._load_speeds(h),
            lambda u: float(kinetic(arrays, mass, R, u)),
        )  # fmt: skip

    def _move_bodies(self, h: float, t: float, shift: Array) -> None:
        """The poses at the time t [s], the end of the step."""
        state = self.bodies
        alone = self._moves & ~self._in_joint
        alone[self._contacts.points.body.ravel()] = False
        code, body = drift(
            h, self._arrays, self._u, alone, self._loads.compiled.force, shift, state.x, state.R,
            state.v, state.omega, self._L,
        )  # fmt: skip
        if code != DONE:
            spin = float(np.linalg.norm(self._u[body, 3:]))
            raise pose_failure(self._model, code, body, spin, h, t)

    def observe(self) -> Observation:
        joints, report = self._joints, ContactReport()
        if self._law is not None:
            record = self._warm_start.record()
            report = ContactReport(record, 0.0, float(record.gaps.min(initial=np.inf)))
        return Observation(
            contact=report,
            constraint_position=float(np.abs(joints.violations()).max(initial=0.0)),
            constraint_velocity=self._constraint_velocity(),
            stored_energy=joints.spring_energy(),
        )

    def _constraint_velocity(self) -> float:
        """The largest violation of any joint or motor at velocity level [m/s or rad/s]."""
        joints, state = self._joints, self.bodies
        rates, largest = joints.system.constants.rate, 0.0
        for r, role in zip(joints.which, joints.role):
            if role in (JOINT, MOTOR):
                violation = row_rate(joints.bodies, joints.G, r, state.v, state.omega) + rates[r]
                largest = max(largest, abs(violation))
        return largest

    def snapshot(self) -> Snapshot:
        state = self.bodies
        arrays: Snapshot = {
            "t": np.array(state.t), "x": state.x.copy(), "R": state.R.copy(), "v": state.v.copy(),
            "omega": state.omega.copy(), "L": self._L.copy(),
            "angle": self._joints.angle.copy(), "motors": self._motors.travel.copy(),
            "joints": self._joint_impulse.copy(),
        }  # fmt: skip
        return arrays | prefixed("contact", self._warm_start.snapshot())

    def restore(self, snapshot: Snapshot) -> None:
        state = self.bodies
        state.t = float(snapshot["t"])
        for name in ("x", "R", "v", "omega"):
            getattr(state, name)[...] = snapshot[name]
        self._L[...] = snapshot["L"]
        self._joints.angle[...] = snapshot["angle"]
        self._motors.travel[...] = snapshot["motors"]
        self._joint_impulse = snapshot["joints"].copy()
        self._warm_start.restore(part_of(snapshot, "contact"))
        self._motors.set_time(state.t, state.t)
        self._joints.at(state.x, state.R)
