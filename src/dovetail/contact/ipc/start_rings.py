"""The gap between the circle of a ring and the faces on which it rolls, at the start of a run."""

import numpy as np

from dovetail.collision.bvh.tree import bvh_of
from dovetail.contact.body_pairs import BodyPairs
from dovetail.contact.derived_settings import report_note
from dovetail.contact.ipc.round_shapes import solid_of
from dovetail.contact.ipc.shared_features import SharedFeatures
from dovetail.contact.ipc.solids.rims import wide_patches
from dovetail.contact.ipc.solids.ring_faces import LYING, STANDING, margin_of
from dovetail.contact.ipc.start_boxes import near_pairs
from dovetail.contact.ipc.start_gaps import StartBody
from dovetail.model.frozen import Model
from dovetail.model.shapes import HalfSpace, Torus
from dovetail.model.values import Array, quote
from dovetail.multibody.state import initial_state

MAX_REPORTED = 5
NEAR = 0.1  # of their diagonals: bodies whose boxes are farther apart are not looked at


def circle_gap(ring: StartBody, other: StartBody) -> tuple[float, Array]:
    """(g [m] of `solids.ring_faces`, unit normal towards the ring): the least over all faces.

    Infinite where the ring rolls on none of them.
    """
    assert ring.row is not None
    _, z, major, _, _, tube, outside = ring.row.tolist()
    margin = margin_of(major + tube, outside)
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


def facetted_rings(model: Model, opened: Array, dmin: float) -> list[int]:
    """The rings whose circle meets a face at the start, of which the polyhedron is free.

    They cannot begin with a barrier of the circle. `opened` (n, 3) [m] are the displacements that
    open what touches; bodies with joints have none.
    """
    rings = [i for i, body in enumerate(model.bodies) if isinstance(body.shape, Torus)]
    if not rings:
        return []
    state, shared, bodies = initial_state(model), SharedFeatures(), BodyPairs(model)
    placed: dict[int, StartBody] = {}
    for i, body in enumerate(model.bodies):
        if isinstance(body.shape, HalfSpace) or not len(body.surface.vertices):
            continue
        features, radius = shared.of(body)
        placed[i] = StartBody(
            bvh_of(features.surface), state.x[i] + opened[i], state.R[i], features, radius,
            solid_of(body),
        )  # fmt: skip
    numbers = list(placed)
    met = set()
    for k, m in near_pairs([placed[i] for i in numbers], NEAR):
        i, j = numbers[k], numbers[m]
        ring, other = (i, j) if placed[i].is_ring else (j, i)
        if placed[ring].is_ring and not placed[other].is_ring and not placed[other].is_round:
            if bodies.may_collide(i, j) and circle_gap(placed[ring], placed[other])[0] <= dmin:
                met.add(ring)
    if met:
        names = ", ".join(quote(model.names[i]) for i in sorted(met)[:MAX_REPORTED])
        report_note(
            f"rings that are polyhedra on faces, too, since their circle meets one at the start: "
            f"{names}; leave a gap of at least the height of their facets"
        )
    return sorted(met)


def _rise(x: Array | float) -> Array:
    """As in `solids.ring_faces`."""
    y = np.clip(np.asarray(x, float), 0.0, 1.0)
    rise: Array = y**3 * (10.0 - y * (15.0 - 6.0 * y))
    return rise
