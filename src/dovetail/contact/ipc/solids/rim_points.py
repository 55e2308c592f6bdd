"""Points of the rims of a solid of revolution that are near a plane or a face.

A cylinder that lies, or a cone that stands, touches along a line or a disc. The one contact of the
barrier (`gaps`) is somewhere on it; what keeps the solid from tilting is that its ends touch too.
Four points of each rim, the lowest and those a quarter of a turn from each other, are contacts
of an impact or of a resting body.
"""

from typing import NamedTuple

from dovetail.collision.distance.revolution import over_inside, perpendicular
from dovetail.contact.ipc.records import SOLID_PLANE
from dovetail.linalg.vec3 import (
    ZERO,
    add,
    add_scaled,
    cross,
    dot,
    load3,
    neg,
    norm,
    scale,
    sub,
)
from dovetail.runtime.jit import jit_in_place

Vec3 = tuple[float, float, float]

RIM_POINTS = 8  # four of each disc
UPRIGHT = 1e-12  # sine of the angle between axis and normal


class RimPoint(NamedTuple):
    """A point of the surface over a plane or a face."""

    is_over: bool
    point: Vec3  # [m] from the centre of the solid
    normal: Vec3  # of the plane, towards the solid
    height: float  # [m]


@jit_in_place
def rim_point(kind, solid, j, D, features, m):
    """Point m of RIM_POINTS of the solid over a half-space or a face j of the body at D."""
    nothing = RimPoint(False, ZERO, ZERO, 0.0)
    z, r = (solid.z0, solid.r0) if m < 4 else (solid.z1, solid.r1)
    if (m >= 4 and solid.z1 == solid.z0) or (r == 0.0 and m % 4 != 0):
        return nothing  # the same point once more
    t0 = t1 = t2 = normal = ZERO
    if kind == SOLID_PLANE:
        n, origin = load3(features.plane_normal, j), D
    else:
        faces, offsets = features.faces, features.r_world
        t0 = add(load3(offsets, faces[j, 0]), D)
        t1 = add(load3(offsets, faces[j, 1]), D)
        t2 = add(load3(offsets, faces[j, 2]), D)
        normal, origin = cross(sub(t1, t0), sub(t2, t0)), t0
        if not norm(normal) > 0.0:
            return nothing
        n = scale(1.0 / norm(normal), normal)
        if dot(n, t0) > 0.0:
            n = neg(n)
    a = solid.axis
    down = add_scaled(neg(n), dot(a, n), a)
    sine = norm(down)
    first = scale(1.0 / sine, down) if sine > UPRIGHT else perpendicular(a)
    to = first if m % 2 == 0 else cross(a, first)
    p = add_scaled(scale(z, a), r if m % 4 < 2 else -r, to)
    p = add_scaled(p, -solid.tube, n)
    is_over = kind == SOLID_PLANE or over_inside(p, t0, t1, t2, normal)
    return RimPoint(is_over, p, n, dot(n, sub(p, origin)))
