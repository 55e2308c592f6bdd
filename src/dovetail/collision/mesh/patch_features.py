"""Which vertices, edges and faces of a surface the barrier needs: those of its flat patches.

Two convex polygons that are apart are nearest at a corner of one of them or at a side of each, so
of a patch only its corners, its sides and the patch as a whole have a barrier: as the distance of
two surfaces of flat patches goes to zero, one of these distances is the least and goes to zero too.
Where the sides that come nearest are parallel, whose barrier is faded out, they are nearest at the
end of one of them as well, a corner.

Edges inside a patch, vertices inside it or inside a straight side, are no features of the shape.
A side that vertices divide is one feature, as a patch is.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.mesh.coplanar_patches import FLAT, coplanar_patches
from dovetail.model.surface import IndexArray, Surface

Flags = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class PatchFeatures:
    """What belongs together on a surface, by vertex, edge and face."""

    surface: Surface

    @cached_property
    def patch(self) -> IndexArray:
        """(n_faces,) the lowest face of each face's patch."""
        return coplanar_patches(self.surface)

    @cached_property
    def edge_of_sides(self) -> NDArray[np.int64]:
        """(n_faces, 3) edges from corner 0 to 1, 1 to 2, 2 to 0."""
        faces, edges = self.surface.faces.astype(np.int64), self.surface.edges.astype(np.int64)
        n = len(self.surface.vertices)
        runs = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
        return np.searchsorted(edges @ [n, 1], runs @ [n, 1]).reshape(-1, 3)

    @cached_property
    def _inner(self) -> NDArray[np.bool_]:
        """(n_edges,) whether an edge lies inside a patch."""
        sides, n = self.edge_of_sides.ravel(), len(self.surface.edges)
        patch = np.repeat(self.patch, 3)
        low, high = np.full(n, len(self.patch)), np.full(n, -1)
        np.minimum.at(low, sides, patch)
        np.maximum.at(high, sides, patch)
        inner: NDArray[np.bool_] = (np.bincount(sides, minlength=n) == 2) & (low == high)
        return inner

    @cached_property
    def _inside(self) -> NDArray[np.bool_]:
        """(n_vertices,) whether all edges of a vertex lie inside patches."""
        edges, n = self.surface.edges, len(self.surface.vertices)
        outer = np.bincount(edges[~self._inner].ravel(), minlength=n)
        inside: NDArray[np.bool_] = (np.bincount(edges.ravel(), minlength=n) > 0) & (outer == 0)
        return inside

    @cached_property
    def _straight(self) -> NDArray[np.int64]:
        """(m, 3) vertices inside a straight side and the two edges that meet there."""
        vertices, edges = self.surface.vertices, self.surface.edges
        outer = np.flatnonzero(~self._inner)
        of_faces = np.zeros(len(edges), bool)
        of_faces[self.edge_of_sides.ravel()] = True
        ends = edges[outer].ravel()
        order = np.argsort(ends, kind="stable")
        at, counts = np.unique(ends[order], return_index=True, return_counts=True)[1:]
        at = at[counts == 2]
        e, f = outer[order[at] // 2], outer[order[at + 1] // 2]
        v = ends[order[at]]
        start, end = edges[e].sum(axis=1) - v, edges[f].sum(axis=1) - v
        come, go = vertices[v] - vertices[start], vertices[end] - vertices[v]
        off = np.linalg.norm(np.cross(come, go), axis=1)
        within = FLAT * np.linalg.norm(np.ptp(vertices, axis=0)) if len(vertices) else 0.0
        on_line = off <= within * np.linalg.norm(come + go, axis=1)
        on_line &= np.einsum("ni,ni->n", come, go) > 0
        on_line &= of_faces[e] & of_faces[f]
        straight: NDArray[np.int64] = np.column_stack([v, e, f])[on_line].astype(np.int64)
        return straight

    @cached_property
    def corner(self) -> Flags:
        """(n_vertices,) 1 where a vertex can be the first to touch."""
        taken = ~self._inside
        taken[self._straight[:, 0]] = False
        return taken.astype(np.uint8)

    @cached_property
    def side(self) -> IndexArray:
        """(n_edges,) the lowest edge of the straight side it belongs to, -1 inside a patch."""
        side = np.arange(len(self.surface.edges))
        for _, e, f in self._straight.tolist():
            e, f = _lowest(side, e), _lowest(side, f)
            side[max(e, f)] = min(e, f)
        for e in range(len(side)):  # what an edge points to is lower, so done before it
            side[e] = side[side[e]]
        side[self._inner] = -1
        return side.astype(np.int32)

    @cached_property
    def open(self) -> Flags:
        """(n_faces,) bit k: side k of a face is inside its patch, bit 3 + k: its corner k is."""
        bits = np.concatenate(
            [self._inner[self.edge_of_sides], self._inside[self.surface.faces]], 1
        )
        return np.asarray(bits @ (1 << np.arange(6)), np.uint8)

    @cached_property
    def divided(self) -> int:
        """Bit 0: there are patches of several faces, bit 1: sides of several edges."""
        patches = bool(np.any(self.patch != np.arange(len(self.patch))))
        return patches + 2 * bool(len(self._straight))


def _lowest(side: NDArray[np.int64], e: int) -> int:
    while side[e] != e:
        e = int(side[e])
    return e
