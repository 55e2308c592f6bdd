"""Barrier energy of a solid of revolution and a feature, with its derivatives in the twists.

With the gap d of `gaps` the energy is E(d) = kappa B(d^2), its Hessian E'' g g^T + E' d2d. Over a
plane d = n.(x_a - origin) - o(u), u = a.n, and all of it is explicit. Next to an edge or a vertex
d is the distance of cores less a radius: of the axis or a line along the side, of the plane of a
disc, of a circle; then d2d is that of `distance.derivatives`, where a circle of radius R has
rho / R in place of 1 for its own parameter, and the pull adds to that of the edge.
"""

from dovetail.collision.distance.derivatives import (
    GRADIENT_ONLY,
    S_WB,
    WA_WA,
    WA_WB,
    WB_WB,
    ClosestPoints,
    add_angular_outer,
    add_gradient,
    add_outer,
    add_terms,
    shift_column,
)
from dovetail.collision.distance.point_plane import across
from dovetail.collision.distance.revolution import DISC, INSIDE, LATERAL, RIM
from dovetail.contact.ipc.barrier.function import log_barrier
from dovetail.linalg.vec3 import (
    ZERO,
    add_scaled,
    cross,
    dot,
    neg,
    norm,
    scale,
    sub,
)
from dovetail.runtime.jit import jit_in_place, jit_within

THIN = 1e-12  # of the size: no core is thinner


@jit_within
def of_gap(distance, barrier):
    """(E, E', E'') of a gap, of which barrier.offset is kept."""
    distance = max(distance - barrier.offset, 0.0)
    value, first, second = log_barrier(
        distance * distance, barrier.dmin, barrier.dhat - barrier.offset
    )
    if value == 0.0:
        return 0.0, 0.0, 0.0
    kappa = barrier.stiffness
    e1 = 2.0 * kappa * first * distance
    return kappa * value, e1, kappa * (4.0 * second * distance * distance + 2.0 * first)


@jit_in_place
def add_plane_terms(over, solid, D, is_over, barrier, theta, out, row):
    """A solid over a plane or a face (`PlaneGap`); beside the face only what is a square."""
    gap = over.gap
    value, e1, e2 = of_gap(gap.distance, barrier)
    if value == 0.0:
        return 0.0
    add_gradient(out, row, e1, gap.s, gap.w_a, gap.w_b)
    if theta == GRADIENT_ONLY:
        return value
    add_outer(out, row, e2, gap.s, gap.w_a, gap.w_b)
    if not is_over:
        return value
    n, a, u, k = gap.s, solid.axis, over.u, over.k
    if theta == 0.0:
        _add_positive_tilt(out, row, a, n, u, k, over.o1, over.o2, -e1)
        return value
    c = theta * e1
    add_angular_outer(out, row, -c * over.o2, k, neg(k))
    _add_cosine(out, row, -c * over.o1, a, n, u)
    # of n.(x_a - origin): n turns with b
    height = dot(n, D)
    for i in range(3):
        unit = (1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0)
        turned = cross(n, unit)
        for j in range(3):
            out[row, S_WB + 3 * i + j] += c * turned[j]
        out[row, WB_WB + i] += c * (height - n[i] * D[i])
    out[row, WB_WB + 3] -= 0.5 * c * (n[0] * D[1] + n[1] * D[0])
    out[row, WB_WB + 4] -= 0.5 * c * (n[0] * D[2] + n[2] * D[0])
    out[row, WB_WB + 5] -= 0.5 * c * (n[1] * D[2] + n[2] * D[1])
    return value


@jit_in_place
def _add_cosine(out, row, c, a, b, x):
    """Add c times the second derivatives of x = a.b, a turning with the first body."""
    for at in (WA_WA, WB_WB):
        for i in range(3):
            out[row, at + i] += c * (a[i] * b[i] - x)
        out[row, at + 3] += 0.5 * c * (a[0] * b[1] + a[1] * b[0])
        out[row, at + 4] += 0.5 * c * (a[0] * b[2] + a[2] * b[0])
        out[row, at + 5] += 0.5 * c * (a[1] * b[2] + a[2] * b[1])
    for i in range(3):
        for j in range(3):
            out[row, WA_WB + 3 * i + j] -= c * b[i] * a[j]
        out[row, WA_WB + 4 * i] += c * x


@jit_in_place
def _add_positive_tilt(out, row, a, n, u, k, o1, o2, force):
    """Stiffness against tilting: about k the support has o'' s^2 - o' u, across it -o' u."""
    sine = norm(k)
    about = scale(1.0 / sine, k) if sine > 1e-15 else across(n)[0]
    other = cross(about, a)
    stiff = o2 * sine * sine - o1 * u
    if stiff > 0.0:
        add_angular_outer(out, row, force * stiff, about, neg(about))
    if -o1 * u > 0.0:
        add_angular_outer(out, row, -force * o1 * u, other, neg(other))


@jit_in_place
def add_edge_terms(edge, solid, D, radius, barrier, theta, out, row):
    """A solid and an edge or vertex of radius [m] (`EdgeGap`)."""
    gap, near = edge.gap, edge.near
    value, e1, e2 = of_gap(gap.distance, barrier)
    if value == 0.0:
        return 0.0
    add_gradient(out, row, e1, gap.s, gap.w_a, gap.w_b)
    if theta == GRADIENT_ONLY:
        return value
    core, c1, c2, weight, free = _core(edge, solid)
    d = sub(core, edge.at)
    length = norm(d)
    if near.part == INSIDE or not length > THIN * (near.rho + near.radius + solid.r0):
        add_outer(out, row, e2, gap.s, gap.w_a, gap.w_b)
        return value
    r_a, r_b = core, sub(edge.at, D)
    add_terms(
        out, row, ClosestPoints(d, r_a, r_b, 0, ZERO, False, ZERO, False), 0.5 * e1 / length,
        (e2 - e1 / length) / (4.0 * length * length), theta,
    )  # fmt: skip
    add_gradient(out, row, -e1, scale(1.0 / length, d), *_moments(d, length, r_a, r_b))
    if theta == 0.0:
        return value
    _add_free(out, row, edge, D, d, length, r_a, r_b, c1, c2, weight, free, theta * e1 / length)
    return value


@jit_within
def _moments(d, length, r_a, r_b):
    n = scale(1.0 / length, d)
    return cross(r_a, n), cross(n, r_b)


@jit_in_place
def _core(edge, solid):
    """The core that is nearest: (point, directions it may move in, weight of the first, free)."""
    near, a = edge.near, solid.axis
    on_solid = edge.gap.p
    if near.part == LATERAL:
        dr, dz = solid.r1 - solid.r0, solid.z1 - solid.z0
        length = (dr * dr + dz * dz) ** 0.5
        rho = near.rho - near.distance * dz / length
        core = add_scaled(on_solid, -rho * length / dz, near.normal)
        along = add_scaled(scale(dr / length, near.outward), dz / length, a)
        return core, along, ZERO, 1.0, 1
    if near.part == DISC:
        u, v = across(a)
        return on_solid, u, v, 1.0, 2
    if near.part == RIM and near.radius > 0.0:
        return on_solid, cross(a, near.outward), ZERO, near.rho / near.radius, 1
    return on_solid, ZERO, ZERO, 1.0, 0


@jit_in_place
def _add_free(out, row, edge, D, d, length, r_a, r_b, c1, c2, weight, free, c):
    """What the parameters that are free take away: the Schur complement, one after the other."""
    s1, a1, b1 = shift_column(c1, True, d, r_a, r_b)
    if free > 0:
        add_outer(out, row, -c / weight, s1, a1, b1)
    s2, a2, b2 = shift_column(c2, True, d, r_a, r_b)
    if free > 1:
        add_outer(out, row, -c, s2, a2, b2)
    if not edge.inside:
        return
    # along the edge, with the pull: pull tau^2 / 2, whose gradient is pull tau (-e, 0, e x D)
    e, pull = edge.along, length * edge.pull
    turned = cross(e, D)
    add_outer(out, row, c * pull, neg(e), ZERO, turned)
    s3, a3, b3 = shift_column(neg(e), False, d, r_a, r_b)
    s3 = add_scaled(s3, -pull, e)
    b3 = add_scaled(b3, pull, turned)
    left = 1.0 + pull
    if free > 0:
        f = -dot(c1, e) / weight
        left += f * dot(c1, e)
        s3, a3, b3 = add_scaled(s3, -f, s1), add_scaled(a3, -f, a1), add_scaled(b3, -f, b1)
    if free > 1:
        f = -dot(c2, e)
        left += f * dot(c2, e)
        s3, a3, b3 = add_scaled(s3, -f, s2), add_scaled(a3, -f, a2), add_scaled(b3, -f, b2)
    if left > 0.0:
        add_outer(out, row, -c / left, s3, a3, b3)
