"""Contacts of a circle in a field: the rim of a flat end, or the middle of a tube."""

import math

from dovetail.collision.field_contacts.writing import DEGREE, refined, unit_normal, write_row
from dovetail.collision.sdf.evaluate import evaluate
from dovetail.linalg.so3 import exp
from dovetail.linalg.vec3 import (
    add,
    add_scaled,
    cross,
    dot,
    mat_t_vec,
    matvec,
    norm,
    scale,
    sub,
)
from dovetail.runtime.jit import jit_in_place

MAX_SECANTS = 30
MAX_TURN = 0.5  # [rad] on a circle in one of them
FAR_ON = 0.2  # [rad] along a circle: as far as a contact may roll in a step that resolves it
FLAT = 1e-9  # sine of the slope along a circle at its deepest point


@jit_in_place
def _lowest_on_circle(field, centre, axis, out, radius, g):
    """Unit vector from the centre to where the field is least on the circle; g: at the centre.

    Where the field of a plane is least, then along the slope of the field around the circle, by
    secants.
    """
    for _ in range(4):
        down = sub(scale(dot(g, axis), axis), g)
        size = norm(down)
        if size > 1e-6:
            out = scale(1.0 / size, down)
        _, g = evaluate(field, add_scaled(centre, radius, out))
    across = cross(axis, out)
    angle, slope = 0.0, dot(unit_normal(g), across)
    trial = -slope if abs(slope) > FLAT else 0.0
    if trial == 0.0:
        return out
    best, best_value = 0.0, evaluate(field, add_scaled(centre, radius, out))[0]
    for _ in range(MAX_SECANTS):
        d = add_scaled(scale(math.cos(trial), out), math.sin(trial), across)
        value, g = evaluate(field, add_scaled(centre, radius, d))
        if value < best_value:
            best, best_value = trial, value
        new = dot(unit_normal(g), cross(axis, d))
        if abs(new) <= FLAT or new == slope:
            break
        step = -new * (trial - angle) / (new - slope)
        if (new - slope) * (trial - angle) <= 0.0 or abs(step) > MAX_TURN:
            step = -MAX_TURN if new > 0.0 else MAX_TURN  # the field is concave here: go down
        angle, slope, trial = trial, new, trial + step
    return add_scaled(scale(math.cos(best), out), math.sin(best), across)


@jit_in_place
def _lowest_later(field, centre, axis, out, radius, w):
    """(unit vector to where a circle that turns by w will be lowest, whether that is far on).

    As if the field were that of a plane; whether it is more than FAR_ON away from `out`.
    """
    _, g = evaluate(field, add_scaled(centre, radius, out))
    n, turn = unit_normal(g), exp(w)
    later = matvec(turn, axis)
    down = sub(scale(dot(n, later), later), n)
    steepness = norm(down)
    if not steepness > 1e-6:
        return out, False
    d = mat_t_vec(turn, scale(1.0 / steepness, down))
    return d, dot(d, out) < math.cos(FAR_ON)


@jit_in_place
def _on_rim(n, d, axis, slope, outside):
    """Whether -n is a normal of the rim at d: between the axis and the normal of the side.

    Or `outside` of that by a sine of no more.
    """
    across = dot(n, axis) * math.cos(slope) + dot(n, d) * math.sin(slope)
    return dot(n, d) <= outside and across <= outside and abs(dot(n, cross(axis, d))) <= DEGREE


@jit_in_place
def add_circle(field, features, k, inward, within, R, t, contacts, row, pair, frame, at):
    """Contacts of a circle: its deepest point, and three more a quarter apart.

    The circle is the rim of a flat end, or with a reach the middle of a tube. `within` as in
    `edges.add_edge`.
    """
    c = features.circles
    margin, outside = within[0], within[1]
    radius, slope, reach = c[k, 6], c[k, 7], c[k, 8]
    centre = add(matvec(R, (c[k, 0], c[k, 1], c[k, 2])), t)
    axis = matvec(R, (c[k, 3], c[k, 4], c[k, 5]))
    value, g = evaluate(field, centre)
    if value - radius - reach >= margin and not field.jumps:
        return row
    least = 0
    for i in range(1, 3):
        if abs(c[k, 3 + i]) < abs(c[k, 3 + least]):
            least = i
    some = (1.0 if least == 0 else 0.0, 1.0 if least == 1 else 0.0, 1.0 if least == 2 else 0.0)
    out = unit_normal(cross(axis, matvec(R, some)))  # fixed in the body
    out = _lowest_on_circle(field, centre, axis, out, radius, g)
    other = cross(axis, out)
    later, far = _lowest_later(field, centre, axis, out, radius, within[2][1])
    for quarter in range(5 if far else 4):
        d = out if quarter == 0 else (other if quarter == 1 else scale(-1.0, out))
        if quarter == 3:
            d = scale(-1.0, other)
        elif quarter == 4:
            d = later
        p = add_scaled(centre, radius, d)
        if reach > 0.0:
            value, g = evaluate(field, p)
            gap, n = value - reach, unit_normal(g)
            if gap < margin and abs(dot(n, cross(axis, d))) <= DEGREE:
                row = write_row(contacts, row, pair, add_scaled(p, -reach, n), -gap, n, frame, at)
            continue
        shift = scale(-inward / math.sqrt(2.0), add(d, axis))
        value, g = evaluate(field, add(p, shift))
        n = unit_normal(g)
        gap = value - dot(n, shift)
        touches = _on_rim(n, d, axis, slope, outside if gap > 0.0 else DEGREE)
        if gap < margin and (touches or quarter == 4):
            gap, n = refined(field, p, gap, n)
            row = write_row(contacts, row, pair, p, -gap, n, frame, at)
    return row
