"""Which bodies that may collide have a common point where they start."""

import numpy as np

from dovetail.collision.broad_phase.body_pairs import overlapping_boxes
from dovetail.collision.bvh.tree import PairBuffer
from dovetail.collision.intersection.surfaces import PlacedTree, intersecting_pairs
from dovetail.contact.body_pairs import BodyPairs
from dovetail.model.scene import Scene
from dovetail.model.shapes import HalfSpace
from dovetail.scene_check.known_surfaces import KnownSurfaces
from dovetail.scene_check.overlaps import ROUNDING, holds
from dovetail.scene_check.placed_body import PlacedBody

TOUCHING = 1e-9  # of the distance to the origin: a gap that the digits of a file do not mean


def meeting_at_the_start(scene: Scene) -> list[tuple[str, str]]:
    """Names of the pairs of bodies that overlap, touch to rounding or contain one another."""
    model = scene.build()
    pairs, surfaces, buffer = BodyPairs(model), KnownSurfaces(), PairBuffer()
    bodies = [
        PlacedBody(body.checked, body.given, surfaces.of(body.checked))
        for body in scene.bodies.values()
    ]
    solid = [i for i, body in enumerate(bodies) if body.has_surface and not body.unbounded]
    found = []
    if solid:
        boxes = np.array([bodies[i].box for i in solid])
        near = TOUCHING * float(np.max(np.abs(boxes)))
        boxes = boxes + np.repeat((-near, near), 3)
        for k, m in overlapping_boxes(boxes).tolist():
            i, j = sorted((solid[k], solid[m]))
            if pairs.may_collide(i, j) and _meet(bodies[i], bodies[j], near, buffer):
                found.append((i, j))
    for i, plane in enumerate(bodies):
        if plane.unbounded:
            found += [
                (min(i, j), max(i, j))
                for j in solid
                if pairs.may_collide(i, j) and _is_below(plane, bodies[j])
            ]
    return [(bodies[i].name, bodies[j].name) for i, j in sorted(found)]


def _meet(a: PlacedBody, b: PlacedBody, near: float, buffer: PairBuffer) -> bool:
    """Whether a and b meet, or would if one were moved by `near` [m] along an axis.

    Jaws that are shut touch but for rounding: moved along the axis that their normal is closest to,
    they meet.
    """
    if len(intersecting_pairs(a.placed, b.placed, buffer)):
        return True
    for shift in near * np.concatenate((np.eye(3), -np.eye(3))):
        moved = PlacedTree(b.placed.tree, b.placed.x + shift, b.placed.R)
        if len(intersecting_pairs(a.placed, moved, buffer)):
            return True
    return any(outer.closed and holds(outer, inner.samples) for outer, inner in ((a, b), (b, a)))


def _is_below(plane: PlacedBody, body: PlacedBody) -> bool:
    shape = plane.body.shape
    assert isinstance(shape, HalfSpace)
    normal = plane.body.rotation @ shape.unit_normal
    heights = (body.placed.vertices_world - plane.body.position) @ normal
    return float(np.min(heights)) <= ROUNDING * float(np.max(np.abs(body.box)))
