"""One run of `StewartTrinkle`: steps, divided into pieces where bodies bounce."""

import numpy as np

from dovetail.contact.impulse.law import LcpLaw
from dovetail.contact.law import ContactRecord, ContactReport
from dovetail.integrators.interface import JointValues, Observation, Snapshot, StepReport
from dovetail.integrators.shared.constrained_state import row_angles
from dovetail.integrators.shared.impulse_poses import momenta
from dovetail.integrators.shared.observed_joints import RowForces
from dovetail.integrators.shared.snapshots import of_bodies, part_of, prefixed, restore_bodies
from dovetail.integrators.stewart_trinkle.piece_stepper import PieceStepper
from dovetail.model.values import Array
from dovetail.multibody.inputs import Inputs
from dovetail.multibody.state import BodyState

MAX_PIECES = 9  # of one step, each but the last ending at an impact


class StewartTrinkleStepper(PieceStepper):
    """One run of `StewartTrinkle`."""

    def step(self, t_next: float) -> StepReport:
        """Pieces that end at the impacts with restitution; what comes after MAX_PIECES is one."""
        h, iterations, residual, converged = t_next - self.bodies.t, 0, 0.0, True
        self._warm_start.begin_step()
        if self._observed is not None:
            self._observed.begin_step()
        if self._all_sleep():
            self.bodies.t = t_next
            return StepReport()
        began = None if self._quiet is None else self._quiet_step(t_next)
        if isinstance(began, StepReport):
            return began
        self._ended = False
        for left in range(MAX_PIECES, 0, -1):
            done, began = self._advance(t_next, h, left == 1, began), None
            iterations, residual = iterations + done.iterations, max(residual, done.residual)
            converged = converged and done.converged
            if self.bodies.t == t_next:
                break
            self._warm_start.end_piece()
        if self._ended:
            return StepReport(iterations, residual, converged=converged)
        self._fall_asleep(h)
        if self._observed is not None:
            self._observed.end_step(self._joints.angle)
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

    def _fall_asleep(self, h: float, counted: bool = False) -> None:
        """Stop the islands that were at rest for long in the steps of h [s].

        `counted`: a kernel has counted this one already, and found some.
        """
        if not isinstance(self._law, LcpLaw) or not self._sleeps:
            return
        kinematic = self._nobody
        if len(self._kinematic):
            kinematic = np.zeros(self._model.n_bodies, np.bool_)
            kinematic[self._kinematic] = self._u[self._kinematic].any(axis=1)
        if counted:
            chosen = self._sleeping.choose(self._all_loads, self._warm_start, kinematic)
        else:
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
        state.copy_to(own)
        own.t = state.t
        self._stop_fixed_directions()
        momenta(self._arrays, own.R, own.spin, self._L)
        joints.angle[...] = row_angles(joints.system, coordinates)
        self._motors.set_time(own.t, own.t)
        joints.at(own.x, own.R)
        if self._observed is not None:
            self._observed.start(joints.angle)
        if self._law is not None:
            self._record_initial_contacts(self._law)

    @property
    def observed(self) -> BodyState:
        """See `interface.Observed`."""
        return self.bodies if self._observed is None else self._observed.state

    def observe(self) -> Observation:
        joints, report, seen = self._joints, ContactReport(), self._observed
        if self._law is not None:
            record = _with_sleeping(self._warm_start.record(), self._sleeping.record())
            report = ContactReport(record, 0.0, float(record.gaps.min(initial=np.inf)))
        return Observation(
            contact=report,
            constraint_position=float(np.abs(joints.violations()).max(initial=0.0)),
            constraint_velocity=0.0 if seen is None else seen.velocity_violation(),
            stored_energy=joints.stored_energy(self.observed.v, self.observed.omega),
            joint_wrenches=self._joint_wrenches if self._model.joints else None,
        )

    def _joint_wrenches(self) -> tuple[Array, Array]:
        assert self._observed is not None
        return self._observed.wrenches_of_step(RowForces(*self._joints.targets_of_inputs))

    def snapshot(self) -> Snapshot:
        state = self.bodies
        arrays: Snapshot = {
            **of_bodies(state), "L": self._L.copy(),
            "angle": self._joints.angle.copy(), "motors": self._motors.travel.copy(),
            **self._loads.functions.snapshot(),
            "joints": self._joint_force.copy(),
        }  # fmt: skip
        if self._observed is not None:
            arrays |= prefixed("observed", self._observed.snapshot())
        return (
            arrays
            | prefixed("contact", self._warm_start.snapshot())
            | prefixed("sleeping", self._sleeping.snapshot())
            | prefixed("overlaps", self._overlaps.snapshot())
        )

    def restore(self, snapshot: Snapshot) -> None:
        state = self.bodies
        restore_bodies(state, snapshot)
        self._L[...] = snapshot["L"]
        self._joints.angle[...] = snapshot["angle"]
        self._motors.travel[...] = snapshot["motors"]
        self._loads.functions.restore(snapshot)
        self._joint_force[...] = snapshot["joints"]
        self._warm_start.restore(part_of(snapshot, "contact"))
        self._sleeping.restore(part_of(snapshot, "sleeping"))
        self._overlaps.restore(part_of(snapshot, "overlaps"))
        self._motors.set_time(state.t, state.t)
        self._joints.at(state.x, state.R)
        if self._observed is not None:
            self._observed.restore(part_of(snapshot, "observed"), self._joints.angle)


def _with_sleeping(awake: ContactRecord, asleep: ContactRecord) -> ContactRecord:
    """The contacts of all bodies."""
    if not len(asleep.gaps):
        return awake
    both = zip(vars(awake).values(), vars(asleep).values())
    return ContactRecord(*(np.concatenate(pair) for pair in both))
