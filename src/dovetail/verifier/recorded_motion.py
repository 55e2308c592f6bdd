"""The bodies of a result that have a surface: their recorded poses and the paths between them.

Between two stops (frames, and waypoints where the run recorded some) a body is taken to have moved
at a constant world twist: x(s) = x_0 + s (x_1 - x_0), R(s) = exp(s log(R_1 R_0^T)) R_0 for s
from 0 to 1.

A shape of revolution about a is the same however it has turned about it. So of w only the part w'
across a counts: exp(s w) a and exp(s w') a, w' = w - (w.a) a, are apart by |w.a| |w'| s^2 / 2 at
most, since d/ds of their difference d is w' x d + (w.a) a x exp(s w) a, and |a x exp(s w) a| is
s |w'| at most. Where that is no more than rounding (a wheel, a top that does not precess) the
shape is taken to move at w'. Where it has spun by more than half a revolution between two frames,
its axis is taken to have moved on the shortest arc.
"""

import json
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.broad_phase.world_boxes import box_poses
from dovetail.collision.bvh.tree import Bvh
from dovetail.collision.intersection.surfaces import PlacedTree
from dovetail.linalg.lie import so3
from dovetail.model.checked_body import CheckedBody
from dovetail.model.shapes import HalfSpace
from dovetail.model.values import Array
from dovetail.results.result import Result
from dovetail.runtime.read_only import read_only
from dovetail.verifier.verified_surface import VerifiedSurface, verified_surface

ROUNDING = 1e-14  # of the size and the distance from the origin, generous
STEADY = 1e-12  # |w.a| |w'| / 2: an axis that moves by less is off its path by less than that
TURNED_OVER = -0.9  # a_0 . a_1 of an axis whose shortest arc is not the obvious one


@dataclass(frozen=True, eq=False)
class BodyMotion:
    """One body's surface and poses."""

    name: str
    checked: CheckedBody
    verified: VerifiedSurface
    time: Array  # (stops,) [s]
    x: Array  # (stops, 3) [m]
    R: Array  # (stops, 3, 3)
    ambiguous_rotation: NDArray[np.bool_]
    """(stops - 1,) where the poses at the two ends do not determine the rotation between them."""
    spun: NDArray[np.bool_] | None = None
    """(stops - 1,) where only the path of the axis of revolution is known."""

    @property
    def tree(self) -> Bvh:
        return self.verified.tree

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
        return self._rotation_and_error[0]

    @property
    def axis_error(self) -> float:
        """How far [parts of the radius] a shape of revolution is off its path at most."""
        return self._rotation_and_error[1]

    @cached_property
    def _rotation_and_error(self) -> tuple[Array, float]:
        rotations = self.R[1:] @ np.swapaxes(self.R[:-1], 1, 2)
        same = np.all(self.R[1:] == self.R[:-1], axis=(1, 2))
        w = np.where(same[:, None], 0.0, so3.log(rotations))
        if self.verified.axis is None or not len(w):
            return w, 0.0
        a = self.R[:-1] @ self.verified.axis
        along = np.einsum("ki,ki->k", w, a)
        across = w - along[:, None] * a
        off = 0.5 * np.abs(along) * np.linalg.norm(across, axis=1)
        steady = off <= STEADY
        w = np.where(steady[:, None], across, w)
        if self.spun is not None:
            w = np.where(self.spun[:, None], _arcs(a, self.R[1:] @ self.verified.axis), w)
            steady &= ~self.spun
        return w, float(np.max(off, where=steady, initial=0.0))

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
        rows[:, :3] -= self.verified.outer_radius
        rows[:, 3:] += self.verified.outer_radius
        return rows

    @cached_property
    def swept_boxes(self) -> Array:
        """(stops - 1, 6) [m] around all that the body sweeps from each stop to the next.

        A point is off the straight line between its ends by at most |w|^2 r / 8.
        """
        radius = self.verified.radius
        off = np.einsum("ki,ki->k", self.w, self.w) * radius / 8 + self.axis_error * radius
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

    def between(self, k: int, s: float) -> "tuple[Array, Array]":
        """The pose x, R at the part s of the path from stop k to the next."""
        if k >= len(self.v) or s == 0.0:
            return self.x[min(k, len(self.x) - 1)], self.R[min(k, len(self.x) - 1)]
        return self.x[k] + s * self.v[k], so3.exp(s * self.w[k]) @ self.R[k]


def motions_of(result: Result) -> list[BodyMotion]:
    """All bodies that have a surface."""
    surfaces: dict[tuple[int, bytes], VerifiedSurface] = {}
    method = contact_method(result)
    found = []
    trajectory = result.motion_path
    for number, name in enumerate(result.names):
        body = result.scene.bodies[name].checked
        if not len(body.surface.vertices):
            continue
        key = (id(body.shape), body.centre.tobytes())
        if key not in surfaces:
            surfaces[key] = verified_surface(body, method)
        x, R, led = trajectory.poses(number)
        unknown = _ambiguous_rotation(result.time, result.angular_velocity(name))
        unknown = unknown[trajectory.interval[1:]]
        if result.stored.header.waypoints:  # a method that would have recorded some
            unknown[:] = False
        unknown &= ~led[1:]
        if surfaces[key].tree.radius == 0.0:  # a ball about its centre is the same in all attitudes
            unknown[:] = False
        spun = unknown & _axis_is_known(result, name, R, surfaces[key], trajectory.interval)
        unknown &= ~spun
        found.append(BodyMotion(name, body, surfaces[key], trajectory.time, x, R, unknown, spun))
    return found


def _axis_is_known(
    result: Result, name: str, R: Array, surface: VerifiedSurface, interval: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """(stops - 1,) where the axis of revolution makes less than half a revolution."""
    if surface.axis is None:
        return np.zeros(len(R) - 1, np.bool_)
    a, spin = result.rotation(name) @ surface.axis, result.angular_velocity(name)
    across = spin - np.einsum("ki,ki->k", spin, a)[:, None] * a
    known = ~_ambiguous_rotation(result.time, across)[interval[1:]]
    axis = R @ surface.axis
    return np.asarray(known & (np.einsum("ki,ki->k", axis[1:], axis[:-1]) > TURNED_OVER))


def _arcs(a: Array, b: Array) -> Array:
    """(k, 3) [rad] the smallest rotations that take unit vectors a (k, 3) to b."""
    cross = np.cross(a, b)
    sine = np.linalg.norm(cross, axis=1)
    angle = np.arctan2(sine, np.einsum("ki,ki->k", a, b))
    return np.asarray(cross * (angle / np.where(sine > 0.0, sine, 1.0))[:, None])


def contact_method(result: Result) -> str | None:
    """The name of the contact method of a run; None where bodies pass through each other."""
    contact = json.loads(result.stored.header.settings).get("contact")
    return str(contact.get("type")) if isinstance(contact, dict) else None


def _ambiguous_rotation(time: Array, spin: Array) -> NDArray[np.bool_]:
    """(frames - 1,) where the recorded spin makes more than half a revolution between frames.

    For methods that record waypoints, having none means that the direct path was taken.
    """
    fastest = np.linalg.norm(spin, axis=1)
    return np.asarray(np.maximum(fastest[1:], fastest[:-1]) * np.diff(time) > np.pi)
