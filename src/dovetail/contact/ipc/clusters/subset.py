"""Some bodies of a model, with arrays of their own: body i of them is body `members[i]` there."""

from typing import Any

import numpy as np

from dovetail.contact.ipc.records import (
    EDGES,
    FACES,
    ONLY_OVER_PLANES,
    POINTS,
    VERTICES,
    WIRES,
    BodyGeometry,
    CoplanarPatches,
    FaceOwners,
    Features,
    HalfSpaces,
    IpcBodies,
)
from dovetail.runtime.records import Int64Array


def subset(bodies: IpcBodies, members: Int64Array) -> IpcBodies:
    """The bodies `members` (k,), ascending. Trees are shared, features are copied."""
    slot = bodies.slot[members]
    unknown = slot >= 0
    return IpcBodies(
        mass=bodies.mass[members],
        J=bodies.J[members],
        free=bodies.free[members],
        slot=np.where(unknown, np.cumsum(unknown) - 1, -1).astype(np.int32),
        owner=np.flatnonzero(unknown).astype(np.int32),
        dynamic=bodies.dynamic[members],
        group=bodies.group[members],
        connected=_connected(bodies, members),
        geometry=_geometry(bodies.geometry, members),
    )


def _connected(bodies: IpcBodies, members: Int64Array) -> Int64Array:
    """Pairs a k + b of the members that joints connect."""
    n, k = len(bodies.mass), len(members)
    place = np.full(n, -1, np.int64)
    place[members] = np.arange(k)
    a, b = place[bodies.connected // n], place[bodies.connected % n]
    both = (a >= 0) & (b >= 0)
    return a[both] * k + b[both]


def _geometry(whole: BodyGeometry, members: Int64Array) -> BodyGeometry:
    parts = _Parts(whole.features.first, members)
    return BodyGeometry(
        radius=whole.radius[members],
        core_radius=whole.core_radius[members],
        box_centre=whole.box_centre[members],
        box_half=whole.box_half[members],
        rounding=whole.rounding[members],
        features=_features(whole.features, members, parts),
        trees=whole.trees._replace(root=whole.trees.root[members]),
        patches=_patches(whole, members, parts),
        half_spaces=HalfSpaces(
            whole.half_spaces.is_half_space[members], whole.half_spaces.normal[members]
        ),
    )


class _Parts:
    """Where the features of the members lie among those of all bodies, and in their own arrays."""

    def __init__(self, first: Any, members: Int64Array) -> None:
        begin, counts = first[members], first[members + 1] - first[members]
        self.first = np.zeros((len(members) + 1, 5), np.int32)
        self.first[1:] = np.cumsum(counts, axis=0)
        self._shift = self.first[:-1] - begin  # from numbers there to numbers here
        self._counts = counts

    def rows(self, of: Any, kind: int) -> Any:
        """The rows of the members' features of a kind; `of` has those of all bodies, or none."""
        if not len(of):
            return of
        numbers = np.arange(self.first[-1, kind], dtype=np.int64)
        return of[numbers - np.repeat(self._shift[:, kind], self._counts[:, kind])]

    def moved(self, rows: Any, kind: int, of: int) -> Any:
        """Numbers of features `of` some kind, in rows by features of `kind`; -1 stays."""
        if not len(rows):
            return rows
        shift = np.repeat(self._shift[:, of], self._counts[:, kind])
        return np.where(rows >= 0, (rows.T + shift).T, rows).astype(rows.dtype, order="C")


def _features(whole: Features, members: Int64Array, parts: _Parts) -> Features:
    k = len(members)
    return Features(
        first=parts.first,
        vertices=parts.rows(whole.vertices, VERTICES),
        vertex_body=np.repeat(np.arange(k, dtype=np.int32), np.diff(parts.first[:, VERTICES])),
        edges=parts.moved(parts.rows(whole.edges, EDGES), EDGES, VERTICES),
        faces=parts.moved(parts.rows(whole.faces, FACES), FACES, VERTICES),
        wires=parts.moved(parts.rows(whole.wires, WIRES), WIRES, EDGES),
        points=parts.moved(parts.rows(whole.points, POINTS), POINTS, VERTICES),
        vertex_radius=parts.rows(whole.vertex_radius, VERTICES),
        solids=whole.solids[members] if len(whole.solids) else whole.solids,
        owners=_owners(whole.owners, members, parts),
    )


def _owners(whole: FaceOwners, members: Int64Array, parts: _Parts) -> FaceOwners:
    """Rows of all faces and edges where some member has many faces, else none."""
    by_faces = whole.by_faces[members]
    if not by_faces.any():
        return FaceOwners(by_faces, whole.owned[:0], whole.sides[:0], whole.shares[:0])
    sides = parts.moved(parts.rows(whole.sides, FACES), FACES, EDGES)
    sides[np.repeat(by_faces == 0, np.diff(parts.first[:, FACES]))] = 0
    return FaceOwners(
        by_faces, parts.rows(whole.owned, FACES), sides, parts.rows(whole.shares, EDGES)
    )


def _patches(geometry: BodyGeometry, members: Int64Array, parts: _Parts) -> CoplanarPatches:
    whole, solids = geometry.patches, geometry.features.solids
    any_ring = len(solids) > 0 and bool(np.any(solids[members, 0] == ONLY_OVER_PLANES))
    rim_first, rim = _rims(whole, parts) if any_ring else (whole.rim_first[:0], whole.rim[:0])
    return CoplanarPatches(
        corner=parts.rows(whole.corner, VERTICES),
        side=parts.moved(parts.rows(whole.side, EDGES), EDGES, EDGES),
        patch=parts.moved(parts.rows(whole.patch, FACES), FACES, FACES),
        inner=parts.rows(whole.inner, FACES),
        divided=whole.divided[members],
        rim_first=rim_first,
        rim=rim,
    )


def _rims(whole: CoplanarPatches, parts: _Parts) -> tuple[Any, Any]:
    """Rows of `rim` of the members' faces."""
    if not len(whole.rim_first):
        return whole.rim_first, whole.rim
    begin = parts.rows(whole.rim_first[:-1], FACES).astype(np.int64)
    counts = parts.rows(np.diff(whole.rim_first), FACES).astype(np.int64)
    first = np.concatenate([[0], np.cumsum(counts)])
    rows = np.arange(first[-1]) + np.repeat(begin - first[:-1], counts)
    return first.astype(np.int32), whole.rim[rows]
