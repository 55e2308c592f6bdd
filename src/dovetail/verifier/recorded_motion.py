"""The bodies of a result that have a surface: their recorded poses and the paths between them.

Between two stops (frames, and waypoints where the run recorded some) a body is taken to have moved
at a constant world twist: x(s) = x_0 + s (x_1 - x_0), R(s) = exp(s log(R_1 R_0^T)) R_0 for s
from 0 to 1.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.broad_phase.world_boxes import box_poses
from dovetail.collision.bvh.tree import Bvh, bvh_of
from dovetail.collision.intersection.surfaces import PlacedTree
from dovetail.linalg.lie import so3
from dovetail.model.checked_body import CheckedBody
from dovetail.model.shapes import HalfSpace
from dovetail.model.values import Array
from dovetail.results.result import Result
from dovetail.runtime.read_only import read_only

ROUNDING = 1e-14  # of the size and the distance from the origin, generous


@dataclass(frozen=True, eq=False)
class BodyMotion:
    """One body's surface and poses."""

    name: str
    checked: CheckedBody
    tree: Bvh
    time: Array  # (stops,) [s]
    x: Array  # (stops, 3) [m]
    R: Array  # (stops, 3, 3)
    ambiguous_rotation: NDArray[np.bool_]
    """(stops - 1,) where the poses at the two ends do not determine the rotation between them."""

    @property
    def half_space(self) -> HalfSpace | None:
        shape = self.checked.shape
        return shape if isinstance(shape, HalfSpace) else None

    @cached_property
    def normal(self) -> Array:
        """(3,) outward normal of a half-space in its own frame."""
        assert self.half_space is not None
        return self.half_space.unit_normal

    def heights_of_boxes(self, boxes: Array, stop: int) -> Array:
        """(n,) [m] a lower bound on the heights of boxes (n, 6) over a half-space at a stop.

        h = min over corners of n.(corner - x).
        """
        n, x = self.R[stop] @ self.normal, self.x[stop]
        lowest = np.minimum(boxes[:, :3] * n, boxes[:, 3:] * n).sum(axis=1) - n @ x
        reach = np.max(np.abs(boxes), axis=1) + np.max(np.abs(x))
        return np.asarray(lowest - ROUNDING * reach)

    @cached_property
    def v(self) -> Array:
        """(stops - 1, 3) [m] the displacement from each stop to the next."""
        return np.diff(self.x, axis=0)

    @cached_property
    def w(self) -> Array:
        """(stops - 1, 3) [rad] the smallest rotation from each stop to the next, world axes."""
        rotations = self.R[1:] @ np.swapaxes(self.R[:-1], 1, 2)
        same = np.all(self.R[1:] == self.R[:-1], axis=(1, 2))
        return np.where(same[:, None], 0.0, so3.log(rotations))

    @cached_property
    def at_rest(self) -> NDArray[np.bool_]:
        """(stops - 1,) where the pose is the same at both ends, to the bit."""
        same = np.all(self.R[1:] == self.R[:-1], axis=(1, 2))
        return np.asarray(np.all(self.v == 0.0, axis=1) & same)

    @cached_property
    def boxes(self) -> Array:
        """(stops, 6) [m] lower and upper corner in the world at each stop, up to rounding."""
        rows = np.empty((len(self.time), 6))
        box_poses(self.tree.vertices, read_only(self.x), read_only(self.R), rows)
        return rows

    @cached_property
    def swept_boxes(self) -> Array:
        """(stops - 1, 6) [m] around all that the body sweeps from each stop to the next.

        A point is off the straight line between its ends by at most |w|^2 r / 8.
        """
        radius = self.tree.radius
        off = np.einsum("ki,ki->k", self.w, self.w) * radius / 8
        off += ROUNDING * (radius + np.max(np.abs(self.x[1:]) + np.abs(self.x[:-1]), axis=1))
        swept = np.concatenate(
            [
                np.minimum(self.boxes[:-1, :3], self.boxes[1:, :3]) - off[:, None],
                np.maximum(self.boxes[:-1, 3:], self.boxes[1:, 3:]) + off[:, None],
            ],
            axis=1,
        )
        unknown = self.ambiguous_rotation
        ends = self.x[:-1][unknown], self.x[1:][unknown]
        swept[unknown, :3] = np.minimum(*ends) - radius
        swept[unknown, 3:] = np.maximum(*ends) + radius
        return swept

    def placed(self, stop: int) -> PlacedTree:
        return PlacedTree(self.tree, self.x[stop], self.R[stop])


def motions_of(result: Result) -> list[BodyMotion]:
    """All bodies that have a surface."""
    trees: dict[tuple[int, bytes], Bvh] = {}
    found = []
    trajectory = result.motion_path
    for number, name in enumerate(result.names):
        body = result.scene.bodies[name].checked
        if not len(body.surface.vertices):
            continue
        key = (id(body.shape), body.centre.tobytes())
        if key not in trees:
            trees[key] = bvh_of(body.surface)
        x, R, led = trajectory.poses(number)
        unknown = _ambiguous_rotation(result.time, result.angular_velocity(name))
        unknown = unknown[trajectory.interval[1:]]
        if result.stored.header.waypoints:  # a method that would have recorded some
            unknown[:] = False
        found.append(BodyMotion(name, body, trees[key], trajectory.time, x, R, unknown & ~led[1:]))
    return found


def _ambiguous_rotation(time: Array, spin: Array) -> NDArray[np.bool_]:
    """(frames - 1,) where the recorded spin makes more than half a revolution between frames.

    For methods that record waypoints, having none means that the direct path was taken.
    """
    fastest = np.linalg.norm(spin, axis=1)
    return np.asarray(np.maximum(fastest[1:], fastest[:-1]) * np.diff(time) > np.pi)


class IgnoredPairs:
    """Pairs of bodies on which no verdict is given, and why."""

    def __init__(self, result: Result) -> None:
        self._linked = {frozenset((a, b)) for _, a, b in result.scene.joints.values()}
        self.reasons: dict[frozenset[str], str] = {}
        self._known: NDArray[np.int64] = np.empty(0, np.int64)  # i n + j, ascending
        self._remain: NDArray[np.bool_] = np.empty(0, bool)

    def without(self, bodies: list[BodyMotion], pairs: NDArray[np.int32]) -> NDArray[np.int32]:
        """Of `pairs` (n, 2) of numbers in `bodies`, always the same list, those that remain."""
        keys = pairs[:, 0].astype(np.int64) * len(bodies) + pairs[:, 1]
        at = np.searchsorted(self._known, keys)
        new = keys[~np.isin(keys, self._known, assume_unique=True)]
        if len(new):
            numbers = (divmod(key, len(bodies)) for key in new.tolist())
            remain = [not self.ignores(bodies[i].checked, bodies[j].checked) for i, j in numbers]
            known = np.concatenate([self._known, new])
            order = np.argsort(known)
            self._known = known[order]
            self._remain = np.concatenate([self._remain, np.array(remain, bool)])[order]
            at = np.searchsorted(self._known, keys)
        return pairs[self._remain[at]]

    def ignores(self, a: CheckedBody, b: CheckedBody) -> bool:
        """Whether no contact acts between these two."""
        if a.motion == b.motion == "static":
            return True
        why = ""
        if a.motion != "dynamic" and b.motion != "dynamic":
            why = "prescribed"
        elif a.group is not None and a.group == b.group:
            why = "group"
        elif frozenset((a.name, b.name)) in self._linked:
            why = "joint"
        if why:
            self.reasons[frozenset((a.name, b.name))] = why
        return bool(why)
