"""The joints of a model inside the intersection-free solve: rows, motors in time, reports."""

import warnings
from typing import Any

import numpy as np

from dovetail.contact.ipc.joints.energies import CREEP, PENALTY
from dovetail.contact.ipc.joints.multipliers import CONVERGED
from dovetail.contact.ipc.joints.records import UNUSED, JointArrays, JointRows, joint_arrays
from dovetail.contact.ipc.records import IpcBodies
from dovetail.integrators.interface import JointValues, Snapshot
from dovetail.integrators.shared.constrained_state import (
    row_angles,
)
from dovetail.integrators.shared.driven_bodies import CATCH_UP, HeldBackWarning, PairsOnDemand
from dovetail.integrators.shared.joint_kernels import (
    bundle_potential_rows,
    bundle_rows_at_end,
    end_rows,
    potential_forces,
    set_rotor_rates,
)
from dovetail.integrators.shared.observed_joints import ObservedJoints
from dovetail.integrators.shared.snapshots import part_of, prefixed
from dovetail.integrators.shared.spin_angles import SpinAngles
from dovetail.integrators.shared.start_checks import are_changed, refuse_violated_start
from dovetail.linalg.block_cholesky.row_pairs import row_pairs
from dovetail.model.frozen import Model
from dovetail.model.values import Array, quote
from dovetail.multibody.constraints import ConstrainedSystem
from dovetail.multibody.constraints.bodies import (
    ARMATURE,
    DAMPER,
    EFFORT,
    FRICTION,
    JOINT,
    LIMIT,
    MEASURE,
    MOTOR,
)
from dovetail.multibody.constraints.rows import bundle_rows, evaluate, row_rate
from dovetail.multibody.inputs import Inputs, RowInputs
from dovetail.multibody.state import BodyState
from dovetail.runtime.records import BoolArray, Int64Array


class PotentialJoints:
    """Rows of all joints as `contact.ipc.joints` takes them, with what changes in time."""

    def __init__(
        self, model: Model, bodies: IpcBodies, state: BodyState, newmark: bool = False
    ) -> None:
        """`newmark`: half of the springs and dampers of joints acts at the end of the step.

        The caller lets the other half, at its start, and efforts act (see `load_terms`).
        """
        self._model, self._state = model, state
        self.system = system = ConstrainedSystem(model, state_motors=True)
        n, r = model.n_bodies, len(system.ordered)
        self._spins = SpinAngles(system.rows)
        self._role = np.where(system.row_owned, system.constants.role, UNUSED)
        self._role[self._role == MEASURE] = UNUSED
        soft = np.isin(self._role, (EFFORT, DAMPER))
        strength = system.constants.stiffness + system.constants.damping
        self.soft = bool((soft & (strength > 0.0)).any())
        self._newmark = newmark
        if newmark:
            self._role[soft & (strength == 0.0)] = UNUSED
            self._role[self._role == FRICTION] = UNUSED  # the velocity stage's
        self.arrays = self._arrays(bodies, n, r)
        self.observed: ObservedJoints | None = None
        if not newmark:
            self.observed = ObservedJoints(model, system, state)
        self._amount = np.zeros(r)
        constants, start, found = system.constants, self.arrays.start, self.arrays.multipliers
        self._potential = bundle_potential_rows(
            self._role, constants.side, constants.rest, constants.stiffness, constants.effort,
            constants.damping, constants.armature, constants.friction, start.rate,
            start.reference, start.speed, start.time, found.value, found.penalty,
        )  # fmt: skip
        self._phi, self._angle = np.zeros(r), np.zeros(r)
        self._G = np.zeros((r, system.width, 6))
        if self.observed is not None:  # which fits velocities to the same rows
            self._phi, self._angle, self._G = self.observed.rows
        self._coupled = bool(len(system.rows.term_row))
        self._rotors = np.flatnonzero(self._role == ARMATURE)
        self._end = bundle_rows_at_end(
            bundle_rows(*system.rows), start.angle, self._phi, self._angle, self._G, self._amount,
            self._rotors,
        )  # fmt: skip
        self._inputs = RowInputs(system)
        self._gains: tuple[Any, Any] = None, None  # pull and coordinates of inputs without any
        self._held_back: set[str] = set()
        self._behind = np.zeros(r, np.bool_)
        system.motors.set_time(0.0, 0.0)
        self._begin_spins()
        self._evaluate_rows()
        refuse_violated_start(model, system, np.where(self._role == UNUSED, 0.0, self._phi))
        self._motors = np.flatnonzero(self._role == MOTOR)
        self._row_of_joint = np.full(len(model.joints), -1)  # one of them, -1 without rows
        of_joints = np.flatnonzero(system.row_joint >= 0)
        self._row_of_joint[system.row_joint[of_joints]] = of_joints
        self._target = system.rows.offset.copy()  # [m or rad] of the step before
        self._struck, self._impact = np.zeros(r, np.bool_), np.zeros(r)
        self._hit = False  # whether impacts of the step are there
        if self.observed is not None:
            self.observed.start(self._angle)

    def _arrays(self, bodies: IpcBodies, n: int, r: int) -> JointArrays:
        system, constants = self.system, self.system.constants
        ends = system.rows.body
        used = self._role != UNUSED
        slots = np.where(ends >= 0, bodies.slot[ends], -1) if n else np.full_like(ends, -1)
        linked = used | (system.constants.role == MEASURE)
        slots = np.where(linked[:, None], slots, -1)
        pairs = row_pairs(slots, np.ones(int(slots.max(initial=-1)) + 1, np.bool_))
        jointed = np.zeros(n, np.uint8)
        jointed[ends[used][ends[used] >= 0]] = 1
        length = float(constants.length[0])
        damping, stiffness, effort = constants.damping, constants.stiffness, constants.effort
        if self._newmark:
            damping, stiffness, effort = 0.5 * damping, 0.25 * stiffness, np.zeros(r)
        return joint_arrays(
            JointRows(
                equations=bundle_rows(*system.rows), role=self._role, side=constants.side,
                damping=damping, stiffness=stiffness, rest=constants.rest, effort=effort,
                armature=constants.armature, friction=constants.friction,
                unit=system.unit,
                pairs=pairs.pair, pair_of=pairs.of_row, swapped=pairs.swapped, jointed=jointed,
                length=np.array([length]),
            ),
            system.width,
        )  # fmt: skip

    def _begin_spins(self) -> None:
        """Rotations about axes of a ball are counted from the current state."""
        if len(self._spins.which):
            self._spins.begin(self._state.R)
            for values in (self.arrays.start.angle, self.arrays.start.phi, self._phi):
                values[self._spins.which] = 0.0

    def _evaluate_rows(self) -> None:
        """Rows at the current state."""
        state, angle = self._state, self.arrays.start.angle
        evaluate(self.system.rows, state.x, state.R, angle, self._phi, self._angle, self._G)

    @property
    def motor_rates(self) -> Array:
        """(r,) [m/s or rad/s] that motors prescribe for their rows."""
        rates: Array = self.system.constants.rate
        return rates

    def set_time(self, t: float, near: float) -> None:
        """What motors prescribe at the end `t` [s] of the step that begins now, and rotors resist.

        A motor that is behind is pulled by no more than `CATCH_UP` paths of a step and `near` [m or
        rad], so that the force on what blocks it does not grow with time.
        """
        motors, rows, state = self.system.motors, self.system.rows, self._state
        if self._hit:
            self._struck[...], self._impact[...], self._hit = False, 0.0, False
        self._begin_spins()
        if len(self._rotors):
            set_rotor_rates(self._end, self._potential, state.v, state.omega)
        if not motors:
            return
        reached = self._phi + rows.offset
        motors.set_time(self._state.t, t)
        for r in self._motors:
            path = abs(rows.offset[r] - self._target[r])
            self._target[r] = rows.offset[r]
            if self._behind[r]:
                largest = CATCH_UP * path + near
                far = rows.offset[r] - reached[r]
                rows.offset[r] = reached[r] + np.clip(far, -largest, largest)

    def end_step(self, t: float, bodies_in_contact: PairsOnDemand) -> None:
        """The step to `t` is done; warn once of every motor that bodies stop.

        `bodies_in_contact()` are pairs (k, 2) at the state.
        """
        if self.system.motors:
            self.system.motors.commit()
        self._end_rows()
        if not len(self._motors):
            return
        unit, tolerance = self.arrays.rows.unit, CONVERGED * float(self.arrays.rows.length[0])
        behind = np.abs(self._phi) * unit > tolerance
        for r in self._motors:
            off_target = self._phi[r] + self.system.rows.offset[r] - self._target[r]
            self._behind[r] = behind[r] or abs(off_target) * unit[r] > tolerance
            owner = self.system.ordered[r].owner
            if not behind[r] or owner in self._held_back:
                continue
            self._held_back.add(owner)
            names = sorted({self._model.names[k] for k in bodies_in_contact().ravel()})
            by = ", ".join(map(quote, names)) or "limits or other motors"
            warnings.warn(
                f"the motor of {owner} is held back at "
                f"t = {t:g} s: going on would force an intersection (in contact: {by}). It is "
                f"{abs(self._phi[r]):.3g} m or rad behind and follows as far as it can; give it "
                "room, or use a spring or an effort in its place",
                HeldBackWarning,
                stacklevel=2,
            )

    def set_inputs(self, inputs: Inputs) -> None:
        """What acts along joints, as the entries of their rows that the solver reads."""
        if inputs.pull is self._gains[0] and inputs.coordinates is self._gains[1]:
            self._inputs.set_efforts(inputs)  # gains are other arrays where one is changed
            return
        self._inputs.set(inputs)
        any_gains = inputs.pull.any() or inputs.stiffness.any() or inputs.damping.any()
        self._gains = (None, None) if any_gains else (inputs.pull, inputs.coordinates)

    def set_state(self, coordinates: JointValues) -> None:
        """Rows at a state that was set, near these coordinates."""
        t, start = self._state.t, self.arrays.start
        start.angle[...] = row_angles(self.system, coordinates)
        self.system.motors.set_time(t, t)
        self._begin_spins()
        self._evaluate_rows()
        start.angle[...], start.phi[...] = self._angle, self._phi
        refuse_violated_start(
            self._model, self.system, np.where(self._role == UNUSED, 0.0, self._phi)
        )
        self._target[...] = self.system.rows.offset
        self._behind[...] = False
        if self.observed is not None:
            self.observed.start(self._angle)

    @property
    def jointed(self) -> BoolArray:
        """(n,) which bodies have joints."""
        return np.asarray(self.arrays.rows.jointed != 0)

    def add_impacts(self, struck: BoolArray, forces: Array) -> None:
        """Mean forces (r,) [N or N m] along rows that impacts of the step added.

        Of rows `struck` (r,) they are all that acted.
        """
        self._hit = True
        self._struck |= struck
        self._impact += forces

    def violation(self) -> tuple[float, float, float]:
        """Largest |phi| and |d phi/dt| of joints, motors, limits; energy of springs, rotors [J]."""
        constants, role, phi, state = self.system.constants, self._role, self._phi, self._state
        if self.observed is not None:
            state = self.observed.state
        over = np.where(role == LIMIT, np.maximum(constants.side * phi, 0.0), 0.0)
        off = np.where((role == JOINT) | (role == MOTOR), np.abs(phi), over)
        bodies = self.system.rows.body
        rates = [
            abs(row_rate(bodies, self._G, r, state.v, state.omega) + constants.rate[r])
            for r in np.flatnonzero((role == JOINT) | (role == MOTOR))
        ]
        stretch = phi - constants.rest
        energy = 0.5 * constants.stiffness[role == EFFORT] @ stretch[role == EFFORT] ** 2
        for r in self._rotors:
            rate = row_rate(bodies, self._G, r, state.v, state.omega)
            energy += 0.5 * constants.armature[r] * rate * rate
        energy -= self._inputs.energy(phi)
        return float(off.max(initial=0.0)), float(max(rates, default=0.0)), float(energy)

    def begin_step(self) -> None:
        """A step begins, which may be made in parts."""
        if self.observed is not None:
            self.observed.begin_step()

    def fit_velocities(self) -> None:
        """Let the state, from which no step was made, have the nearest velocities of the joints.

        A step from others would fit them to the joints at its end: off by O(h).
        """
        state, observed = self._state, self.observed
        if observed is None:
            return
        if are_changed(state, observed.state, float(self.arrays.rows.length[0])):
            state.v[...], state.omega[...] = observed.state.v, observed.state.omega

    def observe_end(self) -> None:
        """A step ended here."""
        if self.observed is not None:
            self.observed.end_step(self._angle, self._held_motors(), known=True)

    def _held_motors(self) -> BoolArray | None:
        """(r,) motors that are behind, None where none is."""
        return self._behind if len(self._motors) and self._behind.any() else None

    def wrenches(self, force: Array, torque: Array) -> tuple[Array, Array]:
        """Force [N] and torque [N m] of each joint on its second body, see `Observation`.

        The mean of the step; before the first those of that moment, under `force` and `torque`
        (n, 3) on bodies.
        """
        assert self.observed is not None
        if self.observed.has_stepped:
            return self.observed.mean_wrenches()
        return self.observed.wrenches_now(force, torque)

    @property
    def plain(self) -> bool:
        """Whether nothing of them has to be done in Python between the parts of a step."""
        in_time = self.system.motors.depend_on_time or len(self._rotors) or len(self._spins.which)
        return self.observed is not None and not in_time and not self._coupled

    @property
    def was_hit(self) -> bool:
        """Whether impacts of the last step act on joints."""
        return self._hit

    @property
    def row_of_joint(self) -> Int64Array:
        """(joints,) a row of each, -1 without."""
        return self._row_of_joint

    @property
    def bundles(self) -> tuple[Any, Any]:
        """What forces along the rows depend on, and the rows at the end of a step."""
        return self._potential, self._end

    def _end_rows(self) -> None:
        """Rows at the current state, and what they did in the last step, or part of one."""
        h, observed, state = float(self.arrays.start.previous_h[0]), self.observed, self._state
        before = None if observed is None else observed.impulse.copy()
        if observed is None or self._coupled or self._hit:
            self._evaluate_rows()
            if observed is not None and h > 0.0:
                self._add_forces(observed, h)
                self._act_over_two(observed, before, h)
            return
        end_rows(observed.arrays, self._potential, self._end, state.x, state.R, h, CREEP * PENALTY)
        observed.acted(h)
        self._act_over_two(observed, before, h)

    def _act_over_two(self, observed: ObservedJoints, before: Array | None, h: float) -> None:
        """See there; of joints that act in this step alone nothing changes."""
        start, own = self.arrays.start, self._row_of_joint
        if before is not None and h > 0.0 and len(own):
            share, gain = np.append(start.time / h, 1.0), np.append(start.gain, 0.0)
            observed.acted_over_two(before, share[own], gain[own])

    def _add_forces(self, observed: ObservedJoints, h: float) -> None:
        """As `end_rows`, with impacts and couplings."""
        potential_forces(self._potential, self._phi, h, CREEP * PENALTY, self._amount)
        self._amount[self._struck] = 0.0
        self._amount += self._impact
        amount = self.system.with_couplings(self._amount, self._phi)
        observed.add(amount, self._G, self._state.R, h)

    def snapshot(self) -> Snapshot:
        start, multipliers = self.arrays.start, self.arrays.multipliers
        observed = {} if self.observed is None else self.observed.snapshot()
        return prefixed("observed", observed) | {
            "angle_0": start.angle.copy(), "multiplier_0": multipliers.previous.copy(),
            "values": np.concatenate(self._scalars()).astype(float), "phi_0": start.phi.copy(),
            "moved_0": start.moved.copy(), "rate_before_0": start.rate_before.copy(),
            "multiplier": multipliers.value.copy(), "target": self._target.copy(),
            "behind": self._behind.copy(), "motors": self.system.motors.travel.copy(),
            "offset": self.system.rows.offset.copy(), "spins": self._spins.planes.copy(),
            "struck": self._struck.copy(), "impact": self._impact.copy(),
        }  # fmt: skip

    def _scalars(self) -> tuple[Any, ...]:
        """(1,) each, in the order of "values" of a snapshot."""
        start, multipliers = self.arrays.start, self.arrays.multipliers
        return (
            start.h, start.previous_h, self.arrays.rows.length, multipliers.blocked,
            multipliers.updates, multipliers.residual, multipliers.stalled,
        )  # fmt: skip

    def restore(self, snapshot: Snapshot) -> None:
        start, multipliers = self.arrays.start, self.arrays.multipliers
        start.angle[...], start.phi[...] = snapshot["angle_0"], snapshot["phi_0"]
        start.moved[...], start.rate_before[...] = snapshot["moved_0"], snapshot["rate_before_0"]
        multipliers.previous[...] = snapshot["multiplier_0"]
        multipliers.value[...] = snapshot["multiplier"]
        for scalar, value in zip(self._scalars(), snapshot["values"]):
            scalar[0] = value
        self._target[...], self._behind[...] = snapshot["target"], snapshot["behind"]
        self._struck[...], self._impact[...] = snapshot["struck"], snapshot["impact"]
        self._hit = True
        motors, t = self.system.motors, self._state.t
        motors.travel[...] = snapshot["motors"]
        motors.set_time(t, t)
        self.system.rows.offset[...] = snapshot["offset"]
        self._spins.restore(snapshot["spins"])
        self._evaluate_rows()
        if self.observed is not None:
            seen = part_of(snapshot, "observed")
            self.observed.restore(seen, self._angle, self._held_motors())
