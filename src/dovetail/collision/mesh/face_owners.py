"""Which face of a surface owns each of its vertices and edges.

Two surfaces that consist of faces only can be searched by pairs of faces: each vertex and each edge
is looked at with the first face that has it, so that no pair of features comes twice (Curtis,
Tamstorf and Manocha, Fast collision detection for deformable models using representative-triangles,
2008).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.mesh.patch_features import PatchFeatures
from dovetail.model.surface import IndexArray, Surface

SHARES = 1 << 6  # bit of `owned`


class OwnedFeatures(NamedTuple):
    """By face and edge of one surface; numbers are its own."""

    owned: NDArray[np.uint8]  # (n_faces,) bit k: corner k, bit 3 + k: side k, SHARES: of a patch
    sides: IndexArray  # (n_faces, 3) the edges from corner k to k + 1
    shares: NDArray[np.uint8]  # (n_edges,) 1 for edges of a straight side of several


def owned_features(surface: Surface, patches: PatchFeatures) -> OwnedFeatures | None:
    """Who owns what; None where a vertex or an edge belongs to no face, or a side is no edge."""
    faces, sides = surface.faces, patches.edge_of_sides
    ends = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    found = np.minimum(sides.ravel(), len(surface.edges) - 1)
    if not np.array_equal(surface.edges[found], ends):
        return None
    corners, first_corner = np.unique(faces.ravel(), return_index=True)
    edges, first_side = np.unique(sides.ravel(), return_index=True)
    if len(corners) < len(surface.vertices) or len(edges) < len(surface.edges):
        return None
    bits = np.zeros((len(faces), 6), np.uint8)
    bits[first_corner // 3, first_corner % 3] = 1
    bits[first_side // 3, 3 + first_side % 3] = 1
    owned = (bits @ (1 << np.arange(6))).astype(np.uint8)
    owned[_repeated(patches.patch)] |= SHARES
    return OwnedFeatures(owned, sides.astype(np.int32), _repeated(patches.side).astype(np.uint8))


def _repeated(numbers: IndexArray) -> NDArray[np.bool_]:
    """Where a number >= 0 comes more than once."""
    counts = np.bincount(numbers[numbers >= 0], minlength=len(numbers) + 1)
    repeated: NDArray[np.bool_] = (numbers >= 0) & (counts[numbers] > 1)
    return repeated
