"""Points whose convex hulls have the parts of a body inside: of surfaces, or around round parts."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dovetail.collision.sdf.octree import Octree
from dovetail.collision.sdf.point_octree import EMPTY
from dovetail.model.shapes import Capsule, Compound, Cone, Cylinder, HalfSpace, Shape, Sphere, Torus
from dovetail.model.surface import Surface
from dovetail.model.values import Array
from dovetail.runtime.read_only import read_only
from dovetail.runtime.records import BoolArray, FloatArray, Int32Array, bundler

LEAF_SIZE = 8
MOST_PARTS = 8  # of a body; the hull of one that has more is around all of them
_SIGNS = np.array(np.meshgrid((-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0))).reshape(3, -1).T


class HullTrees(NamedTuple):
    """Outer points of the parts of n bodies, in the frames of these, with their octrees."""

    parts: Int32Array  # (n + 1,) where the parts of each body begin; none: no hull
    nodes: Int32Array  # (p + 1,) where the nodes of each part begin, depth first
    points: FloatArray  # (m, 3) [m]
    centre: FloatArray  # (k, 3) [m] of nodes
    radius: FloatArray  # (k,) [m]
    start: Int32Array  # (k,) first of its points
    end: Int32Array  # (k,)
    after: Int32Array  # (k,) node behind its subtree
    leaf: BoolArray  # (k,)


bundle_hull_trees = bundler(HullTrees)


def outer_points(shape: Shape, surface: Surface, centre: Array) -> tuple[Array, ...]:
    """(n, 3) [m] in the body's frame of each part; `surface` is there, `centre` [m] is its origin.

    None of a half-space.
    """
    if isinstance(shape, HalfSpace):
        return ()
    if isinstance(shape, Compound) or _corners(shape) is not None:
        parts = tuple(points - centre for points in _points(shape))
        return parts if len(parts) <= MOST_PARTS else (np.concatenate(parts),)
    return (surface.vertices,)


def _points(shape: Shape) -> list[Array]:
    """Of each part, in the frame of the shape."""
    if isinstance(shape, Compound):
        poses = [(part.shape, *part.pose) for part in shape.placed]
        return [points @ R.T + t for one, R, t in poses for points in _points(one)]
    corners = _corners(shape)
    return [shape.surface().vertices if corners is None else corners]


def _corners(shape: Shape) -> Array | None:
    """Of the box around a round shape; None of one that is its triangles."""
    if isinstance(shape, Sphere):
        return np.asarray(_SIGNS * float(shape.radius))
    if isinstance(shape, Torus):
        wide = float(shape.major) + float(shape.minor)
        return np.asarray(_SIGNS * np.array([wide, wide, float(shape.minor)]))
    if isinstance(shape, Capsule | Cylinder | Cone):
        radius, half = float(shape.radius), 0.5 * float(shape.height)
        beyond = radius if isinstance(shape, Capsule) else 0.0
        middle = half if isinstance(shape, Cone) else 0.0
        box = _SIGNS * np.array([radius, radius, half + beyond])
        return np.asarray(box + np.array([0.0, 0.0, middle]))
    return None


def hull_trees(bodies: Sequence[Sequence[Array]]) -> Any:
    """Bundled HullTrees of the outer points (n, 3) of each part of each body."""
    trees = [Octree(one, leaf_size=LEAF_SIZE).tree for parts in bodies for one in parts]
    n_parts = np.concatenate([[0], np.cumsum([len(parts) for parts in bodies])])
    counts = [len(tree.after) for tree in trees]
    nodes = np.concatenate([[0], np.cumsum(counts)])
    first = np.concatenate([[0], np.cumsum([len(tree.points) for tree in trees])])

    def joined(name: str, shift: Any = None) -> Array:
        arrays = [np.asarray(getattr(tree, name)) for tree in (*trees, EMPTY)]
        if shift is not None:
            arrays = [array + by for array, by in zip(arrays, shift)]
        return np.concatenate(arrays)

    return bundle_hull_trees(
        read_only(n_parts, np.int32), read_only(nodes, np.int32),
        read_only(joined("points").reshape(-1, 3)), read_only(joined("centre").reshape(-1, 3)),
        read_only(joined("radius")),
        read_only(joined("start", first), np.int32), read_only(joined("end", first), np.int32),
        read_only(joined("after", nodes), np.int32), read_only(joined("leaf"), np.bool_),
    )  # fmt: skip
