"""The short translation that takes one surface off another, found by search and verified."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.bvh.tree import PairBuffer
from dovetail.collision.intersection.surfaces import PlacedTree, intersecting_pairs
from dovetail.collision.mesh.containment import INSIDE, windings
from dovetail.model.values import Array

MAX_NORMALS = 24  # of the triangles that meet, as directions
ALIKE = 0.9999  # cosine: nearer directions count as one
HALVINGS = 8  # of the interval in which bodies come free
SMALLEST_PART = 1e-9  # of the way past each other: shorter ones are not looked for
BETTER = 0.99  # of the best so far: what another direction must reach to be tried
MARGIN = 1e-3  # of the translation: what is added, so that the bodies do not touch
TEN_THOUSAND = 10_000  # pairs of triangles that meet, of which normals are taken


@dataclass(frozen=True)
class Freeing:
    """Moving the second body by `translation` (3,) [m] leaves no common point."""

    translation: Array

    @property
    def length(self) -> float:
        """[m]."""
        return float(np.linalg.norm(self.translation))


def freeing_translation(
    a: PlacedTree, b: PlacedTree, pairs: NDArray[np.int32], buffer: PairBuffer | None = None
) -> Freeing | None:
    """The shortest translation of b, of those along some directions, that frees it from a.

    `pairs` (k, 2) are simplices that meet. Directions are their normals, the axes, and the one
    between the middles of the two boxes. Along each, the distance is bisected between where the
    surfaces still meet and where they do not, from the exact test. None where all fail.
    """
    buffer = buffer or PairBuffer()
    best: Array | None = None
    for direction in _directions(a, b, pairs):
        enough = _past(a, b, direction) * (1 + MARGIN)
        limit = enough if best is None else min(enough, BETTER * float(np.linalg.norm(best)))
        if _meet(a, b, limit * direction, buffer):
            continue  # no better along this one
        least, most = 0.5 * limit, limit
        while least > SMALLEST_PART * enough and not _meet(a, b, least * direction, buffer):
            least, most = 0.5 * least, least
        for _ in range(HALVINGS):
            middle = 0.5 * (least + most)
            if _meet(a, b, middle * direction, buffer):
                least = middle
            else:
                most = middle
        moved = most * (1 + MARGIN) * direction
        if not _meet(a, b, moved, buffer):
            if best is None or np.linalg.norm(moved) < np.linalg.norm(best):
                best = moved
    return None if best is None else Freeing(best)


def _directions(a: PlacedTree, b: PlacedTree, pairs: NDArray[np.int32]) -> Iterator[Array]:
    """Unit directions along which b may leave a, the likely ones first."""
    some = pairs[:TEN_THOUSAND]
    normals = []
    for placed, rows, sign in ((a, some[:, 0], 1.0), (b, some[:, 1], -1.0)):
        corners = placed.vertices_world[placed.tree.simplices[np.unique(rows)]]
        crosses = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        sizes = np.linalg.norm(crosses, axis=1)
        order = np.argsort(-sizes, kind="stable")
        order = order[sizes[order] > 0]
        normals += list(sign * crosses[order] / sizes[order][:, None])
    middles = [0.5 * (tree.box_world[:3] + tree.box_world[3:]) for tree in (a, b)]
    apart = middles[1] - middles[0]
    likely = [apart / np.linalg.norm(apart)] if np.linalg.norm(apart) > 0 else []
    axes = [sign * axis for axis in np.eye(3) for sign in (1.0, -1.0)]
    found: list[Array] = []
    for direction in [*likely, *normals, *axes, *(-normal for normal in normals)]:
        if all(float(direction @ known) < ALIKE for known in found):
            found.append(direction)
            yield direction
        if len(found) >= MAX_NORMALS + 7:
            return


def _past(a: PlacedTree, b: PlacedTree, direction: Array) -> float:
    """[m] along `direction` after which b is beyond all of a."""
    along_a, along_b = a.vertices_world @ direction, b.vertices_world @ direction
    return max(0.0, float(along_a.max() - along_b.min()))


def _meet(a: PlacedTree, b: PlacedTree, translation: Array, buffer: PairBuffer) -> bool:
    moved = replace(b, x=b.x + translation)
    if len(intersecting_pairs(a, moved, buffer)):
        return True
    return _inside(a, moved) or _inside(moved, a)


def _inside(outer: PlacedTree, inner: PlacedTree) -> bool:
    """Whether the first vertex of `inner` is inside the closed surface of `outer`."""
    point, box = inner.vertices_world[0], outer.box_world
    if np.any(point <= box[:3]) or np.any(point >= box[3:]):
        return False
    simplices = outer.tree.simplices
    faces = simplices[(simplices[:, 0] != simplices[:, 1]) & (simplices[:, 1] != simplices[:, 2])]
    if not len(faces):
        return False
    return bool(abs(windings(outer.vertices_world, faces, point[None])[0]) > INSIDE)
