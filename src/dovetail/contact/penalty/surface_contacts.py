"""All contacts of one body's points, edges and faces in the field of another."""

import numpy as np

from dovetail.collision.field_contacts.rows import empty_contacts
from dovetail.collision.sdf.deepest_point import NO_PARTS, deepest_of_part
from dovetail.collision.sdf.evaluate import EMPTY, evaluate
from dovetail.collision.sdf.point_octree import EMPTY as NO_TREE
from dovetail.contact.penalty.contact_rows import write_contact
from dovetail.contact.penalty.records import (
    EDGES,
    FACES,
    POINTS,
    PartnerField,
    SampledSurface,
    SurfacePair,
)
from dovetail.contact.penalty.verlet_list import empty_list, update_list
from dovetail.linalg.vec3 import add, load3, load33, matmul, matvec, sub, transpose
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm


@jit
def surface_contacts(surfaces, with_points, point_body, field_body, pair, x, R, contacts, begin):
    """Rows from `begin` on; returns how many there are, which may be more than the capacity.

    `surfaces` is a SurfacePair. Without `with_points`, the detection points are left out: another
    method has found them.
    """
    surface, field, near = surfaces.surface, surfaces.partner.field, surfaces.near
    Q = transpose(load33(R, field_body))
    rotation = matmul(Q, load33(R, point_body))
    t = matvec(Q, sub(load3(x, point_body), load3(x, field_body)))
    tree = surface.points
    update_list(field, surface, near, surfaces.partner.size, rotation, t)
    capacity, row = contacts.depth.shape[0], begin
    for c in range(near.counts[POINTS] if with_points else 0):
        s = near.points[c]
        value, g = evaluate(field, add(matvec(rotation, load3(tree.points, s)), t))
        if value < tree.reach[s]:
            if row < capacity:
                write_contact(
                    contacts, row, point_body, field_body, pair, load3(tree.points, s),
                    tree.reach[s], tree.reach[s] - value, g, x, R,
                )  # fmt: skip
            row += 1
    for is_edge in (True, False):
        count = near.counts[EDGES if is_edge else FACES]
        for c in range(count):
            if is_edge:
                m, parts = surface.edge_tree.order[near.edges[c]], surface.edges
            else:
                m, parts = surface.face_tree.order[near.faces[c]], surface.faces
            depth, excess, place, g = deepest_of_part(
                field, surface.corners, parts, m, is_edge, 0.5 * surfaces.partner.feature,
                surfaces.partner.noise, near.edge_depths, rotation, t,
            )  # fmt: skip
            if is_edge:
                near.edge_depths[m] = depth
            if excess > 0.0:
                if row < capacity:
                    write_contact(
                        contacts, row, point_body, field_body, pair, place, parts.reach[m],
                        excess, g, x, R,
                    )  # fmt: skip
                row += 1
    return row - begin


NO_SURFACE = SampledSurface(
    NO_TREE, read_only(np.empty((0, 3))), NO_PARTS, NO_TREE, NO_PARTS, NO_TREE, 1.0
)
warm(
    surface_contacts,
    SurfacePair(NO_SURFACE, PartnerField(EMPTY, 1.0, 0.0, 1.0), empty_list(0, 0, 0)), True, 0, 0, 0,
    np.zeros((1, 3)), np.zeros((1, 3, 3)), empty_contacts(0), 0,
)  # fmt: skip
