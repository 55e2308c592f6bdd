"""Where two features touch: closest points, normal and normal force."""

import math
from typing import NamedTuple

from dovetail.contact.ipc.barrier.contacts import mollified
from dovetail.contact.ipc.barrier.function import MOLLIFIER_SCALE, log_barrier, mollifier
from dovetail.contact.ipc.feature_pair import edge_of, surface_points
from dovetail.contact.ipc.records import POINT_PLANE
from dovetail.contact.ipc.solids.pair import solid_gap
from dovetail.contact.ipc.solids.terms import of_gap
from dovetail.linalg.vec3 import ZERO, cross, dot, norm, norm_squared, scale, sub
from dovetail.runtime.jit import jit_in_place, when_called

Vector = tuple[float, float, float]


class ContactPoint(NamedTuple):
    """Where two bodies a and b touch, world axes."""

    r_a: Vector  # [m] closest point of a from its centre
    r_b: Vector  # [m] closest point of b from its centre
    normal: Vector  # from b to a
    distance: float  # [m]
    force: float  # [kg m] h^2 times the normal force


@jit_in_place
def mollifier_couple(i, j, features, energy):
    """[kg m^2] torque on the body of edge i that the mollifier m(c) makes, minus it on the other.

    -W B dm/dw with `energy` = W B and dc/dw = -2 (e.f) e x f for c = |e x f|^2, e rotating by w.
    """
    a0, a1 = edge_of(features, i)
    b0, b1 = edge_of(features, j)
    e, f = sub(a1, a0), sub(b1, b0)
    k = cross(e, f)
    limit = MOLLIFIER_SCALE * norm_squared(e) * norm_squared(f)
    return scale(2.0 * energy * mollifier(norm_squared(k), limit)[1] * dot(e, f), k)


@jit_in_place
def contact_point(kind, swap, i, j, D, features, barrier):
    """Closest points, normal and normal force of a candidate.

    D leads from the centre of the pair's first body a to that of b; the force is that of the
    barrier W m B(D^2), -2 W m B' D along the normal, W = barrier.stiffness.
    """
    offset = D if swap == 0 else (-D[0], -D[1], -D[2])
    if kind > POINT_PLANE:
        return _at_solid(kind, swap, i, j, offset, features, barrier)
    p, q, apart = surface_points(kind, i, j, offset, features)
    m = mollified(kind, i, j, offset, features)
    squared = norm_squared(apart)
    distance = math.sqrt(squared)
    derivative = log_barrier(squared, barrier.dmin, barrier.dhat)[1]
    force = -2.0 * barrier.stiffness * m * derivative * distance
    n = scale(1.0 / distance, apart)
    q = sub(q, offset)
    if swap == 0:
        return ContactPoint(p, q, n, distance, force)
    return ContactPoint(q, p, (-n[0], -n[1], -n[2]), distance, force)


@when_called(ContactPoint(ZERO, ZERO, ZERO, 0.0, 0.0))
@jit_in_place
def _at_solid(kind, swap, i, j, offset, features, barrier):
    """As `contact_point`, of a solid of revolution."""
    gap = solid_gap(kind, i, j, offset, features, barrier.offset)
    size = norm(gap.s)
    force = -gap.share * of_gap(gap.distance, barrier)[1] * size
    n, q = scale(1.0 / size, gap.s), sub(gap.q, offset)
    if swap == 0:
        return ContactPoint(gap.p, q, n, gap.distance, force)
    return ContactPoint(q, gap.p, (-n[0], -n[1], -n[2]), gap.distance, force)
