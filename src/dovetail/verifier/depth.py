"""How deep two bodies reach into each other, and where.

The depth is the length of the shortest translation found that parts them, so that the true
(translational) penetration depth is at most that; it is exact for balls and capsules and over
half-spaces. For other solids directions are tried (the shortest translation off every pair of
triangles that meet, their normals, the line between the centres), and along each the distance is
bisected with exact tests.
"""

from dataclasses import dataclass

import numpy as np

from dovetail.collision.bvh.tree import Bvh, PairBuffer, bvh_of
from dovetail.collision.intersection.surfaces import PlacedTree, intersecting_pairs
from dovetail.model.values import Array
from dovetail.verifier.nested_bodies import StartSolids
from dovetail.verifier.plane_clearance import lowest_over_plane
from dovetail.verifier.recorded_motion import BodyMotion
from dovetail.verifier.separating_direction import shortest_between

Pose = tuple[Array, Array]
MAX_PAIRS = 400  # of triangles whose directions are considered
BISECTIONS = 30


@dataclass(frozen=True, eq=False)
class Depth:
    """Of two bodies at one instant."""

    depth: float  # [m] inf where no translation was found that parts them
    place: Array  # (3,) [m] where they meet
    direction: Array  # (3,) in which b is to be moved


class PairDepth:
    """The depth of two bodies in any poses."""

    def __init__(self, a: BodyMotion, b: BodyMotion) -> None:
        self.a, self.b = a, b
        self._solids = StartSolids([a, b])
        self._buffer = PairBuffer()
        self._trees: dict[str, Bvh] = {}

    def at(self, pose_a: Pose, pose_b: Pose) -> Depth:
        a, b = self.a, self.b
        if a.half_space is not None:
            return self._under_plane(pose_a, pose_b)
        if len(a.tree.simplices) == len(b.tree.simplices) == 1:
            return self._of_round(pose_a, pose_b)
        return self._of_surfaces(pose_a, pose_b)

    def _under_plane(self, plane: Pose, body: Pose) -> Depth:
        normal = plane[1] @ self.a.normal
        D = body[0] - plane[0]
        discs = self.b.verified.discs
        height, which = lowest_over_plane(
            discs, tuple(D), tuple(map(tuple, body[1])), tuple(normal)
        )
        axis = body[1] @ discs.axis[which]
        across = normal - (normal @ axis) * axis
        size = float(np.linalg.norm(across))
        down = discs.radius[which] / size * across if size > 0 else 0.0 * across
        place = body[0] + body[1] @ discs.centre[which] - down - discs.ball * normal
        return Depth(-float(height), place, normal)

    def _of_round(self, pose_a: Pose, pose_b: Pose) -> Depth:
        A, B = self._corners(self.a, pose_a), self._corners(self.b, pose_b)
        apart = np.array(shortest_between(_simplex(A), _simplex(B)))
        distance = float(np.linalg.norm(apart))
        n = apart / distance if distance > 0 else np.array([0.0, 0.0, 1.0])
        radii = self.a.verified.outer_radius, self.b.verified.outer_radius
        return Depth(sum(radii) - distance, A.mean(axis=0) + radii[0] * n, n)

    @staticmethod
    def _corners(body: BodyMotion, pose: Pose) -> Array:
        corners: Array = body.tree.vertices[body.tree.simplices[0]] @ pose[1].T + pose[0]
        return corners

    def _placed(self, body: BodyMotion, pose: Pose, shift: Array) -> PlacedTree:
        tree = body.tree
        if not body.verified.exact:  # the polyhedron that stands for it
            tree = self._standing(body)
        return PlacedTree(tree, pose[0] + shift, pose[1])

    def _standing(self, body: BodyMotion) -> Bvh:
        if body.name not in self._trees:
            self._trees[body.name] = bvh_of(body.checked.surface)
        return self._trees[body.name]

    def parted(self, pose_a: Pose, pose_b: Pose, shift: Array) -> bool:
        """Whether the two have no common point once b is moved by `shift` [m]; exact."""
        zero = np.zeros(3)
        a, b = self._placed(self.a, pose_a, zero), self._placed(self.b, pose_b, shift)
        if np.any(a.box_world[3:] < b.box_world[:3]) or np.any(b.box_world[3:] < a.box_world[:3]):
            return True
        if len(intersecting_pairs(a, b, self._buffer)):
            return False
        moved = (pose_b[0] + shift, pose_b[1])
        return not (
            self._solids.holds(0, pose_a, 1, moved) or self._solids.holds(1, moved, 0, pose_a)
        )

    def _of_surfaces(self, pose_a: Pose, pose_b: Pose) -> Depth:
        zero = np.zeros(3)
        a, b = self._placed(self.a, pose_a, zero), self._placed(self.b, pose_b, zero)
        pairs = intersecting_pairs(a, b, self._buffer)[:MAX_PAIRS]
        centres = pose_b[0] - pose_a[0]
        directions = [centres]
        place = 0.5 * (pose_a[0] + pose_b[0])
        if len(pairs):
            corners_a = a.vertices_world[a.tree.simplices[pairs[:, 0]]]
            corners_b = b.vertices_world[b.tree.simplices[pairs[:, 1]]]
            axes, depths = parting_axes(corners_a, corners_b, centres)
            deepest = int(np.argmax(depths))
            place = _overlap_place(corners_a[deepest], corners_b[deepest])
            normals = [_normals(corners_a), -_normals(corners_b)]
            directions = [axes[deepest], axes.mean(axis=0), *[n.mean(axis=0) for n in normals]]
            directions += [n[deepest] for n in normals] + [centres]
        else:
            directions += list(np.concatenate([np.eye(3), -np.eye(3)]) @ pose_a[1].T)
        best, along = np.inf, zero
        longest = 2.0 * (self.a.verified.radius + self.b.verified.radius)
        for direction in directions:
            size = float(np.linalg.norm(direction))
            if not size > 0:
                continue
            found = self._bisected(pose_a, pose_b, direction / size, min(best, longest))
            if found < best:
                best, along = found, direction / size
        return Depth(best, place, along)

    def _bisected(self, pose_a: Pose, pose_b: Pose, n: Array, longest: float) -> float:
        """The shortest translation [m] along n found to part the two, inf if `longest` does not."""
        if not self.parted(pose_a, pose_b, longest * n):
            return np.inf
        low, high = 0.0, longest
        step = 1e-9 * longest
        while step < longest:  # from below, so that a first gap is found and not a later one
            if self.parted(pose_a, pose_b, step * n):
                high = step
                break
            low, step = step, 4.0 * step
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            if high - low <= 1e-3 * high:
                break
            if self.parted(pose_a, pose_b, middle * n):
                high = middle
            else:
                low = middle
        return high


def parting_axes(a: Array, b: Array, towards: Array) -> tuple[Array, Array]:
    """Unit vectors (n, 3) along which triangles b are soonest off triangles a, and how far (n,).

    By the separating axis theorem: normals, across an edge in the plane of its triangle, across one
    edge of each. Corners (n, 3, 3).
    """
    edges_a, edges_b = np.roll(a, -1, axis=1) - a, np.roll(b, -1, axis=1) - b
    normal_a = np.cross(edges_a[:, 0], edges_a[:, 1])[:, None]
    normal_b = np.cross(edges_b[:, 0], edges_b[:, 1])[:, None]
    mixed = np.cross(edges_a[:, :, None], edges_b[:, None, :]).reshape(len(a), 9, 3)
    axes = np.concatenate(
        [normal_a, normal_b, np.cross(edges_a, normal_a), np.cross(edges_b, normal_b), mixed],
        axis=1,
    )
    lengths = np.linalg.norm(axes, axis=2)
    usable = lengths > 1e-9 * np.max(lengths, axis=1, keepdims=True)
    axes = axes / np.where(usable, lengths, 1.0)[:, :, None]
    axes = np.concatenate([axes, -axes], axis=1)
    usable = np.concatenate([usable, usable], axis=1)
    along_a = np.einsum("nij,nkj->nki", a, axes).max(axis=2)
    along_b = np.einsum("nij,nkj->nki", b, axes).min(axis=2)
    off = np.where(usable, along_a - along_b, np.inf)
    inward = 1e-12 * np.ptp(a, axis=(1, 2))[:, None] * (axes @ towards < 0)
    which = np.argmin(off + inward, axis=1)  # of two equal ones the outward one
    rows = np.arange(len(a))
    return axes[rows, which], np.maximum(off[rows, which], 0.0)


def _normals(corners: Array) -> Array:
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.asarray(normals / np.where(sizes > 0, sizes, 1.0))


def _overlap_place(a: Array, b: Array) -> Array:
    """(3,) a point near which two triangles meet: amid what their boxes have in common."""
    lower = np.maximum(a.min(axis=0), b.min(axis=0))
    upper = np.minimum(a.max(axis=0), b.max(axis=0))
    return np.asarray(0.5 * (lower + upper))


def _simplex(corners: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, corners.tolist()))
