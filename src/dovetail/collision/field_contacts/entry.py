"""Where a point that moves towards a body enters it: the contact that its motion leads to.

At a gap the direction to the nearest point of a body bounds the motion of a sharp feature. Beside
an edge that bound is too tight: a peg above its hole is nearer to the rim than to the wall. So the
field is followed along the motion of the step without contact, and the contact is that of the place
where the point enters the body, or of the end of the motion if it does not.
"""

import math

from dovetail.collision.field_contacts.writing import unit_normal
from dovetail.collision.sdf.evaluate import evaluate
from dovetail.linalg.vec3 import add, add_scaled, cross, dot, norm
from dovetail.runtime.jit import jit_in_place

BENT = 0.01  # of the motion: less, and the field is taken as linear along it
MAX_MARCH = 40  # evaluations along a motion
ARRIVED = 1e-3  # of the motion: as near to the surface as that


@jit_in_place
def entered(field, p, gap, n, moving):
    """(gap, normal) of the contact that the motion of p leads to; those given if it is the same.

    `moving` are two vectors d, w of the motion d + w x p [m] relative to the field, in its frame.
    """
    if not gap > 0.0:
        return gap, n
    d = add(moving[0], cross(moving[1], p))
    length = norm(d)
    if not length > 0.0:
        return gap, n
    value, g = evaluate(field, add(p, d))
    if value - (gap + dot(n, d)) <= BENT * length:
        return gap, n
    s = 1.0
    if not value > 0.0:
        s = 0.0
        value, g = evaluate(field, p)
        for _ in range(MAX_MARCH):
            if value <= ARRIVED * length:
                break
            s = min(1.0, s + value / length)
            value, g = evaluate(field, add_scaled(p, s, d))
            if s == 1.0:
                break
    there = unit_normal(g)
    ahead = value - s * dot(there, d)
    if ahead >= 0.0 and math.isfinite(ahead):
        return ahead, there
    return gap, n
