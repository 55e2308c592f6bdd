"""The gap between the circle of a ring and the faces on which it rolls, at the start of a run."""

import numpy as np

from dovetail.contact.ipc.solids.rims import wide_patches
from dovetail.contact.ipc.solids.ring_faces import LYING, MARGIN, STANDING
from dovetail.contact.ipc.start_gaps import StartBody
from dovetail.model.values import Array


def circle_gap(ring: StartBody, other: StartBody) -> tuple[float, Array]:
    """(g [m] of `solids.ring_faces`, unit normal towards the ring): the least over all faces.

    Infinite where the ring rolls on none of them.
    """
    assert ring.row is not None
    _, z, major, _, _, tube, outside = ring.row.tolist()
    margin = MARGIN * (major + tube)
    axis, Q = ring.R[:, 2], other.R
    centre = ring.x + z * axis - other.x
    best, towards = np.inf, np.zeros(3)
    for _, rim in wide_patches(other.features, 2.0 * margin):
        n, offset = Q @ rim[0, :3], rim[0, 3]
        if n @ centre < offset:
            n, offset = -n, -offset
        sine = float(np.linalg.norm(np.cross(axis, n)))
        if not sine > LYING:
            continue
        p = centre - major / sine * (n - (axis @ n) * axis)
        height = float(n @ p - offset) - tube
        inside = (rim[1:, :3] @ (Q.T @ p) - rim[1:, 3]) / margin
        part = float(_rise((sine - LYING) / (STANDING - LYING)) * np.prod(_rise(inside)))
        if part > 0.0 and height >= -tube and height + (1.0 - part) * outside < best:
            best, towards = height + (1.0 - part) * outside, n
    return best, towards


def _rise(x: Array | float) -> Array:
    """As in `solids.ring_faces`."""
    y = np.clip(np.asarray(x, float), 0.0, 1.0)
    rise: Array = y**3 * (10.0 - y * (15.0 - 6.0 * y))
    return rise
