"""The prescribed motion of kinematic bodies over one step."""

from typing import NamedTuple

import numpy as np

from dovetail.linalg.lie import so3
from dovetail.model.frozen import Model
from dovetail.model.values import Array
from dovetail.multibody.state import BodyState, place_kinematic
from dovetail.runtime.records import Int64Array


class KinematicMotion(NamedTuple):
    """Mean velocities of the kinematic bodies over a step, and their state at its end."""

    numbers: Int64Array  # (k,)
    v: Array  # (k, 3) [m/s]
    spin: Array  # (k, 3) [rad/s] world axes
    end: BodyState | None  # None where there are no such bodies

    def set_velocities(self, u: Array) -> None:
        """Their rows of u (n, 6)."""
        if self.end is not None:
            u[self.numbers, :3], u[self.numbers, 3:] = self.v, self.spin

    def finish(self, state: BodyState) -> None:
        """Their rows of the state at the end of the step."""
        end = self.end
        if end is not None:
            for i in self.numbers:
                state.x[i], state.R[i] = end.x[i], end.R[i]
                state.v[i], state.omega[i] = end.v[i], end.omega[i]


_NONE = np.zeros((0, 3))


def kinematic_motion(
    model: Model, numbers: Int64Array, state: BodyState, t_next: float
) -> KinematicMotion:
    """The motion from `state` to the time t_next [s]."""
    if not len(numbers):
        return KinematicMotion(numbers, _NONE, _NONE, None)
    v, spin = np.zeros((len(numbers), 3)), np.zeros((len(numbers), 3))
    h, end = t_next - state.t, state.copy()
    end.t = t_next
    place_kinematic(model, end)
    for k, i in enumerate(numbers):
        v[k] = (end.x[i] - state.x[i]) / h
        spin[k] = np.asarray(so3.log(end.R[i] @ state.R[i].T)) / h
    return KinematicMotion(numbers, v, spin, end)
