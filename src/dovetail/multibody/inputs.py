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
from dovetail.runtime.records import Int64Array

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
    on_bodies: bool = True  # False only where force and torque are 0


class BodyInputs:
    """Forces on bodies, added to the constant loads that the kernels of a stepper read."""

    def __init__(self, loads: CompiledLoads) -> None:
        self._loads = loads
        self._force, self._torque = loads.force.copy(), loads.torque.copy()
        self.force: Array = np.zeros_like(loads.force)
        self.torque: Array = np.zeros_like(loads.torque)
        self.any = False
        self.changed = False  # by the inputs set last
        self._nothing = np.zeros_like(loads.force), np.zeros_like(loads.force)

    def changes(self, inputs: Inputs) -> bool:
        """Whether anything acts on bodies, or did."""
        if self.any or not inputs.on_bodies:
            return self.any
        return bool(np.count_nonzero(inputs.force) + np.count_nonzero(inputs.torque))

    def set(self, inputs: Inputs) -> tuple[Array, Array]:
        """Let `inputs` act in place of those before; how much more that is, (n, 3) each."""
        self.changed = self.changes(inputs)
        if not self.changed:
            return self._nothing
        self.any = bool(inputs.force.any() or inputs.torque.any())
        more = inputs.force - self.force, inputs.torque - self.torque
        self.force, self.torque = inputs.force.copy(), inputs.torque.copy()
        self._loads.force[...] = self._force + self.force
        self._loads.torque[...] = self._torque + self.torque
        return more


class RowChanges(NamedTuple):
    """How forces along EFFORT rows changed: by `effort` - `stiffness` (phi - rest), (k,) each."""

    rows: Int64Array
    effort: Array
    stiffness: Array


class RowInputs:
    """Inputs along joints as entries of the rows of a constrained system."""

    def __init__(self, system: "ConstrainedSystem") -> None:
        from dovetail.multibody.constraints.bodies import DAMPER, EFFORT

        self._system, constants = system, system.constants
        self._effort = constants.effort.copy()
        system.motors.put_steady_efforts(self._effort)
        self._stiffness, self._damping = constants.stiffness.copy(), constants.damping.copy()
        self._own: Array = np.zeros(0)  # (k,) [N or N m] of motors that do not change in time
        self._rows: dict[tuple[int, int], list[int]] = {}
        self._known: tuple[tuple[tuple[int, int], ...], Int64Array, Int64Array] | None = None
        for r, role in enumerate(constants.role.tolist()):
            key = int(system.row_joint[r]), int(system.row_coordinate[r])
            if min(key) >= 0 and role in (EFFORT, DAMPER):
                self._rows.setdefault(key, [-1, -1])[role == DAMPER] = r

    def dampers_of(self, coordinates: tuple[tuple[int, int], ...]) -> Int64Array:
        """The DAMPER rows of steered coordinates."""
        return self._places(coordinates)[1]

    def energy(self, phi: Array) -> float:
        """[J] that springs to targets would hold; no potential energy of the scene."""
        constants = self._system.constants
        rows = [r for r, _ in self._rows.values() if r >= 0]
        if not rows:
            return 0.0
        added = constants.stiffness[rows] - self._stiffness[rows]
        return float(0.5 * added @ (phi[rows] - constants.rest[rows]) ** 2)

    def set(self, inputs: Inputs) -> RowChanges:
        """Write the rows' effort, stiffness and damping; how their forces changed."""
        if not inputs.coordinates:
            return RowChanges(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
        constants, motors = self._system.constants, self._system.motors
        r, d = self._places(inputs.coordinates)
        stiffness = self._stiffness[r] + inputs.stiffness
        added = inputs.effort + inputs.pull - inputs.stiffness * constants.rest[r]
        effort = motors.efforts_of(r, inputs.time, self._effort) + added
        more, stiffer = effort - constants.effort[r], stiffness - constants.stiffness[r]
        constants.stiffness[r], constants.effort[r] = stiffness, effort
        constants.damping[d] = self._damping[d] + inputs.damping
        motors.added[r] = added
        return RowChanges(r, more, stiffer)

    def set_efforts(self, inputs: Inputs) -> None:
        """Write the rows' effort alone; gains are those of the last inputs, or none."""
        if inputs.coordinates:
            motors, (r, _) = self._system.motors, self._places(inputs.coordinates)
            motors.added[r] = inputs.effort
            if motors.have_efforts_in_time:
                own = motors.efforts_of(r, inputs.time, self._effort)
            else:
                own = self._own
            self._system.constants.effort[r] = own + inputs.effort

    def _places(self, coordinates: tuple[tuple[int, int], ...]) -> tuple[Int64Array, Int64Array]:
        """The EFFORT and DAMPER rows of coordinates."""
        if self._known is None or self._known[0] is not coordinates:
            rows = np.array([self._rows[one] for one in coordinates], np.int64)
            self._known = coordinates, rows[:, 0].copy(), rows[:, 1].copy()
            self._own = self._effort[self._known[1]]
        return self._known[1], self._known[2]
