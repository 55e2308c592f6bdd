"""From poses to contacts: which pairs are near, and which points are inside."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dovetail.contact.sdf.pairs import Pairs
from dovetail.contact.sdf.touching_body import TouchingBody
from dovetail.geometry.body_sweep import overlapping_boxes
from dovetail.geometry.obb import overlap
from dovetail.kernels.contact_force import Contacts, gather, room_for
from dovetail.kernels.deepest_point import search_parts
from dovetail.kernels.detection import Found, least_gap
from dovetail.kernels.read_only import read_only
from dovetail.model.values import Array
from dovetail.sdf.detection import FoundBuffer, PoseRows, plain_rows, run_detection


@dataclass(eq=False)
class ContactSet:
    """The contacts of one configuration."""

    rows: Contacts = field(default_factory=lambda: room_for(256))
    count: int = 0

    def make_room(self, more: int) -> None:
        """Space for `more` rows behind those there are."""
        if self.count + more > len(self.rows.depth):
            larger = room_for(2 * (self.count + more))
            for old, new in zip(self.rows, larger):
                new[: self.count] = old[: self.count]
            self.rows = larger


class Detector:
    """Global detection by boxes, then local detection by fields, both ways."""

    def __init__(self, bodies: list[TouchingBody | None], pairs: Pairs, detection: str) -> None:
        self._bodies, self._pairs, self._detection = bodies, pairs, detection
        self._found = FoundBuffer()
        self.any_near = False  # whether boxes overlapped when last asked

    def contacts(self, x: Array, R: Array, into: ContactSet) -> None:
        """All points inside other bodies at centres x (n, 3) and rotations R (n, 3, 3)."""
        into.count = 0
        near = self.near_pairs(x, R)
        self.any_near = bool(near)
        for k in near:
            for slave, master in self._directions(*self._pairs.bodies[k]):
                self._add(k, slave, master, x, R, into)

    def near_pairs(self, x: Array, R: Array) -> list[int]:
        """Pairs whose turned boxes overlap, in order; a sweep, so not all pairs are tried."""
        boxes = self._world_boxes(x, R)
        near = []
        for i, j in overlapping_boxes(boxes).tolist():
            k = self._pairs.number.get((min(i, j), max(i, j)))
            if k is None:
                continue
            a, b = self._bodies[i], self._bodies[j]
            assert a is not None and b is not None
            pose_a, pose_b = (R[i], x[i]), (R[j], x[j])
            if a.box is None or b.box is None:
                plane, box = (
                    ((a, pose_a), (b, pose_b)) if a.box is None else ((b, pose_b), (a, pose_a))
                )
                meet = _reaches_below(*plane, *box)
            else:
                meet = overlap(a.box, pose_a, b.box, pose_b)
            if meet:
                near.append(k)
        return sorted(near)

    def least_gap(self, x: Array, R: Array) -> float:
        """The least distance [m] of any detection point from another body, inf for none."""
        gap = np.inf
        for i, j in self._pairs.bodies.tolist():
            for slave, master in self._directions(i, j):
                s, m = self._bodies[slave], self._bodies[master]
                assert s is not None and s.octree is not None and m is not None and m.field
                pose = _relative(x, R, slave, master)
                gap = float(least_gap(m.field.arrays, s.octree.tree, *pose, gap))
        return gap

    def _directions(self, i: int, j: int) -> list[tuple[int, int]]:
        """(slave, master): both ways, but a ball or capsule is only probed against the other."""
        a, b = self._bodies[i], self._bodies[j]
        assert a is not None and b is not None
        a_in_b = a.probes is not None and b.field is not None
        b_in_a = b.probes is not None and a.field is not None
        if a_in_b and (a.round or not b_in_a):
            return [(i, j)]
        if b_in_a and (b.round or not a_in_b):
            return [(j, i)]
        return [(i, j), (j, i)]

    def _world_boxes(self, x: Array, R: Array) -> Array:
        boxes = np.empty((len(self._bodies), 6))
        for i, body in enumerate(self._bodies):
            if body is None:
                boxes[i, :3], boxes[i, 3:] = np.inf, -np.inf
            elif body.box is None:
                boxes[i, :3], boxes[i, 3:] = -np.inf, np.inf
            else:
                centre = R[i] @ body.box.centre + x[i]
                half = np.abs(R[i] @ body.box.axes) @ body.box.half
                boxes[i, :3], boxes[i, 3:] = centre - half, centre + half
        return boxes

    def _add(self, k: int, slave: int, master: int, x: Array, R: Array, into: ContactSet) -> None:
        s, m = self._bodies[slave], self._bodies[master]
        assert s is not None and s.octree is not None and s.probes is not None
        assert m is not None and m.master is not None and m.field is not None
        pose = _relative(x, R, slave, master)
        method = self._detection
        count = run_detection(m.master, s.octree, pose, self._found, method)
        self._take(
            self._found.rows, count, s.octree.points, s.octree.reach, k, slave, master, x, R, into
        )
        if method == "brute":
            return
        around = np.zeros(0)
        for parts, flat in ((s.probes.edges, True), (s.probes.faces, False)):
            if not len(parts.corners):
                continue
            n = len(parts.corners)
            depths, excess = np.empty(n), np.empty(n)
            place, gradient = np.empty((n, 3)), np.empty((n, 3))
            extra = search_parts(
                m.field.arrays, s.probes.points, parts, flat, around, *pose,
                depths, place, excess, gradient,
            )  # fmt: skip
            around = depths
            if extra:
                found = Found(np.arange(extra, dtype=np.int32), excess, gradient)
                reach = read_only(np.full(extra, float(parts.reach[0])))
                self._take(
                    found, extra, read_only(place[:extra]), reach, k, slave, master, x, R, into
                )

    def _take(
        self,
        found: Found,
        count: int,
        points: Array,
        reach: Array,
        k: int,
        slave: int,
        master: int,
        x: Array,
        R: Array,
        into: ContactSet,
    ) -> None:
        into.make_room(count)
        gather(into.rows, into.count, found, count, points, reach, slave, master, k, x, R)
        into.count += count


Pose = tuple[Array, Array]


def _reaches_below(plane: TouchingBody, plane_pose: Pose, body: TouchingBody, pose: Pose) -> bool:
    """Whether the box of a body reaches below the plane of a half-space."""
    assert plane.field is not None and body.box is not None
    row = plane.field.arrays.shapes[0]
    normal = plane_pose[0] @ row[[6, 9, 12]]
    on_plane = plane_pose[0] @ row[13:] + plane_pose[1]
    centre = pose[0] @ body.box.centre + pose[1]
    reach = np.abs(normal @ pose[0] @ body.box.axes) @ body.box.half
    return bool(normal @ (centre - on_plane) <= reach)


def _relative(x: Array, R: Array, slave: int, master: int) -> PoseRows:
    """The slave's frame in the master's."""
    turn = R[master].T
    return plain_rows(turn @ R[slave], turn @ (x[slave] - x[master]))


def contact_counts(contacts: ContactSet, n_pairs: int) -> NDArray[np.int64]:
    """(n_pairs,) contacts of each pair."""
    return np.bincount(contacts.rows.pair[: contacts.count], minlength=n_pairs)
