"""The path of the bodies of a result: its frames, and the waypoints between them.

From one time to the next a body moves at a constant world twist,
    x(s) = x_0 + s (x_1 - x_0),   R(s) = exp(s log(R_1 R_0^T)) R_0,   s from 0 to 1.
Waypoints are recorded by schemes that promise more about the path than about the twist from frame
to frame. A body that has none between two frames goes directly.
"""

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.model.values import Array
from dovetail.results.stored import Stored


class MotionPath:
    """Frames and waypoints of all bodies on one clock; each is a stop."""

    def __init__(self, stored: Stored) -> None:
        self._stored = stored
        self.time: Array = np.array(stored.column("time"))  # (stops,) [s]
        frames = len(self.time)
        self.interval: NDArray[np.int64] = np.arange(frames) - 1  # (stops,) frame before, or -1
        self.is_frame: NDArray[np.bool_] = np.ones(frames, bool)  # (stops,)
        self.has_waypoints = stored.header.waypoints and stored.rows["waypoints"] > 0
        if self.has_waypoints:
            self._put_waypoints_between(frames)

    def _put_waypoints_between(self, frames: int) -> None:
        leads_to = np.array(self._stored.column("waypoints/frame"))
        passing = np.array(self._stored.column("waypoints/time"))
        if not np.all((leads_to >= 1) & (leads_to < frames)) or not np.isfinite(passing).all():
            raise InputError(f"the waypoints of {self._stored.name} are damaged")
        pairs = np.stack([leads_to - 1.0, passing], axis=1)
        stops, stop_of_row = np.unique(pairs, axis=0, return_inverse=True)
        time = np.concatenate([self.time, stops[:, 1]])
        interval = np.concatenate([self.interval, stops[:, 0].astype(np.int64)])
        is_frame = np.arange(len(time)) < frames
        order = np.lexsort((time, is_frame, interval))
        self.time, self.interval, self.is_frame = time[order], interval[order], is_frame[order]
        self._stop_of_row = np.argsort(order)[frames + stop_of_row.ravel()]

    def poses(self, body: int) -> tuple[Array, Array, NDArray[np.bool_]]:
        """x (stops, 3) [m], R (stops, 3, 3), and whether a waypoint led to the stop (stops,)."""
        x = np.array(self._stored.column("position")[:, body])
        R = np.array(self._stored.column("rotation")[:, body])
        return self.through_waypoints(body, x, R)

    def through_waypoints(
        self, body: int, x: Array, R: Array
    ) -> tuple[Array, Array, NDArray[np.bool_]]:
        """What `poses` gives, from the poses of a body at the frames."""
        led: NDArray[np.bool_] = np.zeros(len(self.time), bool)
        if not self.has_waypoints:
            return x, R, led
        rows = np.flatnonzero(self._stored.column("waypoints/body") == body)
        given = self._stop_of_row[rows]
        led[given] = True
        direct = np.flatnonzero(~self.is_frame & ~led)
        k = self.interval[direct]
        begin, end = self._stored.column("time")[k], self._stored.column("time")[k + 1]
        s = (self.time[direct] - begin) / np.where(end > begin, end - begin, 1.0)
        whole_x, whole_R = np.empty((len(self.time), 3)), np.empty((len(self.time), 3, 3))
        whole_x[self.is_frame], whole_R[self.is_frame] = x, R
        whole_x[given] = self._stored.column("waypoints/position")[rows]
        whole_R[given] = self._stored.column("waypoints/rotation")[rows]
        whole_x[direct], whole_R[direct] = _between(x[k], R[k], x[k + 1], R[k + 1], s)
        return whole_x, whole_R, np.isin(self.interval, self.interval[given])


def _between(x0: Array, R0: Array, x1: Array, R1: Array, s: Array) -> tuple[Array, Array]:
    """The poses at the parts s of direct paths; the same bits where nothing moves."""
    from dovetail.linalg.lie import so3  # with its kernels, for results that have waypoints

    turned = so3.exp(s[:, None] * so3.log(R1 @ np.swapaxes(R0, 1, 2))) @ R0
    rests = np.all(R0 == R1, axis=(1, 2))
    x = np.where(x0 == x1, x0, x0 + s[:, None] * (x1 - x0))
    return x, np.where(rests[:, None, None], R0, turned)
