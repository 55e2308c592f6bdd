"""Contacts of an edge in a field: where the field is least along it."""

import math

from dovetail.collision.field_contacts.passing import passed
from dovetail.collision.field_contacts.writing import DEGREE, refined, unit_normal, write_row
from dovetail.collision.sdf.evaluate import evaluate
from dovetail.linalg.vec3 import add, add_scaled, dot, load3, matvec, norm, scale, sub
from dovetail.runtime.jit import jit_in_place

COS_HALF_DEGREE = math.cos(math.radians(0.5))
AT_VERTEX = 2.0  # of an edge's parameter: beyond its end
MAX_BISECTIONS = 40
CLOSEST = 1e-9  # of an edge: where a bisection ends


@jit_in_place
def _along(field, a, ab, e, u):
    """(value, unit normal, -1, 0 or 1: falls, is level, rises along the edge) at a + u ab."""
    value, g = evaluate(field, add_scaled(a, u, ab))
    n = unit_normal(g)
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
def _least(field, a, ab, e, low, high):
    """Where the field is least between two points of an edge: one point, not a level part."""
    for _ in range(MAX_BISECTIONS):
        if high - low <= CLOSEST:
            break
        middle = 0.5 * (low + high)
        if dot(_along(field, a, ab, e, middle)[1], e) < 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@jit_in_place
def _add_on_edge(field, u, n, crossing, span, geometry, contacts, row, pair, frame, at):
    """The contact at a + u ab along n, if its gap and normal cone allow; returns the next row.

    `crossing` is |n| of the combination of two normals where two edges cross, else 1.
    """
    a, ab, shift, side_a, side_b = geometry
    margin, reach, outside, moving = span
    p_in = add_scaled(a, u, ab)
    value, _ = evaluate(field, p_in)
    gap = value / crossing - dot(n, shift) - reach
    if gap >= margin:
        return row
    p = sub(p_in, shift)
    if reach == 0.0 and crossing == 1.0:
        gap, n = refined(field, p, gap, n)
        gap, n = passed(field, p, gap, n, moving)
        if gap >= margin:
            return row
    outside = outside if gap > 0.0 else DEGREE
    if dot(n, side_a) < -outside or dot(n, side_b) < -outside:
        return row
    return write_row(contacts, row, pair, add_scaled(p, -reach, n), -gap, n, frame, at)


@jit_in_place
def _add_level_part(field, start, end, e, span, geometry, contacts, row, pair, frame, at):
    """Contacts where the field is level along an edge: at both ends, or where it is round, one.

    Round where the normal changes within the part. A negative start and an end beyond 1 are those
    of the edge itself, where its vertices are.
    """
    a, ab = geometry[0], geometry[1]
    u0, u1 = max(start, 0.0), min(end, 1.0)
    n0 = _along(field, a, ab, e, 0.75 * u0 + 0.25 * u1)[1]
    n1 = _along(field, a, ab, e, 0.25 * u0 + 0.75 * u1)[1]
    if dot(n0, n1) < COS_HALF_DEGREE:
        u = _least(field, a, ab, e, u0, u1)
        n = _along(field, a, ab, e, u)[1]
        return _add_on_edge(field, u, n, 1.0, span, geometry, contacts, row, pair, frame, at)
    if start >= 0.0:
        row = _add_on_edge(field, u0, n0, 1.0, span, geometry, contacts, row, pair, frame, at)
    if end <= 1.0:
        row = _add_on_edge(field, u1, n1, 1.0, span, geometry, contacts, row, pair, frame, at)
    return row


@jit_in_place
def add_edge(field, features, m, every, inward, within, R, t, contacts, row, pair, frame, at):
    """Contacts between the ends of edge m: where the field is least along it.

    Where it is level, at both ends of the level part. `within` are the largest gap [m], the sine
    of the angle by which a normal may be outside of the edge's cone, and how points move (see
    `passing.passed`). Returns the next row.
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
    margin, outside, moving = within
    geometry, span = (a, ab, shift, side_a, side_b), (margin, reach, outside, moving)
    far = margin + reach + norm(shift)
    pieces = int(max(math.ceil(length / every), 1))
    piece = length / pieces
    value0, n0, slope0 = _along(field, a, ab, e, 0.0)
    start = -1.0  # where a level part begins that has not ended yet
    for k in range(pieces):
        u0, u1 = k / pieces, (k + 1) / pieces
        value1, n1, slope1 = _along(field, a, ab, e, u1)
        if slope1 > slope0 and 0.5 * (value0 + value1 - piece) < far:
            level, low, high, n_low, n_high = -1.0, u0, u1, n0, n1
            if slope0 == 0:
                level = u0
            elif slope1 == 0:
                level = u1
            else:
                for _ in range(MAX_BISECTIONS):
                    if high - low <= CLOSEST:
                        break
                    middle = 0.5 * (low + high)
                    _, n, slope = _along(field, a, ab, e, middle)
                    if slope == 0:
                        level = middle
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
                        field, 0.5 * (low + high), scale(1.0 / crossing, mixed),
                        crossing, span, geometry, contacts, row, pair, frame, at,
                    )  # fmt: skip
            else:
                if slope0 < 0:
                    start = _level_end(field, a, ab, e, level, low)
                if slope1 > 0:
                    end = _level_end(field, a, ab, e, level, high)
                    row = _add_level_part(
                        field, start, end, e, span, geometry, contacts, row, pair, frame, at
                    )
                    start = -1.0
        elif slope1 < 0:
            start = -1.0
        value0, n0, slope0 = value1, n1, slope1
    if start >= 0.0:
        row = _add_level_part(
            field, start, AT_VERTEX, e, span, geometry, contacts, row, pair, frame, at
        )
    return row
