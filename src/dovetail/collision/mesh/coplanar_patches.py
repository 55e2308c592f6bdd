"""Flat convex pieces of a surface: triangles that belong to the mesh, not to the shape.

Triangles are of one patch where they lie in one plane, within FLAT of the surface's size, and
their union is a convex polygon. A connected flat part that is convex as a whole becomes one patch;
others are cut into several by taking away seams as long as all pieces stay convex (Hertel and
Mehlhorn, Fast triangulation of simple polygons (1983)), the longest first. Seams are edges of
exactly two triangles that run through it in opposite directions and do not fold back, so copies,
back sides and fins of a mesh that is no manifold stay as they are.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dovetail.model.connected import component_labels
from dovetail.model.surface import IndexArray, Surface
from dovetail.model.values import Array

FLAT = 1e-12  # of the surface's size: how far corners of a patch may be from its plane
THIN = 100.0  # times that: triangles lower than this have no plane of their own
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Triangles:
    """The faces of a surface with what decides whether they are coplanar."""

    surface: Surface

    @cached_property
    def corners(self) -> Array:
        return self.surface.vertices[self.surface.faces]

    @cached_property
    def within(self) -> float:
        """[m] how far a vertex may be from a plane it belongs to."""
        return FLAT * float(np.linalg.norm(np.ptp(self.surface.vertices, axis=0)))

    @cached_property
    def crosses(self) -> Array:
        """(n, 3) [m^2] normals as long as twice the areas."""
        t = self.corners
        return np.asarray(np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]))

    @cached_property
    def areas(self) -> Array:
        return np.asarray(np.linalg.norm(self.crosses, axis=1))

    @cached_property
    def normals(self) -> Array:
        return self.crosses / np.maximum(self.areas, np.finfo(float).tiny)[:, None]

    @cached_property
    def seams(self) -> tuple[Integers, Integers]:
        """Faces (m, 2) that continue each other in one plane, and the vertices (m, 2) between.

        The first of the faces runs from the first of the vertices to the second.
        """
        faces = self.surface.faces.astype(np.int64)
        runs = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
        keys = np.min(runs, axis=1) * len(self.surface.vertices) + np.max(runs, axis=1)
        order = np.argsort(keys, kind="stable")
        at, counts = np.unique(keys[order], return_index=True, return_counts=True)[1:]
        first, second = order[at[counts == 2]], order[at[counts == 2] + 1]
        opposite = (runs[first, 0] == runs[second, 1]) & (runs[first, 0] != runs[first, 1])
        first, second = first[opposite], second[opposite]
        t, u = first // 3, second // 3
        longest = np.max(
            np.linalg.norm(self.corners - np.roll(self.corners, 1, axis=1), axis=2), axis=1
        )
        thick = self.areas > THIN * self.within * longest
        larger = np.where(self.areas[t] >= self.areas[u], t, u)
        smaller = t + u - larger
        off = self.corners[smaller] - self.corners[larger][:, :1]
        heights = np.abs(np.einsum("mki,mi->mk", off, self.normals[larger])).max(axis=1, initial=0)
        along = np.einsum("mi,mi->m", self.normals[t], self.normals[u]) > 0
        flat = (heights <= self.within) & along & thick[t] & thick[u] & (t != u)
        return np.column_stack([t, u])[flat], runs[first][flat]


def coplanar_patches(surface: Surface) -> IndexArray:
    """(n_faces,) the lowest face of the patch that each face belongs to."""
    patch = np.arange(len(surface.faces))
    if not len(patch):
        return patch.astype(np.int32)
    triangles = _Triangles(surface)
    pairs, between = triangles.seams
    label = component_labels(len(patch), pairs)
    by_part = np.argsort(label[pairs[:, 0]], kind="stable")
    ends = np.flatnonzero(np.diff(label[pairs[by_part, 0]], append=-1)) + 1
    for seams in np.split(by_part, ends[:-1]):
        if not len(seams):
            continue
        faces = np.unique(pairs[seams])
        if _is_one_convex(triangles, faces, between[seams]):
            patch[faces] = faces[0]
        else:
            for piece in _convex_pieces(triangles, faces, pairs[seams], between[seams]):
                patch[piece] = min(piece)
    return patch.astype(np.int32)


def _is_one_convex(triangles: _Triangles, faces: Integers, between: Integers) -> bool:
    """Whether connected faces are one flat convex polygon without holes.

    A disc (V - E + F = 1, one rim) whose rim turns left only, and once round, covers its inside
    once.
    """
    vertices = triangles.surface.vertices
    rows = triangles.surface.faces[faces].astype(np.int64)
    largest = faces[np.argmax(triangles.areas[faces])]
    normal, origin = triangles.normals[largest], triangles.corners[largest, 0]
    used = np.unique(rows)
    if np.abs((vertices[used] - origin) @ normal).max() > triangles.within:
        return False
    runs = rows[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    n = len(vertices)
    inner = np.concatenate([between, between[:, ::-1]]) @ [n, 1]
    rim = runs[~np.isin(runs @ [n, 1], inner)]
    if len(used) - (len(rim) + len(between)) + len(faces) != 1:
        return False
    following = dict(rim.tolist())
    start = int(rim[0, 0])
    loop = [start]
    while len(loop) <= len(rim) and (at := following.get(loop[-1], start)) != start:
        loop.append(at)
    if len(loop) != len(rim):
        return False
    offsets, angles = _corner_offsets(vertices[loop], normal)
    return bool(np.all(offsets >= -triangles.within) and abs(np.sum(angles) - 2 * np.pi) < 1e-3)


def _corner_offsets(loop: Array, normal: Array) -> tuple[Array, Array]:
    """How far each point is outside of the line between its neighbours [m]; angles [rad]."""
    come, go = loop - np.roll(loop, 1, axis=0), np.roll(loop, -1, axis=0) - loop
    cross = np.cross(come, go) @ normal
    across = np.linalg.norm(come + go, axis=1)
    angles = np.arctan2(cross, np.einsum("ni,ni->n", come, go))
    return cross / np.maximum(across, np.finfo(float).tiny), angles


def _convex_pieces(
    triangles: _Triangles, faces: Integers, pairs: Integers, between: Integers
) -> list[list[int]]:
    """Faces by patch: seams are taken away, the longest first, where pieces stay convex."""
    vertices = triangles.surface.vertices
    loops = {f: triangles.surface.faces[f].tolist() for f in faces.tolist()}
    members = {f: [f] for f in loops}
    planes = {f: f for f in loops}  # by the largest triangle
    owner = {(a, b): f for f, loop in loops.items() for a, b in zip(loop, loop[1:] + loop[:1])}
    directed = set(map(tuple, between.tolist())) | set(map(tuple, between[:, ::-1].tolist()))
    length = np.linalg.norm(vertices[between[:, 0]] - vertices[between[:, 1]], axis=1)
    for k in np.lexsort((between[:, 1], between[:, 0], -length)).tolist():
        a, b = between[k].tolist()
        p, q = owner[a, b], owner[b, a]
        merged = [] if p == q else _united(loops[p], loops[q], a, b, directed)
        if not merged:
            continue
        plane = max(planes[p], planes[q], key=lambda f: (triangles.areas[f], -f))
        normal, origin = triangles.normals[plane], triangles.corners[plane, 0]
        points = vertices[merged]
        if np.abs((points - origin) @ normal).max() > triangles.within:
            continue
        if np.any(_corner_offsets(points, normal)[0] < -triangles.within):
            continue
        gone = loops.pop(q)
        loops[p], planes[p] = merged, plane
        members[p] += members.pop(q)
        for run in zip(gone, gone[1:] + gone[:1]):  # the seams that went with this one too
            owner[run] = p
    return list(members.values())


def _united(
    loop: list[int], other: list[int], a: int, b: int, directed: set[tuple[int, ...]]
) -> list[int]:
    """The loop around both, where they share a chain of seams through a -> b; else nothing."""
    mine = _from(loop, b)  # b ... a
    theirs = _from(other, a)  # a ... b
    while len(mine) > 2 and len(theirs) > 2 and mine[1] == theirs[-2] and (b, mine[1]) in directed:
        mine, theirs = mine[1:], theirs[:-1]
        b = mine[0]
    while len(mine) > 2 and len(theirs) > 2 and mine[-2] == theirs[1] and (mine[-2], a) in directed:
        mine, theirs = mine[:-1], theirs[1:]
        a = mine[-1]
    around = mine + theirs[1:-1]
    return around if len(set(around)) == len(around) and len(around) > 2 else []


def _from(loop: list[int], vertex: int) -> list[int]:
    at = loop.index(vertex)
    return loop[at:] + loop[:at]
