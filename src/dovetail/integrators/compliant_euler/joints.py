"""Joints, motors, limits and dampers as rows of a step with compliant contacts."""

from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.contact.impulse.joint_rows import JointRows
from dovetail.contact.impulse.records import RELEASED
from dovetail.contact.penalty.compliant.step_kernels import world_rows
from dovetail.contact.penalty.compliant.workspace import DRY, Coupling, coupling, joint_system
from dovetail.integrators.interface import JointValues
from dovetail.integrators.shared.constrained_state import row_angles
from dovetail.integrators.shared.impulse_poses import shift_poses
from dovetail.linalg.block_cholesky.row_pairs import row_pairs
from dovetail.model.values import Array
from dovetail.multibody.constraints.bodies import (
    ARMATURE,
    DAMPER,
    FRICTION,
    LIMIT,
)
from dovetail.multibody.inputs import Inputs
from dovetail.multibody.state import BodyState
from dovetail.runtime.records import BoolArray

if TYPE_CHECKING:
    from dovetail.integrators.compliant_euler.stepper import CompliantEulerStepper

DRIFT = 1e-10  # of the scene's length: violations that are left
SOLVED = 1e-3  # of a violation: accuracy of its correction
MAX_CORRECTIONS = 6
LIMIT_SHARE = 0.2  # of the violation of a limit, corrected in each step


class CompliantJoints:
    """The rows of all joints; `system` is what the solver takes."""

    def __init__(self, rows: JointRows) -> None:
        self._rows = rows
        self.any = rows.count > 0 or len(rows.system.constants.role) > 0
        body = rows.bodies[rows.which]
        self.system = joint_system(body.astype(np.int32), rows.mode.copy(), rows.unit)
        self._pairs = row_pairs(body, rows._moves)
        self._limit = rows.role == LIMIT
        self._body, self._dry = body, rows.role == FRICTION

    @property
    def rows(self) -> JointRows:
        return self._rows

    @property
    def n_pairs(self) -> int:
        """Of moving bodies that rows connect."""
        return len(self._pairs.pair)

    @property
    def width(self) -> int:
        """How many bodies a row has room for."""
        return self._rows.system.width

    def coupling(self, contacts: int, pairs: int) -> Coupling:
        """Which pairs rows couple, with capacity for contacts and their pairs."""
        r, row_pairs = self._pairs.of_row.shape
        return coupling(contacts, r, pairs, row_pairs)

    def joined(self, n: int) -> BoolArray:
        """(n,) which bodies rows act on."""
        found = np.zeros(n, np.bool_)
        found[self._body[self._body >= 0]] = True
        return found

    def set_pairs(self, coupled: Coupling) -> None:
        """The pairs of joints are the first ones."""
        coupled.pair[: self.n_pairs] = self._pairs.pair
        coupled.of_row[...] = self._pairs.of_row
        coupled.count[0] = -1

    def at(self, state: BodyState) -> None:
        """Rows at the poses of `state`."""
        self._rows.at(state.x, state.R)

    def set_inputs(self, inputs: Inputs) -> None:
        self._rows.set_inputs(inputs)

    def set_state(self, state: BodyState, coordinates: JointValues) -> None:
        """Rows at a state that was set, near these coordinates of joints."""
        self._rows.angle[...] = row_angles(self._rows.system, coordinates)
        self.at(state)

    def add_efforts(self, R: Array, force: Array, torque: Array) -> None:
        self._rows.add_efforts(R, force, torque)

    def set_targets(self, h: float, state: BodyState) -> None:
        """What the rows ask of the velocities of a step of h [s] from `state`."""
        if not self._rows.count:
            return
        self._rows.take_rates(state.v, state.omega)
        R = state.R
        targets, system = self._rows.targets(h), self.system
        self._set_rows(R)
        c = np.where(self._limit, np.maximum(targets.c, 0.0), targets.c)  # passed: no further
        system.c[...], system.softness[...] = c, targets.softness
        system.mode[...] = np.where(self._dry, DRY, self._rows.mode)
        system.bound[...] = h * self._rows.system.constants.friction[self._rows.which]

    def _set_rows(self, R: Array) -> None:
        rows = self._rows
        world_rows(R, rows.bodies, rows.G, rows.which, self.system.body, self.system.J)

    def correct_drift(self, stepper: "CompliantEulerStepper", state: BodyState) -> int:
        """Close the joints by displacements that leave velocities as they are; the iterations."""
        rows, system, done = self._rows, self.system, 0
        if not rows.count:
            return 0
        kept, motion = system.multiplier.copy(), stepper.motion
        lam = stepper.work.lam.copy()
        for k in range(MAX_CORRECTIONS):
            rows.at(state.x, state.R)
            violations = rows.violations()
            violations[self._limit] *= LIMIT_SHARE if k == 0 else 0.0
            largest = float(np.abs(violations * rows.unit).max(initial=0.0))
            if largest <= DRIFT * float(rows.system.constants.length[0]):
                break
            self._set_rows(state.R)
            system.c[...], system.softness[...], system.multiplier[...] = violations, 0.0, 0.0
            system.mode[...] = np.where(np.isin(rows.role, (DAMPER, ARMATURE)), RELEASED, rows.mode)
            done += stepper.displacement(SOLVED * largest)
            shift_poses(stepper.arrays, motion.u, state.x, state.R, state.omega, motion.L)
        system.multiplier[...], stepper.work.lam[...] = kept, lam
        return done

    def violation(self) -> float:
        """The largest of any row [m or rad]."""
        return float(np.abs(self._rows.violations()).max(initial=0.0))

    def stored_energy(self, state: BodyState) -> float:
        return self._rows.stored_energy(state.v, state.omega)

    def snapshot(self) -> dict[str, Any]:
        return {"angle": self._rows.angle.copy(), "impulse": self.system.multiplier.copy()}

    def restore(self, snapshot: dict[str, Any]) -> None:
        self._rows.angle[...] = snapshot["angle"]
        self.system.multiplier[...] = snapshot["impulse"]
