"""Points that pass beside a body: the contact of the end of their motion in place of its start.

At a gap the direction to the nearest point of a body bounds the motion of a sharp feature. Beside
an edge that bound is too tight: a peg above its hole is nearer to the rim than to the wall. Where a
point is outside at the end of the step's motion without contact, the normal there is one, too, and
does not hold up what passes.
"""

from dovetail.collision.field_contacts.writing import COS_DEGREE, unit_normal
from dovetail.collision.sdf.evaluate import evaluate
from dovetail.linalg.vec3 import add, cross, dot
from dovetail.runtime.jit import jit_in_place


@jit_in_place
def passed(field, p, gap, n, moving):
    """(gap, normal) at the start of the contact at the end of the motion of p; else those given.

    `moving` are two vectors d, w of the motion d + w x p [m] relative to the field, in its frame;
    nan where it is not known.
    """
    d = add(moving[0], cross(moving[1], p))
    if not gap + dot(n, d) < 0.0:
        return gap, n
    value, g = evaluate(field, add(p, d))
    there = unit_normal(g)
    if not value > 0.0 or dot(there, n) > COS_DEGREE:
        return gap, n
    ahead = value - dot(there, d)
    if ahead >= 0.0 and evaluate(field, p)[0] > 0.0:
        return ahead, there
    return gap, n
