"""One run of `StewartTrinkle`: steps, divided into pieces where bodies bounce."""

import numpy as np

from dovetail.contact.impulse.law import LcpLaw
from dovetail.contact.law import ContactRecord, ContactReport
from dovetail.integrators.interface import JointValues, Observation, Snapshot, StepReport
from dovetail.integrators.shared.constrained_state import row_angles
from dovetail.integrators.shared.impulse_poses import momenta
from dovetail.integrators.shared.snapshots import part_of, prefixed
from dovetail.integrators.stewart_trinkle.piece_stepper import PieceStepper
from dovetail.model.values import Array
from dovetail.multibody.constraints.bodies import JOINT, MOTOR
from dovetail.multibody.constraints.rows import row_rate
from dovetail.multibody.inputs import Inputs
from dovetail.multibody.state import BodyState

MAX_PIECES = 9  # of one step, each but the last ending at an impact


class StewartTrinkleStepper(PieceStepper):
    """One run of `StewartTrinkle`."""

    def step(self, t_next: float) -> StepReport:
        """Pieces that end at the impacts with restitution; what comes after MAX_PIECES is one."""
        h, iterations, residual, converged = t_next - self.bodies.t, 0, 0.0, True
        self._warm_start.begin_step()
        if self._all_sleep():
            self.bodies.t = t_next
            return StepReport()
        for left in range(MAX_PIECES, 0, -1):
            done = self._advance(t_next, h, left == 1)
            iterations, residual = iterations + done.iterations, max(residual, done.residual)
            converged = converged and done.converged
            if self.bodies.t == t_next:
                break
            self._warm_start.end_piece()
        self._fall_asleep(h)
        self._stepped = True
        return StepReport(iterations, residual, converged=converged)

    def _all_sleep(self) -> bool:
        """Whether all bodies that can move sleep, and their loads do not wake them."""
        sleeping = self._sleeping
        if len(self._kinematic) or self._joints.count or not sleeping.asleep[self._moves].all():
            return False
        if not self._moves.any():
            return False
        self._set_wrenches()
        sleeping.wake_by_loads(self._all_loads, self._warm_start)
        return bool(sleeping.asleep[self._moves].all())

    def _fall_asleep(self, h: float) -> None:
        """Stop the islands that were at rest for long in the steps of h [s]."""
        if not isinstance(self._law, LcpLaw) or not self._sleeps:
            return
        kinematic = self._nobody
        if len(self._kinematic):
            kinematic = np.zeros(self._model.n_bodies, np.bool_)
            kinematic[self._kinematic] = self._u[self._kinematic].any(axis=1)
        chosen = self._sleeping.update(
            self._u, self._all_loads, self._arrays.inverse_mass, h, self._warm_start, kinematic
        )
        if len(chosen):
            state = self.bodies
            state.v[chosen], state.omega[chosen], self._L[chosen] = 0.0, 0.0, 0.0

    def set_inputs(self, inputs: Inputs, carried: bool = False) -> None:
        self._inputs.set(inputs)
        self._joints.set_inputs(inputs)

    def set_state(self, state: BodyState, coordinates: JointValues) -> None:
        own, joints = self.bodies, self._joints
        for name in ("x", "R", "v", "omega"):
            getattr(own, name)[...] = getattr(state, name)
        own.t = state.t
        self._stop_fixed_directions()
        momenta(self._arrays, own.R, own.spin, self._L)
        joints.angle[...] = row_angles(joints.system, coordinates)
        self._motors.set_time(own.t, own.t)
        joints.at(own.x, own.R)
        if self._law is not None:
            self._record_initial_contacts(self._law)

    def observe(self) -> Observation:
        joints, report = self._joints, ContactReport()
        if self._law is not None:
            record = _with_sleeping(self._warm_start.record(), self._sleeping.record())
            report = ContactReport(record, 0.0, float(record.gaps.min(initial=np.inf)))
        return Observation(
            contact=report,
            constraint_position=float(np.abs(joints.violations()).max(initial=0.0)),
            constraint_velocity=self._constraint_velocity(),
            stored_energy=joints.stored_energy(self.bodies.v, self.bodies.omega),
            joint_wrenches=self._joint_wrenches if self._model.joints else None,
        )

    def _joint_wrenches(self) -> tuple[Array, Array]:
        """See `Observation`: of the last piece of the step, nan before the first."""
        if not self._stepped:
            unknown = np.full((2, len(self._model.joints), 3), np.nan)
            return unknown[0], unknown[1]
        joints = self._joints
        return self._reactions.wrenches(joints.forces(self._joint_force), joints.G, self.bodies.R)

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
            "joints": self._joint_force.copy(), "stepped": np.array(self._stepped),
        }  # fmt: skip
        return (
            arrays
            | prefixed("contact", self._warm_start.snapshot())
            | prefixed("sleeping", self._sleeping.snapshot())
        )

    def restore(self, snapshot: Snapshot) -> None:
        state = self.bodies
        state.t = float(snapshot["t"])
        for name in ("x", "R", "v", "omega"):
            getattr(state, name)[...] = snapshot[name]
        self._L[...] = snapshot["L"]
        self._joints.angle[...] = snapshot["angle"]
        self._motors.travel[...] = snapshot["motors"]
        self._joint_force[...] = snapshot["joints"]
        self._stepped = bool(snapshot["stepped"])
        self._warm_start.restore(part_of(snapshot, "contact"))
        self._sleeping.restore(part_of(snapshot, "sleeping"))
        self._motors.set_time(state.t, state.t)
        self._joints.at(state.x, state.R)


def _with_sleeping(awake: ContactRecord, asleep: ContactRecord) -> ContactRecord:
    """The contacts of all bodies."""
    if not len(asleep.gaps):
        return awake
    both = zip(vars(awake).values(), vars(asleep).values())
    return ContactRecord(*(np.concatenate(pair) for pair in both))
