"""No barrier can separate what already intersects: the start is checked, exactly."""

import numpy as np

from dovetail.collision.broad_phase.body_pairs import overlapping_boxes
from dovetail.collision.bvh.tree import Bvh, PairBuffer, bvh_of
from dovetail.collision.intersection.nesting import SolidPieces, solid_pieces, vertex_inside
from dovetail.collision.intersection.surfaces import PlacedTree, intersecting_pairs
from dovetail.contact.body_pairs import BodyPairs
from dovetail.errors import InputError
from dovetail.model.frozen import Model
from dovetail.model.shapes import HalfSpace
from dovetail.model.values import quote
from dovetail.multibody.state import initial_state

MAX_REPORTED = 5


def refuse_bad_start(model: Model, dmin: float) -> None:
    """Raise InputError naming bodies and triangles that intersect at the start."""
    state = initial_state(model)
    trees: dict[tuple[int, bytes], Bvh] = {}
    solids: dict[int, SolidPieces] = {}
    placed: list[PlacedTree] = []
    numbers = []
    mistakes = []
    for i, body in enumerate(model.bodies):
        if isinstance(body.shape, HalfSpace) or not len(body.surface.vertices):
            continue
        key = (id(body.shape), body.centre.tobytes())
        if key not in trees:
            trees[key] = bvh_of(body.surface)
            solids[id(trees[key])] = solid_pieces(body.surface, trees[key].simplices)
        placed.append(PlacedTree(trees[key], state.x[i], state.R[i]))
        numbers.append(i)
    buffer, bodies = PairBuffer(), BodyPairs(model)
    near = overlapping_boxes(np.array([one.box_world for one in placed]).reshape(-1, 6))
    for k, m in near[np.lexsort((near[:, 1], near[:, 0]))].tolist():
        i, j = numbers[k], numbers[m]
        if not bodies.may_collide(i, j):
            continue
        pairs = intersecting_pairs(placed[k], placed[m], buffer)
        if len(pairs):
            first, second = pairs[0].tolist()
            mistakes.append(
                f"bodies {quote(model.names[i])} and {quote(model.names[j])} must not intersect "
                f"at the start under contact method 'ipc': {len(pairs)} pairs of triangles meet, "
                f"first {first} and {second}; move them apart"
            )
            continue
        for (outer, o), (inner, n) in (((k, i), (m, j)), ((m, j), (k, i))):
            pieces = solids[id(placed[inner].tree)].samples
            faces = solids[id(placed[outer].tree)].faces
            if vertex_inside(placed[outer], faces, placed[inner].vertices_world[pieces]) >= 0:
                mistakes.append(
                    f"body {quote(model.names[n])} must not be inside the solid of body "
                    f"{quote(model.names[o])} at the start under contact method 'ipc'; move it "
                    "out, or give a hollow container an inner surface"
                )
                break
    for p, plane in enumerate(model.bodies):
        if not isinstance(plane.shape, HalfSpace):
            continue
        normal = state.R[p] @ plane.shape.unit_normal
        for one, i in zip(placed, numbers):
            heights = (one.vertices_world - state.x[p]) @ normal
            if bodies.may_collide(i, p) and np.min(heights) <= dmin:
                mistakes.append(
                    f"body {quote(model.names[i])} must be more than {dmin:g} m above half-space "
                    f"{quote(plane.name)} at the start, its vertex {int(np.argmin(heights))} is at "
                    f"{np.min(heights):.3g} m; move it up"
                )
    if mistakes:
        more = len(mistakes) - MAX_REPORTED
        reported = mistakes[:MAX_REPORTED] + ([f"and {more} more such pairs"] if more > 0 else [])
        raise InputError(reported)
