"""All contacts of one body's points, edges and faces in the field of another."""

from typing import Any, NamedTuple

import numpy as np

from dovetail.collision.sdf.deepest_point import NO_PARTS, deepest_of_part
from dovetail.collision.sdf.evaluate import EMPTY, evaluate
from dovetail.collision.sdf.point_octree import EMPTY as NO_TREE
from dovetail.contact.penalty.force import room_for, write_contact
from dovetail.contact.penalty.near_parts import keep_listed, nothing_listed
from dovetail.linalg.vec3 import add, load3, load33, matmul, matvec, sub, transpose
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm


class Probes(NamedTuple):
    """What a body is probed with, in its own frame."""

    tree: Any  # PointTree of its detection points
    corners: Any  # (n, 3) [m] that the parts name
    edges: Any  # Parts
    edge_tree: Any  # PointTree of their middles
    faces: Any
    face_tree: Any
    far: float  # [m] no point is further from the origin


class Probed(NamedTuple):
    """The other body of a pair: its field and what that can tell."""

    field: Any  # FieldArrays
    feature: float  # [m] its thinnest part
    noise: float  # [m] ripples of the field
    size: float  # [m] of the smaller body of the two


@jit
def probe(probes, probed, near, by_points, slave, master, pair, x, R, contacts, begin):
    """Rows from `begin` on; returns how many there are, which may be more than fit.

    Without `by_points`, the detection points are left out: another method has found them.
    """
    field = probed.field
    Q = transpose(load33(R, master))
    turn, t = matmul(Q, load33(R, slave)), matvec(Q, sub(load3(x, slave), load3(x, master)))
    tree = probes.tree
    keep_listed(field, probes, near, probed.size, turn, t)
    room, row = contacts.depth.shape[0], begin
    for c in range(near.counts[0] if by_points else 0):
        s = near.points[c]
        value, g = evaluate(field, add(matvec(turn, load3(tree.points, s)), t))
        if value < tree.reach[s]:
            if row < room:
                write_contact(
                    contacts, row, slave, master, pair, load3(tree.points, s), tree.reach[s],
                    tree.reach[s] - value, g, x, R,
                )  # fmt: skip
            row += 1
    for flat in (True, False):
        count = near.counts[1 if flat else 2]
        for c in range(count):
            if flat:
                m, parts = probes.edge_tree.order[near.edges[c]], probes.edges
            else:
                m, parts = probes.face_tree.order[near.faces[c]], probes.faces
            depth, excess, place, g = deepest_of_part(
                field, probes.corners, parts, m, flat, 0.5 * probed.feature, probed.noise,
                near.edge_depths, turn, t,
            )  # fmt: skip
            if flat:
                near.edge_depths[m] = depth
            if excess > 0.0:
                if row < room:
                    write_contact(
                        contacts, row, slave, master, pair, place, parts.reach[m], excess, g, x, R
                    )
                row += 1
    return row - begin


NO_PROBES = Probes(NO_TREE, read_only(np.empty((0, 3))), NO_PARTS, NO_TREE, NO_PARTS, NO_TREE, 1.0)
warm(
    probe, NO_PROBES, Probed(EMPTY, 1.0, 0.0, 1.0), nothing_listed(0, 0, 0), True, 0, 0, 0,
    np.zeros((1, 3)), np.zeros((1, 3, 3)), room_for(0), 0,
)  # fmt: skip
