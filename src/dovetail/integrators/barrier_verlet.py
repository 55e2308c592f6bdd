"""Lie group Stoermer-Verlet for bodies kept apart by a potential: second order, no decay."""

import math
from typing import Any, ClassVar

import numpy as np

from dovetail.contact.ipc.friction.coefficients import friction_laws
from dovetail.contact.ipc.law import IpcPotential
from dovetail.contact.ipc.model_bodies import ipc_bodies
from dovetail.contact.ipc.report import BODY_A, BODY_B, COLUMNS, GAP, NORMAL, POINT
from dovetail.contact.law import ContactMethod, ContactRecord, ContactReport, LawKind
from dovetail.errors import InputError, RunError
from dovetail.integrators.interface import JointValues, Observation, Snapshot, StepReport
from dovetail.integrators.lie_verlet import step as lie_verlet_step
from dovetail.integrators.lie_verlet.scheme import without_fixed_velocities
from dovetail.integrators.lie_verlet.step import HalfStep, Motion
from dovetail.integrators.pairing import prepared_law
from dovetail.integrators.shared.constrained_state import row_angles
from dovetail.integrators.shared.driven_bodies import DrivenBodies
from dovetail.integrators.shared.end_functions import EndFunctions
from dovetail.integrators.shared.impact_problem import ImpactProblem
from dovetail.integrators.shared.impact_step import StepBegin, fly_on, strike
from dovetail.integrators.shared.impulse_poses import apply_loads, momenta, turn_spins
from dovetail.integrators.shared.ipc_steps import IpcSteps
from dovetail.integrators.shared.joint_reactions import JointReactions
from dovetail.integrators.shared.load_derivatives import LoadDerivatives, LoadMatrix
from dovetail.integrators.shared.mean_forces import MeanForces
from dovetail.integrators.shared.observed_joints import (
    ObservedJoints,
    RowForces,
    contact_wrenches,
)
from dovetail.integrators.shared.potential_joints import PotentialJoints
from dovetail.integrators.shared.reactions import Reactions
from dovetail.integrators.shared.snapshots import part_of, prefixed
from dovetail.integrators.shared.substeps import Substeps
from dovetail.linalg.lie import so3
from dovetail.model.frozen import Model
from dovetail.model.values import Array, quote
from dovetail.multibody.constraints.actuation_rows import ROTORS, refuse
from dovetail.multibody.inputs import BodyInputs, Inputs
from dovetail.multibody.loads.forces import LoadForces
from dovetail.multibody.loads.wrenches import position_wrenches
from dovetail.multibody.state import BodyState, initial_state
from dovetail.runtime.options import named_parameters
from dovetail.runtime.records import BoolArray

REACH = 2.0  # of dhat, within which contacts may carry a force
TOLERANCE = 1e-11  # of the speeds in the velocity stage
LANDING = 0.25  # of the slowest impact: contacts that closed as fast when the step began land
START = 1e-3  # of the time in which the scene changes: the step that finds the first reactions
NO_CONTACTS = np.zeros((0, COLUMNS))


@named_parameters
class BarrierVerlet:
    """Kick, drift, keep apart, kick: free flight as under LieVerlet, contact without intersection.

    v += (h/2) (f + r)/m and likewise L; x^, R^ = free motion for h (Huang et al. 2022, eqs. 15-18);
    poses minimise m/2 |x - x^|^2 + 1/2 tr((R - R^) J (R - R^)^T) + barriers under the joints; then
    v += (h/2) f/m and impulses with J v = 0 for joints and 0 <= impulse _|_ J v >= 0 for contacts
    (friction and restitution included), whose mean is the reaction r expected of the next step.
    The displacement by the barrier is no velocity, so it adds no energy. Loads that change in the
    step, f(x, u), act as (f_0 + f_1)/2 (Newmark 1959, beta = 1/4, gamma = 1/2): stable for springs
    and dampers of any strength. Second order where
    contacts and joints last; impacts are found once a step.
    """

    name: ClassVar[str] = "BarrierVerlet"
    order: ClassVar[int] = 2
    takes: ClassVar[frozenset[LawKind]] = frozenset({"potential"})
    takes_joints: ClassVar[bool] = True
    takes_couplings: ClassVar[bool] = True
    keeps_momentum: ClassVar[bool] = True
    leaves_waypoints: ClassVar[bool] = True

    def __repr__(self) -> str:
        return "BarrierVerlet()"

    def start(self, model: Model, contact: ContactMethod | None) -> "BarrierVerletStepper":
        law = prepared_law(self, model, contact)
        if law is not None and not isinstance(law, IpcPotential):
            raise InputError(
                f"integrator {self.name} steps the barriers of IPC only; use ImplicitEuler for a "
                "potential from outside the package"
            )
        return BarrierVerletStepper(model, law)


class BarrierVerletStepper:
    """One run of `BarrierVerlet`."""

    def __init__(self, model: Model, law: IpcPotential | None) -> None:
        self._model, self._law, self._loads = model, law, LoadForces(model)
        self._state = state = without_fixed_velocities(model, initial_state(model))
        n = model.n_bodies
        self._joints: PotentialJoints | None = None
        if model.joints:
            bodies = ipc_bodies(model, touching=False)
            refuse(model, "BarrierVerlet", ROTORS)
            self._joints = PotentialJoints(model, bodies, state, newmark=True)
        rows = None if self._joints is None else self._joints.arrays
        self._solver = IpcSteps(model, law, state, rows, friction=False)
        self._springs = self._solver.springs(self._loads.compiled)
        self._barrier = self._solver.barrier
        laws = friction_laws(model, 0.0) if law is None else law.laws
        self._impacts = ImpactProblem(
            model, None if law is None else law.restitution, laws, self._barrier.dmin
        )
        self._driven = DrivenBodies(model, self._solver.radius, self._barrier.dhat)
        self._reactions = Reactions(n, self._impacts.joints.role)
        self._joint_reactions = JointReactions(model, self._impacts.joints.system)
        self._at_start: ObservedJoints | None = None
        if model.joints:
            self._at_start = ObservedJoints(model, self._impacts.joints.system, state)
        self._stepped = False
        self._joint_impact = np.zeros(len(self._impacts.joints.bodies))  # [N, N m] of the last step
        self._L, self._force, self._torque = np.zeros((3, n, 3))
        momenta(self._impacts.arrays, state.R, state.spin, self._L)
        self._has_rows = self._impacts.joints.count > 0
        no_joints = np.zeros(n, np.bool_)
        self._jointed = no_joints if self._joints is None else self._joints.jointed
        self._derivatives = LoadDerivatives(model, self._loads)
        self._functions = EndFunctions(model, self._loads.functions)
        self._half = HalfStep(np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3)))
        self._target_x, self._target_R = state.x.copy(), state.R.copy()
        self._means = MeanForces()
        self._contact_rows, self._contact_forces = NO_CONTACTS, np.zeros((0, 3))
        self._inputs = BodyInputs(self._loads.compiled)
        self._set_wrenches(0.0, 0.0)
        self._add_functions(self._functions.wrenches(state))
        self._begun = StepBegin(0.0, state.x, state.R, self._velocities())  # of the last step
        self._substeps = Substeps(self, self._advance)
        self._settle_start()

    def _settle_start(self) -> None:
        """Velocities that fit the joints and contacts, and the reactions of these, at the start."""
        state, impacts, rows = self._state, self._impacts, self._contacts()
        self._contact_rows, self._contact_forces = rows, np.zeros((len(rows), 3))
        if not self._has_rows and not len(rows):
            return
        h = START * self._time_scale()
        on = np.zeros(len(rows), np.int8)  # bodies that meet do so in the first step
        u = self._velocities()
        impacts.take(rows, state, u, h, self._motor_rates())
        impacts.release_dampers()
        self._resting(rows, u, h, on)
        self._set_velocities(u)
        dampers = impacts.damper_forces(u)
        self._reactions.clear()
        self._means.clear()
        fast = np.abs(impacts.rates(u)) > impacts.slow(self._force, h, 0.0)
        apply_loads(impacts.arrays, state.R, self._L, state.v, h, self._force, self._torque, u)
        impacts.take(rows, state, u, h, self._motor_rates())
        self._resting(rows, u, h, np.where(fast, 0, 1).astype(np.int8), dampers)

    def _time_scale(self) -> float:
        """[s] in which loads or speeds move a body by its radius."""
        size = float(self._solver.radius.max(initial=0.0)) or 1.0
        pulls = np.linalg.norm(self._force * self._impacts.arrays.inverse_mass, axis=1)
        speeds = np.linalg.norm(self._state.v, axis=1)
        pull, speed = float(pulls.max(initial=0.0)), float(speeds.max(initial=0.0))
        rate = max(math.sqrt(pull / size), speed / size)
        return 1.0 / rate if rate > 0.0 else 1.0

    @property
    def bodies(self) -> BodyState:
        return self._state

    def _velocities(self) -> Array:
        return np.concatenate((self._state.v, self._state.spin), axis=1)

    def _set_velocities(self, u: Array) -> None:
        state, moves = self._state, self._impacts.moves
        state.v[moves] = u[moves, :3]
        state.omega[moves] = np.einsum("nji,nj->ni", state.R[moves], u[moves, 3:])
        momenta(self._impacts.arrays, state.R, np.ascontiguousarray(u[:, 3:]), self._L)

    def _set_wrenches(self, t_before: float, t: float) -> None:
        """Loads, joint springs and motor efforts at the current pose.

        Without dampers, which are rows, and functions.
        """
        state = self._state
        self._force, self._torque = np.zeros_like(state.x), np.zeros_like(state.x)
        position_wrenches(self._loads.compiled, state.x, state.R, self._force, self._torque)
        joints = self._impacts.joints
        joints.system.motors.set_time(t_before, t)
        joints.at(self._state.x, self._state.R)
        joints.add_efforts(self._state.R, self._force, self._torque)

    def _add_functions(self, w: Array) -> None:
        """Let functions add w (n, 6) to the wrenches."""
        self._force, self._torque = self._force + w[:, :3], self._torque + w[:, 3:]

    def _motor_rates(self) -> Array | None:
        return None if self._joints is None else self._joints.motor_rates

    def _contacts(self) -> Array:
        return NO_CONTACTS if self._law is None else self._solver.contact_rows(REACH)

    def step(self, t_next: float) -> StepReport:
        report = self._substeps.step(t_next)
        self._stepped = True
        return report

    def _advance(self, t_next: float) -> StepReport:
        state, half = self._state, self._half
        h, t_before = t_next - state.t, state.t
        x_before, R_before = state.x.copy(), state.R.copy()
        self._begun = StepBegin(h, x_before, R_before, self._velocities())
        damping = self._set_targets(h, t_next)
        self._solver.set_loads(self._force, self._torque)
        solved = self._solver.step_to_targets(h, t_next)
        state.t = t_next
        moves = self._impacts.moves
        state.v[moves] = half.v[moves]
        self._move_driven(x_before, R_before, h)
        self._set_wrenches(t_before, t_next)
        if self._functions:
            self._end_with_functions(h, solved.tolerance, damping)
        else:
            self._end(h, solved.tolerance)
        self._impacts.joints.system.motors.commit()
        if len(self._driven.numbers) and self._law is not None:
            self._driven.warn_held_back(state, t_before, self._solver.bodies_in_contact)
        if self._joints is not None:
            self._joints.end_step(t_next, self._solver.bodies_in_contact)
        return StepReport(solved.iterations, solved.speed, near=solved.contacts > 0)

    def _end(self, h: float, slowest: float) -> None:
        """Second half kick with the wrenches of the end, and impulses there."""
        state, half, moves, u = self._state, self._half, self._impacts.moves, self._velocities()
        arrays, flown = (
            self._impacts.arrays,
            np.where(self._jointed[:, None, None], state.R, self._target_R),
        )
        apply_loads(arrays, flown, half.L, half.v, 0.5 * h, self._force, self._torque, u)
        turn_spins(arrays, flown, state.R, u)
        L = half.L + 0.5 * h * self._torque
        if self._end_velocities(u, h, slowest):
            self._set_velocities(u)
        else:  # nothing touched: the momentum stays as it is, to the bit
            state.v[moves] = u[moves, :3]
            state.omega[moves] = np.einsum("nji,nj->ni", state.R[moves], u[moves, 3:])
            self._L[moves] = L[moves]

    def _end_with_functions(self, h: float, slowest: float, damping: LoadMatrix | None) -> None:
        """As `_end`, with forces of functions that belong to the velocities they lead to."""
        others, before = (self._force, self._torque), self._reactions.snapshot()
        means = self._means.snapshot()

        def finish(w: Array) -> Array:
            self._force, self._torque = others
            self._add_functions(w)
            self._reactions.restore(before)
            self._means.restore(means)
            self._end(h, slowest)
            return self._velocities()

        assert damping is not None
        self._functions.solve(h, self._state.copy(), damping, finish)

    def _set_targets(self, h: float, t_next: float) -> LoadMatrix | None:
        """First half kick and the free motion of the step, into the solver's targets.

        Returns the damping of the user's functions.
        """
        state, wrench = self._state, self._reactions.wrench
        force, torque = self._force + wrench[:, :3], self._torque + wrench[:, 3:]
        now = Motion(state.x, state.R, state.v, state.omega, self._L, force, torque)
        self._target_x[...], self._target_R[...] = state.x, state.R
        unused = np.zeros_like(state.x)
        after = Motion(self._target_x, self._target_R, unused, unused, unused, unused, unused)
        code, body, _, residual = lie_verlet_step.drift(
            h, self._impacts.arrays, now, self._half, after
        )
        if code != lie_verlet_step.DONE:
            raise RunError(
                f"body {quote(self._model.names[body])} spins too fast for a step of {h:.3g} s "
                f"(relative residual {residual:.3g}): it must turn by less than pi rad in a step; "
                "use a smaller step",
                t_next,
            )
        targets = self._solver.targets
        targets[0][...], targets[1][...] = self._target_x, self._target_R
        self._driven.set_targets(state, t_next, targets)
        if self._joints is not None:
            near = 0.0 if self._law is None else self._barrier.dhat
            self._joints.set_time(t_next, near)
        return self._set_load_terms(h)

    def _set_load_terms(self, h: float) -> LoadMatrix | None:
        """How loads change in the step; returns the damping of the user's functions."""
        state, matrix, damping, u = self._state, None, None, self._velocities()
        constant = np.zeros((len(state.x), 6))
        if self._springs:
            constant += self._springs.begin_newmark(state, h)
        if self._joints is not None and self._joints.soft:
            springs, dampers = self._impacts.soft_wrenches(state.R, u)
            constant -= h * h * (0.25 * springs + 0.5 * dampers)
        if self._derivatives:
            stiffness, damping = self._derivatives.at(state, h)
            constant += 0.5 * h * h * damping.times(u)
            matrix = stiffness.plus(damping, 0.25 * h * h, 0.5 * h)
        if constant.any() or matrix is not None:
            self._solver.set_load_terms(matrix, constant)
        return damping

    def _move_driven(self, x: Array, R: Array, h: float) -> None:
        """Mean velocities of kinematic bodies over the step."""
        state = self._state
        for i in self._driven.numbers:
            state.v[i] = (state.x[i] - x[i]) / h
            state.omega[i] = state.R[i].T @ so3.log(state.R[i] @ R[i].T) / h

    def _end_velocities(self, u: Array, h: float, slowest: float) -> bool:
        """Impacts, then impulses of lasting contacts and joints; whether there were any."""
        impacts = self._impacts
        rows = self._contacts()
        self._joint_impact[...] = 0.0
        if not len(rows) and not self._has_rows:
            self._reactions.update(impacts.problem, impacts.body[:0], h)
            none = np.zeros((0, 3))
            self._contact_rows, self._contact_forces = self._means.update(rows, none, h)
            return False
        impacts.take(rows, self._state, u, 0.5 * h, self._motor_rates())
        near = impacts.gap <= self._barrier.dmin + self._barrier.dhat
        on, impulses = np.ones(len(rows), np.int8), np.zeros((len(rows), 3))
        landing = None
        if len(rows):
            rates = impacts.rates(u)
            slow = impacts.slow(self._force, h, slowest)
            landing = impacts.rates(self._begun.u) < -LANDING * slow
            fast = np.abs(rates) > slow
            struck = fast & (rates < 0.0) & near
            done = None
            if struck.any():
                done = strike(impacts, self._begun, self._state, u, struck, slow, near)
            if done is not None:
                impulses = done.impulses
                self._joint_impact = impacts.along_joints(done.hit)[1] / h
                if not self._functions:  # whose forces are looked for at one pose
                    fly_on(impacts, self._begun, self._state, u, done, self._solver)
            on[fast & (rates < 0.0) & ~near] = 0  # they meet in a later step
        self._resting(rows, u, h, on, landing=landing)
        self._contact_forces[: len(rows)] += impulses / h
        return True

    def _resting(
        self, contacts: Array, u: Array, h: float, on: Any, dampers: Array | None = None,
        landing: BoolArray | None = None,
    ) -> None:  # fmt: skip
        """Impulses of those `contacts` that are `on` and of joints; what the next step expects.

        `dampers` and `landing` as in `Reactions.update`.
        """
        impacts, problem = self._impacts, self._impacts.problem
        reach = self._barrier.dmin + self._barrier.dhat
        problem.lam[: problem.n_rows] = 0.0
        problem.c[problem.normals()] = np.maximum(impacts.gap - reach, 0.0) / h
        speed = float(np.abs(u[:, :3]).max(initial=0.0))
        fall = float(np.abs(self._force * impacts.arrays.inverse_mass).max(initial=0.0))
        tolerance = TOLERANCE * max(speed, h * fall, 1e-3 * self._barrier.dhat / h)
        impacts.solver.solve(u, impacts.friction(u), on, tolerance)
        self._reactions.update(problem, impacts.body, h, dampers, landing)
        rows = slice(problem.n_joint, problem.n_rows)
        along = problem.lam[rows, None] * problem.rows.J[rows, :3]
        impulses = along.reshape(-1, 3, 3).sum(axis=1)
        self._contact_rows, self._contact_forces = self._means.update(
            contacts, impulses, h, landing
        )

    def waypoints(self) -> tuple[Array, Array]:
        """Poses (k, n, 3), (k, n, 3, 3) between start and end of the last step, see there."""
        return self._substeps.waypoints()

    def waypoints_of_substep(self) -> tuple[Array, Array]:
        return self._solver.waypoints()

    def is_path_collision_free(self, x: Array, R: Array) -> bool:
        """Whether the direct path from poses (n, 3), (n, 3, 3) to the current ones is free."""
        return self._solver.is_path_collision_free(x, R)

    def set_inputs(self, inputs: Inputs, carried: bool = False) -> None:
        self._inputs.set(inputs)
        self._impacts.joints.set_inputs(inputs)
        if not carried:
            self._set_wrenches(self._state.t, self._state.t)
            self._add_functions(self._functions.wrenches(self._state))

    def set_state(self, state: BodyState, coordinates: JointValues) -> None:
        own = self._state
        without_fixed_velocities(self._model, state)
        for name in ("x", "R", "v", "omega"):
            getattr(own, name)[...] = getattr(state, name)
        own.t = state.t
        momenta(self._impacts.arrays, own.R, own.spin, self._L)
        self._target_x[...], self._target_R[...] = own.x, own.R
        joints = self._impacts.joints
        joints.angle[...] = row_angles(joints.system, coordinates)
        if self._joints is not None:
            self._joints.set_state(coordinates)
        self._reactions.clear()
        self._means.clear()
        self._set_wrenches(own.t, own.t)
        self._add_functions(self._functions.wrenches(own))
        self._settle_start()
        self._stepped = False

    def contacts_of_substep(self) -> ContactReport:
        if self._law is None:
            return ContactReport()
        rows = self._contact_rows
        near = rows[:, GAP] <= self._barrier.dmin + self._barrier.dhat
        near |= self._contact_forces.any(axis=1)
        kept = rows[near]
        record = ContactRecord(
            kept[:, BODY_A : BODY_B + 1].astype(np.int32), kept[:, POINT : POINT + 3],
            kept[:, NORMAL : NORMAL + 3], self._contact_forces[near], kept[:, GAP],
        )  # fmt: skip
        return ContactReport(record, 0.0, float(kept[:, GAP].min(initial=np.inf)))

    def observe(self) -> Observation:
        report = self._substeps.contacts()
        if self._joints is None:
            return Observation(contact=report)
        position, velocity, _ = self._joints.violation()
        return Observation(
            contact=report,
            constraint_position=position,
            constraint_velocity=velocity,
            stored_energy=self._impacts.joints.stored_energy(self._state.v, self._state.omega),
            joint_wrenches=self._joint_wrenches,
        )

    def _joint_wrenches(self) -> tuple[Array, Array]:
        """See `Observation`: the mean of the step, or before the first those of that moment."""
        joints = self._impacts.joints
        if not self._stepped and self._at_start is not None:
            self._at_start.start(joints.angle)
            force, torque = self._loads.undamped_wrenches(self._state)
            contact = contact_wrenches(self._substeps.contacts().contacts, self._state.x)
            return self._at_start.wrenches_now(
                force + contact[0], torque + contact[1], RowForces(*joints.targets_of_inputs)
            )
        impact = joints.system.with_couplings(joints.sign * self._joint_impact, joints.phi)
        amount = joints.forces(self._reactions.rows) + impact
        return self._joint_reactions.wrenches(amount, joints.G, self._state.R)

    def snapshot(self) -> Snapshot:
        state = self._state
        arrays: Snapshot = {
            "t": np.array(state.t), "x": state.x.copy(), "R": state.R.copy(), "v": state.v.copy(),
            "omega": state.omega.copy(), "L": self._L.copy(), "force": self._force.copy(),
            "torque": self._torque.copy(), "seen": self._contact_rows.copy(),
            "pushes": self._contact_forces.copy(),
            **prefixed("barriers", self._solver.solver.pairs_snapshot()),
            "motors": self._impacts.joints.system.motors.travel.copy(),
            "angle": self._impacts.joints.angle.copy(), "struck": self._joint_impact.copy(),
            "part": np.array(self._substeps.part), "stepped": np.array(self._stepped),
        }  # fmt: skip
        joints = {} if self._joints is None else self._joints.snapshot()
        arrays |= prefixed("means", self._means.snapshot())
        return (
            arrays | prefixed("reactions", self._reactions.snapshot()) | prefixed("joints", joints)
        )

    def restore(self, snapshot: Snapshot) -> None:
        state = self._state
        state.t = float(snapshot["t"])
        for name in ("x", "R", "v", "omega"):
            getattr(state, name)[...] = snapshot[name]
        self._L[...] = snapshot["L"]
        self._substeps.part = float(snapshot["part"])
        self._stepped = bool(snapshot["stepped"])
        self._force, self._torque = snapshot["force"].copy(), snapshot["torque"].copy()
        self._contact_rows = snapshot["seen"].copy()
        self._contact_forces = snapshot["pushes"].copy()
        self._solver.restore_pairs(part_of(snapshot, "barriers"))
        joints = self._impacts.joints
        joints.system.motors.travel[...] = snapshot["motors"]
        joints.angle[...] = snapshot["angle"]
        joints.at(state.x, state.R)  # springs and dampers of the next step follow from it
        joints.angle[...] = snapshot["angle"]
        self._joint_impact = snapshot["struck"].copy()
        self._reactions.restore(part_of(snapshot, "reactions"))
        self._means.restore(part_of(snapshot, "means"))
        if self._joints is not None:
            self._joints.restore(part_of(snapshot, "joints"))
