"""The path of the bodies from one recorded frame to the next."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.integrators.interface import Stepper
from dovetail.model.values import Array
from dovetail.multibody.state import BodyState
from dovetail.results.checkpoint import Arrays


class PathSinceFrame:
    """Gathers poses between two frames, and keeps them where the direct path is not enough.

    Of a single step, those its stepper gives. Of several steps, all of theirs and where they
    ended, unless the stepper says that the direct path from frame to frame is collision-free.
    """

    def __init__(self, stepper: Stepper) -> None:
        self._stepper: Any = stepper
        self._on = hasattr(stepper, "waypoints")
        self._steps = self._known = 0  # steps, and stops before the last step
        self._time: list[float] = []  # of the frame, the waypoints and the end of each step
        self._x: list[Array] = []
        self._R: list[Array] = []
        self._spin: Array = np.zeros((0, 3))  # at the frame

    def begin(self, state: BodyState) -> None:
        """Start at a frame."""
        if self._on:
            self._steps, self._spin = 0, state.spin.copy()
            self._time, self._x, self._R = [state.t], [state.x.copy()], [state.R.copy()]

    def add_step(self, state: BodyState) -> None:
        """Take the poses of the step that ended at `state`."""
        if self._on:
            x, R = self._stepper.waypoints()
            self._known = len(self._time)
            self._time += np.linspace(self._time[-1], state.t, len(x) + 2)[1:].tolist()
            self._x += [*np.array(x), state.x.copy()]
            self._R += [*np.array(R), state.R.copy()]
            self._steps += 1

    def drop_step(self) -> None:
        """Drop the last step: the run ended within it."""
        if self._on:
            for stops in (self._time, self._x, self._R):
                del stops[self._known :]
            self._steps -= 1

    def rows(self, state: BodyState) -> Arrays | None:
        """The rows to record before the frame of `state`; None where the direct path is enough."""
        if len(self._time) <= 2 or (self._steps > 1 and self._is_direct_enough(state)):
            return None
        x, R = np.array(self._x), np.array(self._R)
        rests = _is_constant(x) & _is_constant(R)
        bodies = np.flatnonzero(~rests & np.isfinite(x).all(axis=(0, 2)))
        k, m = len(x) - 2, len(bodies)
        return {
            "waypoints/body": np.tile(bodies.astype(np.int32), k),
            "waypoints/time": np.repeat(self._time[1:-1], m),
            "waypoints/position": x[1:-1, bodies].reshape(k * m, 3),
            "waypoints/rotation": R[1:-1, bodies].reshape(k * m, 3, 3),
        }

    def snapshot(self) -> Arrays:
        """What a resumed run needs; nothing where the stepper leaves no waypoints."""
        if not self._on:
            return {}
        return {
            "path_steps": np.array(self._steps),
            "path_spin": self._spin,
            "path_time": np.array(self._time),
            "path_x": np.array(self._x),
            "path_R": np.array(self._R),
        }

    def restore(self, snapshot: Arrays) -> None:
        """Return to where `snapshot` was taken."""
        if self._on:
            self._steps, self._spin = int(snapshot["path_steps"]), snapshot["path_spin"]
            self._time = snapshot["path_time"].tolist()
            self._x, self._R = list(snapshot["path_x"]), list(snapshot["path_R"])

    def _is_direct_enough(self, state: BodyState) -> bool:
        """Whether the twist from the frame to `state` is free and less than half a rotation."""
        fastest = max(float(np.max(np.linalg.norm(w, axis=1))) for w in (self._spin, state.spin))
        if fastest * (state.t - self._time[0]) > np.pi:
            return False
        is_free = getattr(self._stepper, "is_path_collision_free", None)
        return is_free is not None and bool(is_free(self._x[0], self._R[0]))


def _is_constant(poses: Array) -> NDArray[np.bool_]:
    """(n,) of the bodies (k, n, ...) whose numbers are the same k times, to the bit."""
    same = (poses == poses[0]).all(axis=0)
    return np.asarray(same.reshape(len(same), -1).all(axis=1))
