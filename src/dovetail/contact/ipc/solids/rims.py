"""The sides of wide flat patches, for rings that roll on them (`solids.ring_faces`).

Of each such patch a row (n, n.x) of its plane, then one (e, e.x) for each of its sides, e the unit
vector across the side into the patch, in body axes from the body's centre: a point y over the patch
is e.y - e.x [m] from that side.
"""

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from dovetail.collision.mesh.contact_features import ContactFeatures
from dovetail.contact.ipc.records import ONLY_OVER_PLANES
from dovetail.contact.ipc.solids.ring_faces import margin_of
from dovetail.model.values import Array

Patches = list[tuple[int, Array]]
_KNOWN: WeakKeyDictionary[ContactFeatures, dict[float, Patches]] = WeakKeyDictionary()
SAME = 1e-9  # sides whose rows differ by less, relative to the surface's size


def rims_of(features: list[ContactFeatures], first: Any, solids: Array) -> tuple[Any, Array]:
    """(`rim_first` (n_faces + 1,), `rim` (k, 4)) of all bodies but rings; empty without a ring.

    A patch is wide where the smallest ring has a place on it that is farther than its margin from
    all sides. `first` is that of `Features`.
    """
    rings = solids[:, 0] == ONLY_OVER_PLANES
    if not rings.any():
        return np.zeros(0, np.int32), np.zeros((0, 4))
    margins = [margin_of(row[2] + row[5], row[6]) for row in solids[rings]]
    least = 2.0 * float(min(margins))
    counts = np.zeros(first[-1, 2] + 1, np.int32)
    rows: list[Array] = []
    for i, one in enumerate(features):
        if rings[i] or not len(one.surface.faces):
            continue
        for face, rim in wide_patches(one, least):
            counts[first[i, 2] + face + 1] = len(rim)
            rows.append(rim)
    return np.cumsum(counts).astype(np.int32), np.concatenate([np.zeros((0, 4)), *rows])


def wide_patches(one: ContactFeatures, least: float) -> Patches:
    """(lowest face, rows) of each patch that is at least `least` [m] wide, in order."""
    known = _KNOWN.setdefault(one, {})
    if least not in known:
        known[least] = _wide_patches(one, least)
    return known[least]


def _wide_patches(one: ContactFeatures, least: float) -> Patches:
    surface, patch, inner = one.surface, one.patches.patch, one.patches.open
    corners = surface.vertices[surface.faces]
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1, initial=0.0)
    order = np.argsort(patch, kind="stable")
    starts = np.flatnonzero(np.diff(patch[order], prepend=-1))
    ends = np.append(starts[1:], len(order))
    found = []
    for k in np.flatnonzero(np.maximum.reduceat(longest[order], starts) >= least):
        faces = order[starts[k] : ends[k]]
        rim = _rim(corners, inner, faces, least)
        if rim is not None:
            found.append((int(patch[faces[0]]), rim))
    return found


def _rim(corners: Array, inner: Any, faces: Any, least: float) -> Array | None:
    """The rows of a patch; None where it is narrow or has no area."""
    normals = np.cross(corners[faces, 1] - corners[faces, 0], corners[faces, 2] - corners[faces, 0])
    areas = np.linalg.norm(normals, axis=1)
    if not areas.max() > 0.0:
        return None
    normal = normals[np.argmax(areas)] / areas.max()
    origin = corners[faces[0]][0]
    points = corners[faces].reshape(-1, 3)
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    rows = [np.append(normal, normal @ origin)]
    for f in faces:
        for k in range(3):
            if (inner[f] >> k) & 1:
                continue
            p, q = corners[f, k], corners[f, (k + 1) % 3]
            across = np.cross(normal, q - p)
            row = np.append(across, across @ p) / np.linalg.norm(across)
            if any(_is_same(row, other, size) for other in rows[1:]):
                continue
            if np.max(points @ row[:3]) - row[3] < least:
                return None
            rows.append(row)
    return np.array(rows)


def _is_same(a: Array, b: Array, size: float) -> bool:
    return bool(np.abs(a[:3] - b[:3]).max() < SAME and abs(a[3] - b[3]) < SAME * size)
