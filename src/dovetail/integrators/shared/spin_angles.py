"""Rows that measure a rate only, as angles counted from the start of each step.

A potential needs a value whose change is what the row measures. The rotation of b against a about
an axis g of b (`constraints.rows`, SPIN) is none, but within a step it is the angle of a direction
of b about that axis, held in a as it is at the start: equal at the start, to second order after.
"""

import numpy as np

from dovetail.model.frozen import GROUND
from dovetail.model.joints.equations import ANGLE, SPIN
from dovetail.model.values import Array
from dovetail.multibody.constraints.rows import Rows


class SpinAngles:
    """The SPIN rows of a system, which become ANGLE rows of `rows`."""

    def __init__(self, rows: Rows) -> None:
        self.which = np.flatnonzero(rows.kind == SPIN)
        self._axes = rows.g[self.which].copy()  # in b
        across = np.eye(3)[np.argmin(np.abs(self._axes), axis=1)]
        start = np.cross(self._axes, across)
        self._start = start / np.linalg.norm(start, axis=1)[:, None]  # in b, normal to the axes
        self._body, self._plane = rows.body[self.which, :2], rows.plane
        rows.kind[self.which] = ANGLE

    def begin(self, R: Array) -> None:
        """Count from the rotations R (n, 3, 3)."""
        for k, r in enumerate(self.which):
            a, b = self._body[k]
            in_a = np.eye(3) if b == GROUND else R[b]
            if a != GROUND:
                in_a = R[a].T @ in_a
            start, axis = self._start[k], self._axes[k]
            self._plane[r] = in_a @ start, in_a @ np.cross(axis, start), start

    @property
    def planes(self) -> Array:
        """(k, 3, 3) that the angles are counted from."""
        return np.asarray(self._plane[self.which])

    def restore(self, planes: Array) -> None:
        """Count from these again."""
        self._plane[self.which] = planes
