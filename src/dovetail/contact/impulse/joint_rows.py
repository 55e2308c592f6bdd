"""The joints, motors, limits and dampers of a model as rows of the impulse problem."""

from typing import Any, NamedTuple

import numpy as np

from dovetail.contact.impulse.joint_kernels import (
    add_efforts,
    bundle_joints,
    largest_violation,
    place_joints,
    set_targets,
    take_rates,
)
from dovetail.contact.impulse.records import BILATERAL, BOUNDED, RELEASED, UNILATERAL
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.values import Array
from dovetail.multibody.constraints import ConstrainedSystem, refuse
from dovetail.multibody.constraints.actuation_rows import FRICTION_IN_JOINTS
from dovetail.multibody.constraints.bodies import (
    ARMATURE,
    DAMPER,
    EFFORT,
    FRICTION,
    JOINT,
    LIMIT,
    MOTOR,
)
from dovetail.multibody.constraints.rows import row_rate
from dovetail.multibody.inputs import Inputs, RowInputs
from dovetail.runtime.records import Int64Array


class RowTargets(NamedTuple):
    """What J u + c + s lambda = 0 asks of the velocities, (count,) each."""

    c: Array
    softness: Array


class JointRows:
    """Rows G and values phi at a pose, and what each row asks of the velocities."""

    def __init__(self, model: Model, with_friction: bool = False) -> None:
        """`with_friction`: rows of dry friction too, RELEASED: who asks for them solves them."""
        if not with_friction:
            refuse(model, "StewartTrinkle", FRICTION_IN_JOINTS)
        self.system = ConstrainedSystem(model, state_motors=True)
        constants = self.system.constants
        role = constants.role
        of_joint = self.system.row_owned | (role == DAMPER)
        solved = of_joint & np.isin(role, (JOINT, MOTOR, LIMIT, DAMPER, FRICTION, ARMATURE))
        self.which = np.flatnonzero(solved)
        self.role = role[self.which]
        self.has_dampers = bool((self.role == DAMPER).any())
        self.mode = np.where(self.role == LIMIT, UNILATERAL, BILATERAL).astype(np.int8)
        self.mode[self.role == FRICTION] = RELEASED
        self._limits = np.flatnonzero(self.role == LIMIT)
        self.unheld = np.isin(self.role, (DAMPER, FRICTION, ARMATURE))
        self.unit = self.system.unit[self.which]
        self.sign = np.where(role == LIMIT, -constants.side, 1.0)
        self._efforts = np.flatnonzero(role == EFFORT)
        self._moves = model.motion == DYNAMIC
        r = len(role)
        self.G, self.phi = np.zeros((r, self.system.width, 6)), np.zeros(r)
        self.angle = np.zeros(r)
        self._rotors = np.flatnonzero(role == ARMATURE)
        self._own_rotors = np.flatnonzero(self.role == ARMATURE)
        self._spring = np.zeros(r)  # [N/m or N m/rad] along DAMPER rows, at the end of the step
        self._pull = np.zeros(r)  # [N or N m] along them
        self._inputs = RowInputs(self.system)
        self._steered: Any = None  # coordinates and gains of the last inputs
        self._gains = b""
        self._damped = np.flatnonzero(self.role == DAMPER)
        self._damper_rows = self.which[self._damped]
        self._release_idle()
        k = len(self.which)
        self.bound: Array = np.zeros(k)  # [N s or N m s] of rows of dry friction, of `targets`
        self._c, self.softness = np.zeros(k), np.zeros(k)
        self.arrays: Any = bundle_joints(
            self.system.rows, role, self.sign, constants.effort, constants.stiffness,
            constants.rest, constants.damping, self._spring, self._pull, constants.armature,
            np.zeros(r), constants.friction, self._moves, self.G, self.phi, self.angle,
            self.which, self.mode, self._c, self.softness, self.bound,
        )  # fmt: skip

    @property
    def count(self) -> int:
        return len(self.which)

    def set_inputs(self, inputs: Inputs) -> None:
        """Springs to targets act at the end of the step, with the dampers, so any are stable."""
        gains = inputs.pull.tobytes() + inputs.stiffness.tobytes() + inputs.damping.tobytes()
        if inputs.coordinates is self._steered and gains == self._gains:
            self._inputs.set_efforts(inputs)
            return
        self._steered, self._gains = inputs.coordinates, gains
        none = np.zeros_like(inputs.pull)
        self._inputs.set(inputs._replace(pull=none, stiffness=none))
        if inputs.coordinates:
            r = self._inputs.dampers_of(inputs.coordinates)
            self._spring[r], self._pull[r] = inputs.stiffness, inputs.pull
        self._release_idle()

    def _release_idle(self) -> None:
        """Dampers of no strength are no rows."""
        r = self._damper_rows
        strength = self.system.constants.damping[r] + self._spring[r] + np.abs(self._pull[r])
        self.mode[self._damped] = np.where(strength == 0.0, RELEASED, BILATERAL)

    @property
    def bodies(self) -> Int64Array:
        """(r, k) of all rows, -1 the ground, or no body."""
        body: Int64Array = self.system.rows.body
        return body

    def at(self, x: Array, R: Array) -> None:
        """Rows at a pose; a limit's row is the distance to it, >= 0 where it is respected."""
        place_joints(self.arrays, x, R)

    def targets(self, h: float) -> RowTargets:
        """c and s of J u + c + s lambda = 0 for a step h [s], valid until the next call.

        `bound` has those of dry friction.
        """
        set_targets(self.arrays, h)
        return RowTargets(self._c, self.softness)

    def take_rates(self, v: Array, omega: Array) -> None:
        """Velocities (n, 3) at the start of the step, which rotors resist to change."""
        if len(self._rotors):
            take_rates(self.arrays, v, omega)

    def keep_rotors(self, c: Array, rates: Array) -> None:
        """Let rotors resist a change of the rates (rows,) by impulses: their part of the bias c."""
        c[self._own_rotors] = -rates[self._own_rotors]

    def solve_friction(self) -> None:
        """Rows of dry friction are solved with the others, |lambda| <= h friction."""
        self.mode[self.role == FRICTION] = BOUNDED

    def gaps(self) -> Array:
        """(count,) how far each row is off, and how far each limit is away, < 0 where passed.

        0 for dampers, friction and rotors.
        """
        return np.where(self.unheld, 0.0, self.phi[self.which])

    def violations(self) -> Array:
        """(count,) the same, but 0 for limits respected."""
        gaps = self.gaps()
        gaps[self._limits] = np.minimum(gaps[self._limits], 0.0)
        return gaps

    def largest_violation(self) -> float:
        """[m] of `violations`, angles at the length of the scene."""
        return float(largest_violation(self.arrays, self.unit, self.unheld))

    def add_efforts(self, R: Array, force: Array, torque: Array) -> None:
        """Joint springs and motor efforts, added to the wrenches (n, 3)."""
        if len(self._efforts):
            add_efforts(self.arrays, R, force, torque)

    def along_rows(self, solved: Array) -> Array:
        """(r,) of all rows, `solved` (count,) those of the rows solved for, else 0."""
        return self.system.with_couplings(self._all_rows(solved), self.phi)

    def _all_rows(self, solved: Array) -> Array:
        found = np.zeros(len(self.system.constants.role))
        found[self.which] = solved
        return found

    @property
    def targets_of_inputs(self) -> tuple[Array, Array]:
        """Stiffness [N/m or N m/rad] and pull [N or N m] (r,) of springs to targets."""
        return self._spring, self._pull

    def forces(self, solved: Array) -> Array:
        """(r,) [N or N m] along all rows; `solved` (count,) are those of the rows solved for."""
        constants, efforts = self.system.constants, self._efforts
        found = self._all_rows(solved)
        stretch = self.phi[efforts] - constants.rest[efforts]
        found[efforts] = constants.effort[efforts] - constants.stiffness[efforts] * stretch
        return self.system.with_couplings(found, self.phi)

    def stored_energy(self, v: Array, omega: Array) -> float:
        """Sum of k (phi - rest)^2 / 2 + a rate^2 / 2 of springs and rotors [J] at the last pose."""
        constants, r = self.system.constants, self._efforts
        energy = float(0.5 * constants.stiffness[r] @ (self.phi[r] - constants.rest[r]) ** 2)
        for k in self._rotors:
            rate = float(row_rate(self.bodies, self.G, k, v, omega))
            energy += 0.5 * float(constants.armature[k]) * rate * rate
        return energy
