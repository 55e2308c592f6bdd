"""Contacts of one body's features in the field of another, with normals that fit both.

The normal n is the gradient of the field; of an edge that crosses another edge it is across both.
A contact counts if -n is in the normal cone of the feature, within a degree. At sharp vertices and
edges the field is evaluated a little inside of the feature's own body, so outside of the other one:
there the distance is smooth around edges and corners, while inside it has a ridge at each of them,
where gradients jump from face to face. The gap is then v(p') - n . (p' - p).
"""

import math

import numpy as np

from dovetail.collision.sdf.evaluate import EMPTY, certain_gap, evaluate
from dovetail.collision.sdf.features import FeatureArrays
from dovetail.collision.sdf.point_octree import EMPTY as NO_TREE
from dovetail.contact.penalty.compliant.records import (
    CALLS,
    EDGES,
    MARGIN,
    VERTICES,
    bundle_feature_pair,
    no_features_listed,
)
from dovetail.contact.penalty.contact_rows import empty_contacts
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
    norm,
    scale,
    store3,
    sub,
    transpose,
)
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm, warm_later

DEGREE = math.sin(math.radians(1.0))
COS_DEGREE = math.cos(math.radians(1.0))
MAX_BISECTIONS = 40
MAX_WIDER = 3  # doublings of how far inside of the own body a vertex is evaluated
CLOSEST = 1e-9  # of an edge: where a bisection ends
WIDEST, NARROWEST = 1e-2, 1e-4  # of the smaller body: how far around it features are listed
LIFETIME = 100.0  # calls that a list should serve


@jit_in_place
def _unit_normal(g):
    length = norm(g)
    if length > 0.0:
        return scale(1.0 / length, g)
    return (0.0, 0.0, 1.0)


@jit_in_place
def _list_tree(field, tree, R, t, margin, listed):
    """Places in `tree` of what may come nearer than `margin` [m]; returns how many."""
    count, node = np.int64(0), np.int64(0)
    while node < tree.after.shape[0]:
        p = add(matvec(R, load3(tree.centre, node)), t)
        if certain_gap(field, p, tree.radius[node] + margin) >= 0.0:
            node = np.int64(tree.after[node])
            continue
        if tree.leaf[node]:
            for s in range(tree.start[node], tree.end[node]):
                p = add(matvec(R, load3(tree.points, s)), t)
                if certain_gap(field, p, tree.reach[s] + margin) < 0.0:
                    listed[count] = s
                    count += 1
        node += 1
    return count


@jit_in_place
def _update_list(field, features, near, size, margin, R, t):
    """List the features that may come within `margin` [m]; kept while bodies hardly move."""
    slack = 0.5 * (WIDEST + NARROWEST) * size
    if near.counts[VERTICES] >= 0:
        near.validity[CALLS] += 1.0
        rotated = 0.0
        for i in range(3):
            for j in range(3):
                rotated += (R[i][j] - near.pose[3 * i + j]) ** 2
        moved = norm(sub(t, (near.pose[9], near.pose[10], near.pose[11])))
        moved += features.radius * rotated**0.5
        if moved + margin <= near.validity[MARGIN]:
            return
        step = moved / near.validity[CALLS]
        slack = min(max(LIFETIME * step, NARROWEST * size), WIDEST * size)
    for i in range(3):
        for j in range(3):
            near.pose[3 * i + j] = R[i][j]
        near.pose[9 + i] = t[i]
    reach = slack + 1.5 * margin
    near.validity[MARGIN], near.validity[CALLS] = reach, 0.0
    near.counts[VERTICES] = _list_tree(field, features.vertices, R, t, reach, near.vertices)
    near.counts[EDGES] = _list_tree(field, features.edges, R, t, reach, near.edges)


@jit_in_place
def _write(contacts, row, pair, p, depth, n, frame, at):
    """A contact at p of the feature's surface, along n, in the field's frame; counts on."""
    if row < contacts.depth.shape[0]:
        contacts.point_body[row], contacts.field_body[row] = pair[0], pair[1]
        contacts.pair[row] = pair[2]
        contacts.depth[row] = depth
        store3(contacts.point, row, add(matvec(frame, add_scaled(p, 0.5 * depth, n)), at))
        store3(contacts.gradient, row, matvec(frame, n))
    return row + 1


@jit_in_place
def _refined(field, p, gap, n):
    """(gap, n) at p itself where the normal there is the same."""
    value, g = evaluate(field, p)
    here = _unit_normal(g)
    if dot(here, n) > COS_DEGREE:
        return value, here
    return gap, n


@jit_in_place
def _add_vertex(field, features, s, inward, margin, R, t, contacts, row, pair, frame, at):
    """The contact of the vertex at place s of the tree; returns the next row."""
    tree = features.vertices
    i, reach = tree.order[s], tree.reach[s]
    p = add(matvec(R, load3(tree.points, s)), t)
    into = load3(features.into, i)
    if into[0] == 0.0 and into[1] == 0.0 and into[2] == 0.0:
        value, g = evaluate(field, p)
        gap, n = value - reach, _unit_normal(g)
        if gap < margin:
            row = _write(contacts, row, pair, add_scaled(p, -reach, n), -gap, n, frame, at)
        return row
    shift = scale(inward, matvec(R, into))
    value, g = evaluate(field, add(p, shift))
    for _ in range(MAX_WIDER):
        if value >= 0.0:
            break
        shift = scale(2.0, shift)  # still inside, so further out
        value, g = evaluate(field, add(p, shift))
    n = _unit_normal(g)
    gap = value - dot(n, shift)
    if gap >= margin:
        return row
    in_body = mat_t_vec(R, n)
    for c in range(features.first[i], features.first[i + 1]):
        if dot(in_body, load3(features.cone, c)) < -DEGREE:
            return row
    gap, n = _refined(field, p, gap, n)
    return _write(contacts, row, pair, p, -gap, n, frame, at)


@jit_in_place
def _along(field, a, ab, e, u):
    """(value, unit normal, -1, 0 or 1: falls, is level, rises along the edge) at a + u ab."""
    value, g = evaluate(field, add_scaled(a, u, ab))
    n = _unit_normal(g)
    slope = dot(n, e)
    return value, n, -1 if slope < -DEGREE else (1 if slope > DEGREE else 0)


@jit_in_place
def _level_end(field, a, ab, e, level, other):
    """How far from u = `level`, where the field is level along the edge, it is so to `other`."""
    for _ in range(MAX_BISECTIONS):
        if abs(other - level) <= CLOSEST:
            break
        middle = 0.5 * (level + other)
        if _along(field, a, ab, e, middle)[2] == 0:
            level = middle
        else:
            other = middle
    return level


@jit_in_place
def _add_on_edge(
    field, features, m, u, n, crossing, span, geometry, contacts, row, pair, frame, at
):
    """The contact at a + u ab along n, if its gap and normal cone allow; returns the next row.

    `crossing` is |n| of the combination of two normals where two edges cross, else 1.
    """
    a, ab, shift, side_a, side_b = geometry
    margin, reach = span
    if dot(n, side_a) < -DEGREE or dot(n, side_b) < -DEGREE:
        return row
    p_in = add_scaled(a, u, ab)
    value, _ = evaluate(field, p_in)
    gap = value / crossing - dot(n, shift) - reach
    if gap >= margin:
        return row
    p = sub(p_in, shift)
    if reach == 0.0 and crossing == 1.0:
        gap, n = _refined(field, p, gap, n)
    return _write(contacts, row, pair, add_scaled(p, -reach, n), -gap, n, frame, at)


@jit_in_place
def _add_edge(field, features, m, every, inward, margin, R, t, contacts, row, pair, frame, at):
    """Contacts between the ends of edge m: where the field is least along it.

    Where it is level, at both ends of the level part. Returns the next row.
    """
    ends, sides = features.ends, features.sides
    shift = scale(inward, matvec(R, load3(features.edge_into, m)))
    a = add(add(matvec(R, (ends[m, 0], ends[m, 1], ends[m, 2])), t), shift)
    b = add(add(matvec(R, (ends[m, 3], ends[m, 4], ends[m, 5])), t), shift)
    ab = sub(b, a)
    length = norm(ab)
    if length == 0.0:
        return row
    e = scale(1.0 / length, ab)
    side_a = matvec(R, (sides[m, 0], sides[m, 1], sides[m, 2]))
    side_b = matvec(R, (sides[m, 3], sides[m, 4], sides[m, 5]))
    reach = features.edge_reach[m]
    geometry, span = (a, ab, shift, side_a, side_b), (margin, reach)
    far = margin + reach + norm(shift)
    pieces = int(max(math.ceil(length / every), 1))
    piece = length / pieces
    value0, n0, slope0 = _along(field, a, ab, e, 0.0)
    for k in range(pieces):
        u0, u1 = k / pieces, (k + 1) / pieces
        value1, n1, slope1 = _along(field, a, ab, e, u1)
        if slope1 > slope0 and 0.5 * (value0 + value1 - piece) < far:
            level, low, high, n_low, n_high, n_level = -1.0, u0, u1, n0, n1, n0
            if slope0 == 0:
                level, n_level = u0, n0
            elif slope1 == 0:
                level, n_level = u1, n1
            else:
                for _ in range(MAX_BISECTIONS):
                    if high - low <= CLOSEST:
                        break
                    middle = 0.5 * (low + high)
                    _, n, slope = _along(field, a, ab, e, middle)
                    if slope == 0:
                        level, n_level = middle, n
                        break
                    if slope < 0:
                        low, n_low = middle, n
                    else:
                        high, n_high = middle, n
            if level < 0.0:
                down, up = -dot(n_low, e), dot(n_high, e)
                mixed = add_scaled(scale(up / (up + down), n_low), down / (up + down), n_high)
                crossing = norm(mixed)
                if crossing > DEGREE:
                    row = _add_on_edge(
                        field, features, m, 0.5 * (low + high), scale(1.0 / crossing, mixed),
                        crossing, span, geometry, contacts, row, pair, frame, at,
                    )  # fmt: skip
            else:
                if slope0 < 0:
                    u = _level_end(field, a, ab, e, level, low)
                    row = _add_on_edge(
                        field, features, m, u, n_level, 1.0, span, geometry, contacts, row, pair,
                        frame, at,
                    )  # fmt: skip
                if slope1 > 0:
                    u = _level_end(field, a, ab, e, level, high)
                    row = _add_on_edge(
                        field, features, m, u, n_level, 1.0, span, geometry, contacts, row, pair,
                        frame, at,
                    )  # fmt: skip
        value0, n0, slope0 = value1, n1, slope1
    return row


@jit_in_place
def _add_circle(field, features, k, inward, margin, R, t, contacts, row, pair, frame, at):
    """Contacts of the rim of a flat end: its deepest point, and three more a quarter apart."""
    c = features.circles
    radius = c[k, 6]
    centre = add(matvec(R, (c[k, 0], c[k, 1], c[k, 2])), t)
    axis = matvec(R, (c[k, 3], c[k, 4], c[k, 5]))
    value, g = evaluate(field, centre)
    if value - radius >= margin and not field.jumps:
        return row
    least = 0
    for i in range(1, 3):
        if abs(c[k, 3 + i]) < abs(c[k, 3 + least]):
            least = i
    some = (1.0 if least == 0 else 0.0, 1.0 if least == 1 else 0.0, 1.0 if least == 2 else 0.0)
    out = _unit_normal(cross(axis, matvec(R, some)))  # fixed in the body
    for _ in range(4):
        down = sub(scale(dot(g, axis), axis), g)
        size = norm(down)
        if size > 1e-6:
            out = scale(1.0 / size, down)
        _, g = evaluate(field, add_scaled(centre, radius, out))
    other = cross(axis, out)
    for quarter in range(4):
        d = out if quarter == 0 else (other if quarter == 1 else scale(-1.0, out))
        if quarter == 3:
            d = scale(-1.0, other)
        p = add_scaled(centre, radius, d)
        shift = scale(-inward / math.sqrt(2.0), add(d, axis))
        value, g = evaluate(field, add(p, shift))
        n = _unit_normal(g)
        gap = value - dot(n, shift)
        if gap < margin and dot(n, d) <= DEGREE and dot(n, axis) <= DEGREE:
            if abs(dot(n, cross(axis, d))) <= DEGREE:
                gap, n = _refined(field, p, gap, n)
                row = _write(contacts, row, pair, p, -gap, n, frame, at)
    return row


@jit
def feature_contacts(found, point_body, field_body, pair_row, margin, x, R, contacts, begin):
    """Rows from `begin` on of gaps below `margin` [m]; returns how many, also beyond capacity.

    `found` is a bundled FeaturePair; depths are -gaps and gradients unit normals.
    """
    features, field, near = found.features, found.field, found.near
    frame, at = load33(R, field_body), load3(x, field_body)
    Q = transpose(frame)
    turn = matmul(Q, load33(R, point_body))
    t = matvec(Q, sub(load3(x, point_body), at))
    pair = (point_body, field_body, pair_row)
    inward = found.inward
    _update_list(field, features, near, found.size, margin, turn, t)
    row = begin
    for c in range(near.counts[VERTICES]):
        row = _add_vertex(
            field, features, near.vertices[c], inward, margin, turn, t, contacts, row, pair,
            frame, at,
        )  # fmt: skip
    for c in range(near.counts[EDGES]):
        m = features.edges.order[near.edges[c]]
        row = _add_edge(
            field, features, m, found.every, inward, margin, turn, t, contacts, row, pair,
            frame, at,
        )  # fmt: skip
    for k in range(features.circles.shape[0]):
        row = _add_circle(
            field, features, k, inward, margin, turn, t, contacts, row, pair, frame, at
        )
    return row - begin


_rows, _six = read_only(np.empty((0, 3))), read_only(np.empty((0, 6)))
NO_FEATURES = FeatureArrays(
    NO_TREE, _rows, read_only(np.zeros(1), np.int32), _rows, NO_TREE, _six, _rows, _six,
    read_only(np.empty(0)), read_only(np.empty((0, 8))), 1.0,
)  # fmt: skip
_pair = (NO_FEATURES, EMPTY, no_features_listed(0, 0), 1.0, 0.0, 1.0)


def _register() -> None:
    warm(
        feature_contacts, bundle_feature_pair(*_pair), 0, 0, 0, 1.0, np.zeros((1, 3)),
        np.zeros((1, 3, 3)), empty_contacts(0), 0,
    )  # fmt: skip


warm(bundle_feature_pair, *_pair)
warm_later(_register)
