"""What is set between steps of a run: forces on bodies, efforts and feedback along joints.

Along a coordinate q with rate q' of a joint acts
    tau = effort + pull - stiffness q - damping q',
so a target position q* with gains k, c is stiffness k, damping c and pull k q*. All of it is work
of a source: none of it counts as potential energy.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dovetail.model.values import Array
from dovetail.multibody.loads.wrenches import CompiledLoads

if TYPE_CHECKING:
    from dovetail.multibody.constraints.system import ConstrainedSystem


class Inputs(NamedTuple):
    """What acts from now on, on n bodies and along k coordinates of joints."""

    force: Array  # (n, 3) [N] world axes, at the centres of mass
    torque: Array  # (n, 3) [N m] world axes
    coordinates: tuple[tuple[int, int], ...]  # (k,) joint of the model, coordinate of that joint
    effort: Array  # (k,) [N or N m]
    pull: Array  # (k,) [N or N m]
    stiffness: Array  # (k,) [N/m or N m/rad]
    damping: Array  # (k,) [N s/m or N m s/rad]
    time: float = 0.0  # [s] now


class BodyInputs:
    """Forces on bodies, added to the constant loads that the kernels of a stepper read."""

    def __init__(self, loads: CompiledLoads) -> None:
        self._loads = loads
        self._force, self._torque = loads.force.copy(), loads.torque.copy()
        self.force: Array = np.zeros_like(loads.force)
        self.torque: Array = np.zeros_like(loads.torque)

    def set(self, inputs: Inputs) -> tuple[Array, Array]:
        """Let `inputs` act in place of those before; how much more that is, (n, 3) each."""
        more = inputs.force - self.force, inputs.torque - self.torque
        self.force, self.torque = inputs.force.copy(), inputs.torque.copy()
        self._loads.force[...] = self._force + self.force
        self._loads.torque[...] = self._torque + self.torque
        return more


class RowChange(NamedTuple):
    """How the force along an EFFORT row changed: by `effort` - `stiffness` (phi - rest)."""

    row: int
    effort: float
    stiffness: float


class RowInputs:
    """Inputs along joints as entries of the rows of a constrained system."""

    def __init__(self, system: "ConstrainedSystem") -> None:
        from dovetail.multibody.constraints.bodies import DAMPER, EFFORT

        self._system, constants = system, system.constants
        self._effort = constants.effort.copy()
        self._stiffness, self._damping = constants.stiffness.copy(), constants.damping.copy()
        self._rows: dict[tuple[int, int], list[int]] = {}
        for r, role in enumerate(constants.role.tolist()):
            key = int(system.row_joint[r]), int(system.row_coordinate[r])
            if min(key) >= 0 and role in (EFFORT, DAMPER):
                self._rows.setdefault(key, [-1, -1])[role == DAMPER] = r

    def rows_of(self, coordinate: tuple[int, int]) -> tuple[int, int]:
        """The EFFORT and the DAMPER row of a steered coordinate."""
        effort, damper = self._rows[coordinate]
        return effort, damper

    def energy(self, phi: Array) -> float:
        """[J] that springs to targets would hold; no potential energy of the scene."""
        constants = self._system.constants
        rows = [r for r, _ in self._rows.values() if r >= 0]
        if not rows:
            return 0.0
        added = constants.stiffness[rows] - self._stiffness[rows]
        return float(0.5 * added @ (phi[rows] - constants.rest[rows]) ** 2)

    def set(self, inputs: Inputs) -> list[RowChange]:
        """Write the rows' effort, stiffness and damping; how their forces changed."""
        constants, motors, changes = self._system.constants, self._system.motors, []
        for i, coordinate in enumerate(inputs.coordinates):
            r, d = self._rows[coordinate]
            stiffness = self._stiffness[r] + inputs.stiffness[i]
            added = inputs.effort[i] + inputs.pull[i] - inputs.stiffness[i] * constants.rest[r]
            effort = motors.effort_of(r, inputs.time, self._effort[r]) + added
            more = effort - constants.effort[r], stiffness - constants.stiffness[r]
            constants.stiffness[r] = stiffness
            constants.damping[d] = self._damping[d] + inputs.damping[i]
            motors.added[r], constants.effort[r] = added, effort
            if more != (0.0, 0.0):
                changes.append(RowChange(r, float(more[0]), float(more[1])))
        return changes
