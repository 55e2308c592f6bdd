"""Writing a contact of a feature in a field, with its normal."""

import math

from dovetail.collision.sdf.evaluate import evaluate
from dovetail.linalg.vec3 import add, add_scaled, dot, matvec, norm, scale, store3
from dovetail.runtime.jit import jit_in_place

DEGREE = math.sin(math.radians(1.0))
COS_DEGREE = math.cos(math.radians(1.0))


@jit_in_place
def unit_normal(g):
    length = norm(g)
    if length > 0.0:
        return scale(1.0 / length, g)
    return (0.0, 0.0, 1.0)


@jit_in_place
def write_row(contacts, row, pair, p, depth, n, frame, at):
    """A contact at p of the feature's surface, along n, in the field's frame; counts on."""
    if row < contacts.depth.shape[0]:
        contacts.point_body[row], contacts.field_body[row] = pair[0], pair[1]
        contacts.pair[row] = pair[2]
        contacts.depth[row] = depth
        store3(contacts.point, row, add(matvec(frame, add_scaled(p, 0.5 * depth, n)), at))
        store3(contacts.gradient, row, matvec(frame, n))
    return row + 1


@jit_in_place
def refined(field, p, gap, n):
    """(gap, n) at p itself where the normal there is the same."""
    value, g = evaluate(field, p)
    here = unit_normal(g)
    if dot(here, n) > COS_DEGREE:
        return value, here
    return gap, n
