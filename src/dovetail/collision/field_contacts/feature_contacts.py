"""Contacts of one body's features in the field of another, with normals that fit both.

The normal n is the gradient of the field; of an edge that crosses another edge it is across both.
A contact counts if -n is in the normal cone of the feature, within a degree and, at an open gap,
what the bodies turn in the step. At sharp vertices and edges the field is evaluated a little inside
of the feature's own body, so outside of the other one: there the distance is smooth around edges
and corners, while inside it has a ridge at each of them, where gradients jump from face to face.
The gap is then v(p') - n . (p' - p).
"""

import math

import numpy as np

from dovetail.collision.field_contacts.circles import add_circle
from dovetail.collision.field_contacts.edges import add_edge
from dovetail.collision.field_contacts.pairs import (
    EDGES,
    VERTICES,
    bundle_feature_pair,
    no_features_listed,
)
from dovetail.collision.field_contacts.passing import passed
from dovetail.collision.field_contacts.rows import empty_contacts
from dovetail.collision.field_contacts.writing import DEGREE, refined, unit_normal, write_row
from dovetail.collision.sdf.evaluate import EMPTY, evaluate, least_of_shapes
from dovetail.collision.sdf.features import FeatureArrays
from dovetail.collision.sdf.point_octree import EMPTY as NO_TREE
from dovetail.collision.sdf.primitives import BUNCH, KIND
from dovetail.collision.sdf.verlet_list import list_tree, reach_of_new_list
from dovetail.linalg.vec3 import (
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load33,
    mat_t_vec,
    matmul,
    matvec,
    scale,
    sub,
    transpose,
)
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm, warm_later

CLOSE_BY = 1e-3  # of a ball's radius: where the surface under it is looked at
AS_FAST = 1e-9  # by which a distance may grow slower than that to the shape alone
ONE_DEGREE = math.radians(1.0)
MOST_TURNED = 0.5  # [rad] by which a step may turn what counts
MAX_WIDER = 3  # doublings of how far inside of the own body a vertex is evaluated


@jit_in_place
def _update_list(field, features, near, size, margin, R, t):
    """List the features that may come within `margin` [m]; kept while bodies hardly move."""
    is_listed = near.counts[VERTICES] >= 0
    reach = reach_of_new_list(near, is_listed, features.radius, size, margin, R, t)
    if reach < 0.0:
        return
    near.counts[VERTICES] = list_tree(field, features.vertices, R, t, reach, near.vertices)
    near.counts[EDGES] = list_tree(field, features.edges, R, t, reach, near.edges)


@jit_in_place
def _add_ball(field, p, reach, margin, contacts, row, pair, frame, at):
    """Contacts of a ball about p with each shape of a union: in a groove it touches two.

    Only where the nearest point of a shape is on the surface of the union, and the distance grows
    from it as fast as one goes away: not at an edge that another shape makes flat.
    """
    for k in range(field.shapes.shape[0]):
        if field.shapes[k, KIND] == BUNCH:
            continue
        value, g = least_of_shapes(field.shapes, k, k + 1, p)
        gap, n = value - reach, unit_normal(g)
        if gap < margin:
            above = CLOSE_BY * reach
            there, _ = evaluate(field, add_scaled(p, above - value, n))
            if there > (1.0 - AS_FAST) * above:
                row = write_row(contacts, row, pair, add_scaled(p, -reach, n), -gap, n, frame, at)
    return row


@jit_in_place
def _add_vertex(field, features, s, inward, span, R, t, contacts, row, pair, frame, at):
    """The contact of the vertex at place s of the tree; returns the next row.

    `span` is `within` of `edges.add_edge`.
    """
    tree = features.vertices
    margin, outside, moving = span
    i, reach = tree.order[s], tree.reach[s]
    p = add(matvec(R, load3(tree.points, s)), t)
    into = load3(features.into, i)
    if reach > 0.0 and field.shapes.shape[0] > 1:
        return _add_ball(field, p, reach, margin, contacts, row, pair, frame, at)
    if into[0] == 0.0 and into[1] == 0.0 and into[2] == 0.0:
        value, g = evaluate(field, p)
        gap, n = value - reach, unit_normal(g)
        if gap < margin:
            row = write_row(contacts, row, pair, add_scaled(p, -reach, n), -gap, n, frame, at)
        return row
    shift = scale(inward, matvec(R, into))
    value, g = evaluate(field, add(p, shift))
    for _ in range(MAX_WIDER):
        if value >= 0.0:
            break
        shift = scale(2.0, shift)  # still inside, so further out
        value, g = evaluate(field, add(p, shift))
    n = unit_normal(g)
    gap = value - dot(n, shift)
    if gap >= margin:
        return row
    gap, n = refined(field, p, gap, n)
    gap, n = passed(field, p, gap, n, moving)
    if gap >= margin:
        return row
    in_body = mat_t_vec(R, n)
    outside = outside if gap > 0.0 else DEGREE
    for c in range(features.first[i], features.first[i + 1]):
        if dot(in_body, load3(features.cone, c)) < -outside:
            return row
    return write_row(contacts, row, pair, p, -gap, n, frame, at)


@jit_in_place
def _relative_motion(motion, i, j, x, Q):
    """d, w of the motion d + w x p of points p of body i relative to body j, in the frame of j."""
    spin_i, spin_j = (motion[i, 3], motion[i, 4], motion[i, 5]), (
        motion[j, 3], motion[j, 4], motion[j, 5],
    )  # fmt: skip
    arm = sub(load3(x, j), load3(x, i))
    moved_i = add((motion[i, 0], motion[i, 1], motion[i, 2]), cross(spin_i, arm))
    moved = sub(moved_i, (motion[j, 0], motion[j, 1], motion[j, 2]))
    return matvec(Q, moved), matvec(Q, sub(spin_i, spin_j))


@jit
def feature_contacts(
    found, point_body, field_body, pair_row, margin, turned, motion, x, R, contacts, begin
):  # fmt: skip
    """Rows from `begin` on of gaps below `margin` [m]; returns how many, also beyond capacity.

    `found` is a bundled FeaturePair; depths are -gaps and gradients unit normals. The bodies may
    turn by `turned` [rad] while the gap closes, which may bring a feature down that is still above;
    `motion` (n, 6) [m, rad] is about what they do without contact, see `passing`.
    """
    features, field, near = found.features, found.field, found.near
    frame, at = load33(R, field_body), load3(x, field_body)
    Q = transpose(frame)
    turn = matmul(Q, load33(R, point_body))
    t = matvec(Q, sub(load3(x, point_body), at))
    pair = (point_body, field_body, pair_row)
    inward = found.inward
    moving = _relative_motion(motion, point_body, field_body, x, Q)
    span = (margin, math.sin(ONE_DEGREE + min(turned, MOST_TURNED)), moving)
    _update_list(field, features, near, found.size, margin, turn, t)
    row = begin
    for c in range(near.counts[VERTICES]):
        row = _add_vertex(
            field, features, near.vertices[c], inward, span, turn, t, contacts, row, pair,
            frame, at,
        )  # fmt: skip
    for c in range(near.counts[EDGES]):
        m = features.edges.order[near.edges[c]]
        row = add_edge(
            field, features, m, found.every, inward, span, turn, t, contacts, row, pair,
            frame, at,
        )  # fmt: skip
    for k in range(features.circles.shape[0]):
        row = add_circle(field, features, k, inward, span, turn, t, contacts, row, pair, frame, at)
    return row - begin


_rows, _six = read_only(np.empty((0, 3))), read_only(np.empty((0, 6)))
NO_FEATURES = FeatureArrays(
    NO_TREE, _rows, read_only(np.zeros(1), np.int32), _rows, NO_TREE, _six, _rows, _six,
    read_only(np.empty(0)), read_only(np.empty((0, 9))), 1.0,
)  # fmt: skip
_pair = (NO_FEATURES, EMPTY, no_features_listed(0, 0), 1.0, 0.0, 1.0)


def _register() -> None:
    warm(
        feature_contacts, bundle_feature_pair(*_pair), 0, 0, 0, 1.0, 0.0, np.zeros((1, 6)),
        np.zeros((1, 3)), np.zeros((1, 3, 3)), empty_contacts(0), 0,
    )  # fmt: skip


warm(bundle_feature_pair, *_pair)
warm_later(_register)
