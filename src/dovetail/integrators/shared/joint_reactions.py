"""Forces along rows, put together to what each joint does to its second body."""

from typing import Any

import numpy as np

from dovetail.integrators.shared.joint_kernels import sum_rows
from dovetail.model.frozen import Model
from dovetail.model.values import Array
from dovetail.multibody.constraints import ConstrainedSystem
from dovetail.multibody.joint_points import point_on_b


class JointReactions:
    """The rows of every joint, prepared once."""

    def __init__(self, model: Model, system: ConstrainedSystem) -> None:
        self._points = np.array(
            [point_on_b(placed, system.initial) for placed in model.joints], np.float64
        ).reshape(-1, 3)
        second = np.array([placed.body_b for placed in model.joints], np.int64)
        self._rows = np.flatnonzero(system.row_joint >= 0)
        self._joints = system.row_joint[self._rows]
        self._bodies = second[self._joints]
        self._sides = (system.rows.body[self._rows, 1] == self._bodies).astype(np.int64)

    def add(self, factor: float, amount: Array, G: Array, R: Array, found: Array) -> None:
        """Add force [N] and torque [N m] about each joint's point to `found` (2, joints, 3).

        Of forces factor * `amount` (r,) along rows of Jacobians G (r, 2, 6) in body twists.
        """
        sum_rows(
            factor, amount, G, R, self._rows, self._joints, self._bodies, self._sides,
            self._points, found[0], found[1],
        )  # fmt: skip

    @property
    def arrays(self) -> tuple[Any, ...]:
        """Rows, their joints, second bodies and sides, and points, as `sum_rows` takes them."""
        return self._rows, self._joints, self._bodies, self._sides, self._points

    def wrenches(self, amount: Array, G: Array, R: Array) -> tuple[Array, Array]:
        """Force [N] and torque [N m] about the joint's point, (joints, 3) each."""
        found = np.zeros((2, len(self._points), 3))
        self.add(1.0, amount, G, R, found)
        return found[0], found[1]
