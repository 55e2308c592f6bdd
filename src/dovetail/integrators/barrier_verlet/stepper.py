"""One run of `BarrierVerlet`: kick, drift, keep apart, kick."""

import math
from functools import partial

import numpy as np

from dovetail.contact.ipc.law import IpcPotential
from dovetail.contact.ipc.model_bodies import ipc_bodies
from dovetail.contact.law import ContactReport
from dovetail.errors import RunError
from dovetail.integrators.barrier_verlet.end_functions import EndFunctions
from dovetail.integrators.barrier_verlet.velocity_stage import VelocityStage
from dovetail.integrators.interface import JointValues, Observation, Snapshot, StepReport
from dovetail.integrators.lie_verlet import step as lie_verlet_step
from dovetail.integrators.lie_verlet.scheme import without_fixed_velocities
from dovetail.integrators.lie_verlet.step import HalfStep, Motion
from dovetail.integrators.shared.constrained_state import row_angles
from dovetail.integrators.shared.driven_bodies import DrivenBodies
from dovetail.integrators.shared.hopeless_steps import HopelessSteps, free_accelerations
from dovetail.integrators.shared.impact_step import StepBegin
from dovetail.integrators.shared.impulse_poses import apply_loads, momenta, turn_spins
from dovetail.integrators.shared.ipc_steps import IpcSteps
from dovetail.integrators.shared.joint_reactions import JointReactions
from dovetail.integrators.shared.load_derivatives import LoadDerivatives, LoadMatrix
from dovetail.integrators.shared.observed_joints import (
    ObservedJoints,
    RowForces,
    contact_wrenches,
)
from dovetail.integrators.shared.potential_joints import PotentialJoints
from dovetail.integrators.shared.snapshots import of_bodies, part_of, prefixed, restore_bodies
from dovetail.integrators.shared.substeps import Substeps
from dovetail.linalg.lie import so3
from dovetail.model.frozen import Model
from dovetail.model.values import Array, quote
from dovetail.multibody.inputs import BodyInputs, Inputs
from dovetail.multibody.loads.forces import LoadForces
from dovetail.multibody.loads.wrenches import position_wrenches
from dovetail.multibody.state import BodyState, initial_state

START = 1e-3  # of the time in which the scene changes: the step that finds the first reactions


class BarrierVerletStepper:
    """One run of `BarrierVerlet`."""

    def __init__(self, model: Model, law: IpcPotential | None) -> None:
        self._model, self._law, self._loads = model, law, LoadForces(model, motors=True)
        self._state = state = without_fixed_velocities(model, initial_state(model))
        n = model.n_bodies
        self._joints: PotentialJoints | None = None
        if model.joints:
            bodies = ipc_bodies(model, touching=False)
            self._joints = PotentialJoints(model, bodies, state, newmark=True)
        rows = None if self._joints is None else self._joints.arrays
        self._solver = IpcSteps(model, law, state, rows, friction=False)
        self._springs = self._solver.springs(self._loads.compiled)
        self._barrier = self._solver.barrier
        self._stage = VelocityStage(model, law, self._solver, state, self._joints)
        self._impacts = self._stage.impacts
        self._driven = DrivenBodies(model, self._solver.radius, self._barrier.dhat)
        self._joint_reactions = JointReactions(model, self._impacts.joints.system)
        self._at_start: ObservedJoints | None = None
        if model.joints:
            self._at_start = ObservedJoints(model, self._impacts.joints.system, state)
        self._stepped = False
        self._L, self._force, self._torque = np.zeros((3, n, 3))
        momenta(self._impacts.arrays, state.R, state.spin, self._L)
        no_joints = np.zeros(n, np.bool_)
        self._jointed = no_joints if self._joints is None else self._joints.jointed
        self._derivatives = LoadDerivatives(model, self._loads)
        self._functions = EndFunctions(model, self._loads.functions)
        self._half = HalfStep(np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3)))
        self._target_x, self._target_R = state.x.copy(), state.R.copy()
        self._inputs = BodyInputs(self._loads.compiled)
        self._set_wrenches(0.0, 0.0)
        self._add_functions(self._functions.wrenches(state))
        self._begun = StepBegin(0.0, state.x, state.R, self._velocities())  # of the last step
        hopeless = HopelessSteps(model, self._joints, self._accelerations)
        work = partial(getattr, self._solver, "work")
        self._substeps = Substeps(self, self._advance, partial(hopeless.refuse, state), work)
        self._settle_start()

    def _settle_start(self) -> None:
        """Velocities that fit the joints and contacts, and the reactions of these, at the start."""
        state, impacts, stage = self._state, self._impacts, self._stage
        rows = stage.contacts()
        stage.begin(rows)
        if not stage.has_joints and not len(rows):
            return
        h = START * self._time_scale()
        on = np.zeros(len(rows), np.int8)  # bodies that meet do so in the first step
        u = self._velocities()
        impacts.take(rows, state, u, h, stage.motor_rates())
        impacts.release_dampers()
        stage.rest(rows, u, h, self._force, on)
        self._set_velocities(u)
        dampers = impacts.damper_forces(u)
        stage.clear()
        fast = np.abs(impacts.rates(u)) > impacts.slow(self._force, h, 0.0)
        apply_loads(impacts.arrays, state.R, self._L, state.v, h, self._force, self._torque, u)
        impacts.take(rows, state, u, h, stage.motor_rates())
        on = np.where(fast, 0, 1).astype(np.int8)
        stage.rest(rows, u, h, self._force, on, dampers)

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

    def step(self, t_next: float) -> StepReport:
        report = self._substeps.step(t_next)
        self._stepped = True
        return report

    def _advance(self, t_next: float) -> StepReport:
        state, half = self._state, self._half
        h, t_before = t_next - state.t, state.t
        x_before, R_before = state.x.copy(), state.R.copy()
        self._begun = StepBegin(h, x_before, R_before, self._velocities())
        self._impacts.joints.take_rates(state.v, state.omega)
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

    def _accelerations(self) -> Array | None:
        """(n, 6) [m/s^2, rad/s^2] of now, see `HopelessSteps`."""
        force, torque = self._loads.undamped_wrenches(self._state)
        if self._at_start is None:
            return free_accelerations(self._model, self._state, force, torque)
        joints = self._impacts.joints
        self._at_start.start(joints.angle)
        return self._at_start.accelerations_now(force, torque, RowForces(*joints.targets_of_inputs))

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
        alone = not self._functions  # whose forces are looked for at one pose
        if self._stage.solve(u, self._begun, self._force, slowest, flies_on=alone):
            self._set_velocities(u)
        else:  # nothing touched: the momentum stays as it is, to the bit
            state.v[moves] = u[moves, :3]
            state.omega[moves] = np.einsum("nji,nj->ni", state.R[moves], u[moves, 3:])
            self._L[moves] = L[moves]

    def _end_with_functions(self, h: float, slowest: float, damping: LoadMatrix | None) -> None:
        """As `_end`, with forces of functions that belong to the velocities they lead to."""
        others, before = (self._force, self._torque), self._stage.expected()

        def finish(w: Array) -> Array:
            self._force, self._torque = others
            self._add_functions(w)
            self._stage.expect(before)
            self._end(h, slowest)
            return self._velocities()

        assert damping is not None
        self._functions.solve(h, self._state.copy(), damping, finish)

    def _set_targets(self, h: float, t_next: float) -> LoadMatrix | None:
        """First half kick and the free motion of the step, into the solver's targets.

        Returns the damping of the user's functions.
        """
        state, wrench = self._state, self._stage.reactions.wrench
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
                f"(relative residual {residual:.3g}): it must rotate by less than pi rad in a "
                "step; use a smaller step",
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
        state.copy_to(own)
        own.t = state.t
        momenta(self._impacts.arrays, own.R, own.spin, self._L)
        self._target_x[...], self._target_R[...] = own.x, own.R
        joints = self._impacts.joints
        joints.angle[...] = row_angles(joints.system, coordinates)
        if self._joints is not None:
            self._joints.set_state(coordinates)
        self._stage.clear()
        self._set_wrenches(own.t, own.t)
        self._add_functions(self._functions.wrenches(own))
        self._settle_start()
        self._stepped = False

    def contacts_of_substep(self) -> ContactReport:
        return self._stage.report()

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
            found = self._at_start.wrenches_now(
                force + contact[0], torque + contact[1], RowForces(*joints.targets_of_inputs)
            )
            self._loads.functions.add_joint_wrenches(self._state, *found)
            return found
        impact = joints.system.with_couplings(joints.sign * self._stage.joint_impact, joints.phi)
        amount = joints.forces(self._stage.reactions.acted) + impact
        found = self._joint_reactions.wrenches(amount, joints.G, self._state.R)
        self._loads.functions.add_joint_wrenches(self._state, *found)
        return found

    def snapshot(self) -> Snapshot:
        state = self._state
        arrays: Snapshot = {
            **of_bodies(state), "L": self._L.copy(), "force": self._force.copy(),
            "torque": self._torque.copy(), "part": np.array(self._substeps.part),
            "stepped": np.array(self._stepped),
            **prefixed("barriers", self._solver.solver.pairs_snapshot()),
            **self._loads.functions.snapshot(),
        }  # fmt: skip
        joints = {} if self._joints is None else self._joints.snapshot()
        return arrays | self._stage.snapshot() | prefixed("joints", joints)

    def restore(self, snapshot: Snapshot) -> None:
        state = self._state
        restore_bodies(state, snapshot)
        self._L[...] = snapshot["L"]
        self._substeps.part = float(snapshot["part"])
        self._stepped = bool(snapshot["stepped"])
        self._loads.functions.restore(snapshot)
        self._force, self._torque = snapshot["force"].copy(), snapshot["torque"].copy()
        self._solver.restore_pairs(part_of(snapshot, "barriers"))
        self._stage.restore(snapshot)
        if self._joints is not None:
            self._joints.restore(part_of(snapshot, "joints"))
