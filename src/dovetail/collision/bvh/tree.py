"""Trees of boxes over the faces, wires and points of a body, in its own frame."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.bvh.build import box_simplices, build_tree
from dovetail.collision.bvh.pairs import MAX_PAIRS, pairs_between, pairs_within
from dovetail.collision.relative_pose import RelativePose
from dovetail.errors import InputError
from dovetail.model.surface import IndexArray, Surface
from dovetail.model.values import Array
from dovetail.runtime.read_only import read_only


@dataclass(frozen=True, eq=False)
class Bvh:
    """A binary tree of axis-aligned boxes with one simplex in each leaf.

    `boxes[n]` is (lower, upper) [m]; the children of node n are n + 1 and right[n], and
    right[n] = -1 - simplex marks a leaf. A simplex is a row of three vertex numbers: a face,
    a wire (i, j, j) or a point (i, i, i).
    """

    vertices: Array  # (n_vertices, 3) [m]
    simplices: IndexArray  # (m, 3)
    boxes: Array  # (2 m - 1, 6)
    right: IndexArray  # (2 m - 1,)

    @property
    def n_simplices(self) -> int:
        return len(self.simplices)

    @cached_property
    def radius(self) -> float:
        """Largest distance of a vertex from the frame's origin [m]."""
        if not len(self.vertices):
            return 0.0
        return float(np.sqrt(np.max(np.einsum("ij,ij->i", self.vertices, self.vertices))))


def simplices_of(surface: Surface) -> IndexArray:
    """All that can be touched, (m, 3): faces by their own numbers, then wires, then points."""
    points = np.repeat(surface.points[:, None], 3, axis=1)
    return np.concatenate([surface.faces, surface.wires[:, [0, 1, 1]], points]).astype(np.int32)


def build_bvh(vertices: Array, simplices: IndexArray) -> Bvh:
    """The tree over `simplices` (m, 3), or (m, 2) edges, or (m, 1) points."""
    columns = {1: [0, 0, 0], 2: [0, 1, 1], 3: [0, 1, 2]}[simplices.shape[1]]
    rows = read_only(simplices[:, columns], np.int32)
    corners = read_only(vertices)
    m = len(rows)
    leaves = np.empty((m, 6))
    nodes = np.empty((max(2 * m - 1, 0), 6))
    right = np.empty(max(2 * m - 1, 0), dtype=np.int32)
    if m:
        box_simplices(corners, rows, leaves)
        build_tree(leaves, np.empty(m, dtype=np.int32), nodes, right)
    return Bvh(corners, rows, read_only(nodes), read_only(right, np.int32))


def bvh_of(surface: Surface) -> Bvh:
    """The tree over all faces, wires and points of a surface."""
    return build_bvh(surface.vertices, simplices_of(surface))


@dataclass
class PairBuffer:
    """Workspace for pairs of numbers, kept between calls and grown when it was too small."""

    rows: NDArray[np.int32] = field(default_factory=lambda: np.empty((1024, 2), dtype=np.int32))

    def filled_by(self, find_pairs: Callable[[NDArray[np.int32]], int]) -> NDArray[np.int32]:
        """The pairs that `find_pairs(rows)` writes, once the capacity is enough for all it counts.

        Raises InputError where there are MAX_PAIRS of them.
        """
        while (count := find_pairs(self.rows)) > len(self.rows):
            if count >= MAX_PAIRS:
                raise InputError(
                    f"surfaces must be such that fewer than {MAX_PAIRS:,} pairs of triangles lie "
                    "within reach of each other, here there are more; repair or simplify the mesh"
                )
            self.rows = np.empty((count + count // 4, 2), dtype=np.int32)
        return self.rows[:count]


def overlapping_pairs(
    a: Bvh, b: Bvh, pose: RelativePose, margin: float = 0.0, buffer: PairBuffer | None = None
) -> NDArray[np.int32]:
    """Pairs (simplex of a, simplex of b) whose boxes come within `margin` [m], (n, 2).

    Contains every pair of simplices that comes within `margin`. A view of the buffer's rows.
    """
    buffer = buffer or PairBuffer()
    if not a.n_simplices or not b.n_simplices:
        return buffer.rows[:0]
    reach = margin * 1.0000001 + pose.slack
    return buffer.filled_by(
        lambda rows: pairs_between(a.boxes, a.right, b.boxes, b.right, pose.R, pose.t, reach, rows)
    )


def self_overlapping_pairs(
    tree: Bvh, margin: float = 0.0, buffer: PairBuffer | None = None
) -> NDArray[np.int32]:
    """Pairs of different simplices of one tree whose boxes come within `margin` [m], (n, 2)."""
    buffer = buffer or PairBuffer()
    if not tree.n_simplices:
        return buffer.rows[:0]
    return buffer.filled_by(lambda rows: pairs_within(tree.boxes, tree.right, float(margin), rows))
