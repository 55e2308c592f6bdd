"""One run of a mechanism in joint coordinates."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dovetail.contact.law import ContactReport, ForceLaw
from dovetail.integrators.interface import JointValues, Observation, Snapshot, StepReport
from dovetail.integrators.joint_coordinates import step as joint_coordinates_step
from dovetail.integrators.joint_coordinates.failures import failure, refuse_open
from dovetail.integrators.joint_coordinates.feedback import Feedback
from dovetail.integrators.joint_coordinates.passed_limits import PassedLimits
from dovetail.integrators.shared.divided_steps import (
    FLOOR,
    DividedSteps,
    UnsolvedError,
    energy_noise,
)
from dovetail.integrators.shared.end_forces import EndForces
from dovetail.integrators.shared.mechanism_reactions import MechanismReactions
from dovetail.integrators.shared.observed_joints import STICKS
from dovetail.model.frozen import Model
from dovetail.model.values import Array
from dovetail.multibody.energy import kinetic_energy
from dovetail.multibody.inputs import BodyInputs, Inputs
from dovetail.multibody.loads.forces import LoadForces
from dovetail.multibody.loops import coordinates_above, velocity_projection
from dovetail.multibody.loops.workspace import step_workspace
from dovetail.multibody.mechanism import assembled, driving, exact_mechanism
from dovetail.multibody.mechanism.coordinates_at import coordinates_at
from dovetail.multibody.state import BodyState, initial_state
from dovetail.multibody.tree.efforts import CREEP, add_efforts, stored_energy

WRONG = 5e-3  # of the largest kinetic energy: a change in a step that does not resolve the motion
Outcome = tuple[int, int, int, float]  # code, coordinate, iterations, residual


class JointStepper:
    """One run of `JointCoordinates`, assembled first."""

    def __init__(self, model: Model, law: ForceLaw | None) -> None:
        self.mechanism = mechanism = exact_mechanism(model)
        model = mechanism.model
        self._model, self._law = model, law
        self._loads = LoadForces(model)
        self._inputs = BodyInputs(self._loads.compiled)
        self._efforts = np.zeros(mechanism.n_v)  # [N or N m] of inputs
        joints = [placed.name for placed in model.joints]
        self._row_of = {
            (joints.index(row.joint), row.number): i
            for i, row in enumerate(mechanism.acting.coordinates)
            if row.joint
        }
        self._end_forces = EndForces(model, law, None)
        self._has_targets = mechanism.driven.size > 0
        tree = mechanism.tree
        self._workspace = tree.workspace()
        self._work = step_workspace(
            coordinates_above(tree), mechanism.labels, tree.body_frames, mechanism.driven,
            tree.n_q, mechanism.n_equations,
        )  # fmt: skip
        begin = assembled(mechanism, driving.velocities(mechanism, 0.0, 1e-3))
        self.q, self.v = begin.q, begin.v
        self._state = mechanism.state(self.q, self.v)
        self._middle = initial_state(model)
        for name in ("x", "R", "v", "omega"):
            for rows in (self._work.ends, self._work.bodies):
                getattr(rows, name)[...] = getattr(self._state, name)
            setattr(self._middle, name, getattr(self._work.bodies, name))  # the same memory
        self._ends = BodyState(0.0, *self._work.ends)
        self._feedback = Feedback(mechanism, self._loads.functions, self._work)
        self._rank = 0  # of the equations at the end of the step
        if law is not None:
            self._work.kicks[0] = True
            self._work.start_force[...], self._work.start_torque[...] = law.wrenches(self._state)
        self._acting = mechanism.acting.arrays(mechanism.mobility_of_actuated(self.q))
        self._passed = PassedLimits(mechanism, self._acting, self.q)
        self._limits = np.array(
            [np.inf] * 6 * len(mechanism.kinematic)
            + [motor.effort_limit for motor in mechanism.acting.driven]
        )
        self._given_in = np.zeros(len(self._limits))  # [N or N m] of those that gave in
        self._can_give_in = bool(np.isfinite(self._limits).any())
        self._h = 0.0  # of the last step, which stops were made for
        self._conservative = self._is_conservative(law)
        self._noise, self._largest = energy_noise(model, mechanism.length)
        springs = float(stored_energy(self._acting, self._h, self.q, self.v))
        self._largest = max(self._largest, FLOOR * abs(springs))
        self._divided = DividedSteps(
            self, self._whole_step, lambda: kinetic_energy(model, self._state), model
        )

    @property
    def bodies(self) -> BodyState:
        return self._state

    def step(self, t_next: float) -> StepReport:
        t, divided = self._state.t, self._divided
        if divided.active:
            return divided.step(t, t_next, None)
        failure, before = None, self.snapshot() if self._conservative else {}
        kinetic, energy = self._energies() if self._conservative else (0.0, 0.0)
        try:
            report = self._whole_step(t_next)
            if not self._conservative:
                return report
            self._largest = max(self._largest, kinetic)
            if abs(self._energies()[1] - energy) <= WRONG * self._largest + self._noise:
                return report
            self.restore(before)
        except UnsolvedError as error:
            failure = error
        divided.begin(t_next - t)
        return divided.step(t, t_next, failure)

    def _energies(self) -> tuple[float, float]:
        """[J] kinetic, and with that of loads, springs and rotors."""
        state = self._state
        kinetic = kinetic_energy(self._model, state)
        stored = float(stored_energy(self._acting, self._h, self.q, self.v))
        stored += 0.5 * float(self.mechanism.tree.arrays.armature @ self.v**2)
        return kinetic, kinetic + stored + self._loads.potential_energy(state)

    def _is_conservative(self, law: ForceLaw | None) -> bool:
        """Whether nothing but loops and forces with a potential act, so that energy is a check."""
        a = self._acting
        acts = a.damping.any() or a.friction.any() or np.isfinite([a.lower, a.upper]).any()
        loads = self._loads.compiled
        acts = acts or loads.body_force.any() or (loads.spring_values[:, 1] != 0.0).any()
        idle = not self.mechanism.acting.motors and not self.mechanism.driven.size
        return bool(
            law is None and not self._feedback and idle and not acts and self.mechanism.closures
        )

    def _whole_step(self, t_next: float) -> StepReport:
        t = self._state.t
        h = t_next - t
        work, mechanism = self._work, self.mechanism
        work.q0[...], work.v0[...] = self.q, self.v
        work.motor[...] = self._efforts
        for motor in mechanism.acting.efforts:
            if not motor.follows_state:
                effort = motor.effort(t + 0.5 * h)
                work.motor[...] += effort * motor.along.gradient(self.q, len(self.v))
        if self._has_targets:
            work.w_target[...] = driving.mean_velocities(mechanism, self.q, t, t_next)
            work.v_target[...] = driving.velocities(mechanism, t_next, h)
        self._passed.set_bounds(t + 0.5 * h)
        work.active[...] = True
        work.end_force[...], work.end_torque[...] = 0.0, 0.0
        iterations, residual = self._solve(h, t)
        while self._give_in(h):
            more, residual = self._solve(h, t)
            iterations += more
        refuse_open(mechanism, work, t_next)
        if self._law is not None:
            iterations += self._settle(h, t_next)
        self.q[...], self.v[...] = work.q1, work.v1
        self._h, self._state.t = h, t_next
        self._passed.set_bounds(t_next)
        state, ends = self._state, work.ends
        state.x[...], state.R[...], state.v[...], state.omega[...] = ends
        return StepReport(iterations, residual, near=self._end_forces.near)

    def _settle(self, h: float, t: float) -> int:
        """Contact forces at the end of the step, with the velocities after them."""
        work, tree = self._work, self.mechanism.tree
        wrench = np.zeros((2, self._model.n_bodies, 3))

        def kick() -> bool:
            work.end_force[...], work.end_torque[...] = wrench
            self._rank = velocity_projection.project_velocities(
                h, tree.arrays, self.mechanism.loops, self._workspace, work
            )
            return self._rank >= 0

        def responses(bodies: NDArray[np.int64]) -> Array:
            found = np.empty((6 * len(bodies), 6 * len(bodies)))
            velocity_projection.impulse_responses(
                tree.arrays, self._workspace, work, self._rank, bodies, work.bodies, found
            )
            return found

        self._ends.t = t
        settled = self._end_forces.solve(0.5 * h, wrench, self._ends, kick, responses)
        if not settled:
            raise failure(self.mechanism, joint_coordinates_step.LOCKED, -1, 0.0, h, t)
        work.start_force[...], work.start_torque[...] = wrench
        return settled

    def _show(self, t: float) -> None:
        self._state.t = t
        self.mechanism.fill(self.q, self.v, self._state)

    def _solve(self, h: float, t: float) -> tuple[int, float]:
        """The kernel's step, repeated while forces that Python computes change with it."""
        self._middle.t = t + 0.5 * h
        if not self._feedback:
            return self._kernel_step(h, t)
        return self._feedback.settled(h, t, self._middle, lambda: self._kernel_step(h, t))

    def _kernel_step(self, h: float, t: float) -> tuple[int, float]:
        outcome: Outcome = joint_coordinates_step.step(
            h, self.mechanism.tree.arrays, self.mechanism.loops, self._acting,
            self._loads.compiled, self._workspace, self._work,
        )  # fmt: skip
        code, where, iterations, residual = outcome
        if code != joint_coordinates_step.DONE:
            raise failure(self.mechanism, code, where, residual, h, t + h)
        return iterations, residual

    def _give_in(self, h: float) -> bool:
        """Turn motors that ask for more than their largest effort into that effort."""
        if not self._can_give_in:
            return False
        work = self._work
        d = self._limits.size
        efforts = 2.0 / h * work.multipliers[:d]
        over = work.active & (np.abs(efforts) > self._limits)
        for j in np.flatnonzero(over):
            work.active[j] = False
            self._given_in[j] = np.sign(efforts[j]) * self._limits[j]
            work.motor[work.driven[j]] += np.sign(efforts[j]) * self._limits[j]
        return bool(over.any())

    def keep_stops_of(self, whole: float) -> None:
        """Parts of a step of `whole` [s] have its stops: stiffer ones would throw what rests."""
        self._acting.least_step[0] = whole

    def set_inputs(self, inputs: Inputs, carried: bool = False) -> None:
        self._inputs.set(inputs)
        self._conservative = False  # what acts now is not among the energies
        acting, given = self._acting, self.mechanism.acting.coordinates
        row_of = self._row_of
        for k, coordinate in enumerate(inputs.coordinates):
            i = row_of[coordinate]
            entry = given[i].actuation
            acting.stiffness[i] = entry.stiffness + inputs.stiffness[k]
            acting.damping[i] = entry.damping + inputs.damping[k]
            pull = inputs.pull[k] - inputs.stiffness[k] * entry.rest
            self._efforts[given[i].v_index] = inputs.effort[k] + pull

    def set_state(self, state: BodyState, coordinates: JointValues) -> None:
        """Coordinates that close the loops nearest to `state`."""
        self.q[...], self.v[...] = coordinates_at(self.mechanism, state, coordinates)
        self._work.extra_force[...] = self._work.extra_torque[...] = 0.0
        self._show(state.t)
        if self._law is not None:
            self._end_forces.forget()
            wrenches = self._law.wrenches(self._state)
            self._work.start_force[...], self._work.start_torque[...] = wrenches

    def observe(self) -> Observation:
        mechanism = self.mechanism
        report = ContactReport() if self._law is None else self._law.report(self._state)
        position = velocity = 0.0
        if mechanism.n_equations:
            position = float(np.abs(mechanism.residuals(self.q)).max())
            velocity = float(np.abs(mechanism.jacobian(self.q) @ self.v).max())
        own = [row.actuation.stiffness for row in mechanism.acting.coordinates]
        springs = self._acting._replace(stiffness=np.array(own, dtype=np.float64))
        stored = float(stored_energy(springs, self._h, self.q, self.v))
        stored += 0.5 * float(mechanism.tree.arrays.armature @ self.v**2)
        wrenches = self._joint_wrenches if self._model.joints else None
        return Observation(report, position, velocity, stored, wrenches)

    @cached_property
    def _reactions(self) -> MechanismReactions:
        return MechanismReactions(self.mechanism, self._state)

    def _joint_wrenches(self) -> tuple[Array, Array]:
        """See `Observation`: of the accelerations at the state."""
        state, q, v, starts = self._state, self.q, self.v, self._h == 0.0
        tau, unused = self._efforts.copy(), np.zeros((2, len(v)))
        for motor in self.mechanism.acting.efforts:
            along = motor.along.gradient(q, len(v))
            seen = (motor.along.value(q), float(along @ v)) if motor.follows_state else ()
            tau += motor.effort(state.t, *seen) * along
        h, acting, creep = self._h, self._acting, np.zeros(len(v))
        if acting.friction.any():
            eps = CREEP * acting.friction * h * acting.mobility
            creep[acting.v_index] = eps
            sticks = np.abs(v[acting.v_index]) <= STICKS * eps
            acting = acting._replace(friction=np.where(sticks, 0.0, acting.friction))
            self._reactions.set_creep(creep)
        add_efforts(acting, np.inf if starts else h, q, v, v, tau, *unused)
        for j in np.flatnonzero(~self._work.active):
            tau[self._work.driven[j]] += self._given_in[j]
        force, torque = self._loads.wrenches(state)
        if self._law is not None:
            force, torque = force + self._work.start_force, torque + self._work.start_torque
        return self._reactions.wrenches(
            state, q, tau, force, torque, self._work.active, starts
        )  # fmt: skip

    def snapshot(self) -> Snapshot:
        extra = np.stack((self._work.extra_force, self._work.extra_torque))
        return {
            "t": np.array(self._state.t), "q": self.q.copy(), "v": self.v.copy(),
            "h": np.array(self._h), "largest": np.array(self._largest), "extra": extra,
            "kick": np.stack((self._work.start_force, self._work.start_torque)),
            "driven": np.stack((self._work.active, self._given_in)),
            **self._end_forces.snapshot(), **self._divided.snapshot(),
        }  # fmt: skip

    def restore(self, snapshot: Snapshot) -> None:
        self.q[...], self.v[...] = snapshot["q"], snapshot["v"]
        self._h, self._largest = float(snapshot["h"]), float(snapshot["largest"])
        self._passed.set_bounds(float(snapshot["t"]))
        self._work.extra_force[...], self._work.extra_torque[...] = snapshot["extra"]
        self._work.start_force[...], self._work.start_torque[...] = snapshot["kick"]
        self._work.active[...], self._given_in[...] = snapshot["driven"]
        self._end_forces.restore(snapshot)
        self._divided.restore(snapshot)
        self._show(float(snapshot["t"]))
