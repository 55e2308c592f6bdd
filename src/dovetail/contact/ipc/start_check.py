"""No barrier can separate what already intersects: the start is checked, exactly.

What only touches is opened (`touching_start`).
"""

import numpy as np

from dovetail.collision.bvh.tree import Bvh, PairBuffer, bvh_of
from dovetail.collision.intersection.nesting import SolidPieces, solid_pieces, vertex_inside
from dovetail.collision.intersection.surfaces import intersecting_pairs
from dovetail.contact.body_pairs import BodyPairs
from dovetail.contact.derived_settings import report_note
from dovetail.contact.ipc.round_shapes import is_on_axis, solid_of
from dovetail.contact.ipc.shared_features import SharedFeatures
from dovetail.contact.ipc.start_boxes import loose_boxes, near_pairs, near_plane
from dovetail.contact.ipc.start_gaps import StartBody, round_gap
from dovetail.contact.ipc.tessellated_rollers import note_tessellated_rollers
from dovetail.contact.ipc.touching_start import open_touching
from dovetail.errors import InputError
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.shapes import Cone, Cylinder, HalfSpace, Torus
from dovetail.model.values import Array, quote
from dovetail.multibody.state import initial_state

MAX_REPORTED = 5
REACH = 5e-6  # of their diagonals: bodies this close may meet when what touches is opened


def checked_start(model: Model, dmin: float) -> Array:
    """Raise InputError naming bodies and triangles that intersect at the start.

    Returns displacements (n, 3) [m] that open what touches.
    """
    state = initial_state(model)
    shared, trees = SharedFeatures(), dict[int, Bvh]()
    solids: dict[int, SolidPieces] = {}
    placed: list[StartBody] = []
    numbers = []
    mistakes = []
    for i, body in enumerate(model.bodies):
        if isinstance(body.shape, HalfSpace) or not len(body.surface.vertices):
            continue
        features, radius = shared.of(body)
        if id(features) not in trees:
            tree = trees[id(features)] = bvh_of(features.surface)
            solids[id(tree)] = solid_pieces(features.surface, tree.simplices)
        tree = trees[id(features)]
        placed.append(StartBody(tree, state.x[i], state.R[i], features, radius, solid_of(body)))
        numbers.append(i)
    _say_what_has_facets(model, len(placed))
    note_tessellated_rollers(model)
    buffer, bodies = PairBuffer(), BodyPairs(model)
    opened = _open_touching(model, placed, numbers, bodies, dmin)
    for k, m in near_pairs(placed, 0.0):
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
        if placed[k].is_round or placed[m].is_round:
            gap, _ = round_gap(placed[k], placed[m], dmin)
            if gap <= dmin:
                mistakes.append(
                    f"bodies {quote(model.names[i])} and {quote(model.names[j])} must not "
                    f"intersect at the start under contact method 'ipc': the gap between them is "
                    f"{gap:.3g} m; move them apart"
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
    boxes = loose_boxes(placed)
    for p, plane in enumerate(model.bodies):
        if not isinstance(plane.shape, HalfSpace):
            continue
        normal = state.R[p] @ plane.shape.unit_normal
        for k in near_plane(boxes, state.x[p], normal, dmin):
            i, heights = numbers[k], placed[k].heights(state.x[p], normal)
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
    return opened


def _say_what_has_facets(model: Model, n_placed: int) -> None:
    """Rings are smooth over half-spaces and flat faces, others if centred on their axis."""
    turned = [b for b in model.bodies if isinstance(b.shape, Cylinder | Cone)]
    off_axis = [quote(body.name) for body in turned if not is_on_axis(body)]
    if off_axis:
        report_note(
            f"{', '.join(off_axis[:MAX_REPORTED])}: a polyhedron under contact method 'ipc', since "
            "its centre of mass is not on its axis"
        )
    rings = [body.name for body in model.bodies if isinstance(body.shape, Torus)]
    if rings and n_placed > 1:
        names = ", ".join(quote(name) for name in rings[:MAX_REPORTED])
        more = f" and {len(rings) - MAX_REPORTED} more" if len(rings) > MAX_REPORTED else ""
        report_note(
            "rings roll on half-spaces and flat faces as they are, and meet all else as polyhedra "
            f"under contact method 'ipc': {names}{more}; more `segments` come nearer to the circle"
        )


def _open_touching(
    model: Model, placed: list[StartBody], numbers: list[int], bodies: BodyPairs, dmin: float
) -> Array:
    """Move what touches in `placed`; returns by how much (n, 3) [m] and says so."""
    state, by_body = initial_state(model), dict(zip(numbers, placed))
    meeting = [(numbers[k], numbers[m]) for k, m in near_pairs(placed, REACH)]
    meeting = [pair for pair in meeting if bodies.may_collide(*pair)]
    boxes = loose_boxes(placed)
    within = dmin + float(np.linalg.norm(boxes[:, 3:] - boxes[:, :3], axis=1).max(initial=0.0))
    planes = []
    for p, plane in enumerate(model.bodies):
        if isinstance(plane.shape, HalfSpace):
            normal = state.R[p] @ plane.shape.unit_normal
            for k in near_plane(boxes, state.x[p], normal, within):
                if bodies.may_collide(numbers[k], p):
                    planes.append((numbers[k], state.x[p], normal))
    jointed = {int(body) for joint in model.joints for body in (joint.body_a, joint.body_b)}
    free = (model.motion == DYNAMIC) & ~np.any(model.fixed[:, :3], axis=1)
    movable = [i for i in np.flatnonzero(free).tolist() if i not in jointed]
    moved = open_touching(by_body, meeting, planes, movable, dmin)
    opened = np.zeros((model.n_bodies, 3))
    for i, by in moved.items():
        opened[i] = by
    placed[:] = [by_body[i] for i in numbers]
    if moved:
        names = ", ".join(quote(model.names[i]) for i in sorted(moved)[:MAX_REPORTED])
        more = f" and {len(moved) - MAX_REPORTED} more" if len(moved) > MAX_REPORTED else ""
        farthest = float(np.linalg.norm(opened, axis=1).max())
        report_note(
            f"bodies that touch at the start are opened: {names}{more} moved by up to "
            f"{farthest:.2g} m"
        )
    return opened
