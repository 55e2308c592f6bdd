"""Barrier energy of two solids of revolution, with its derivatives in their twists.

The gap is the largest separation of the two solids, both bent by delta (`distance.solids`), over
all directions n. With F(y, n) the separation along n at the twists y,
    d2d = F_yy + F_yn (K_a + K_b + F)^-1 F_ny.
"""

from dovetail.collision.distance.derivatives import (
    GRADIENT_ONLY,
    WA_WA,
    WB_WB,
    add_angular_outer,
    add_gradient,
    add_outer,
)
from dovetail.collision.distance.revolution import perpendicular
from dovetail.collision.distance.solids import curvature, widest
from dovetail.contact.ipc.solids.gaps import SolidGap
from dovetail.contact.ipc.solids.terms import of_gap
from dovetail.linalg.vec3 import ZERO, add, add_scaled, cross, dot, neg, scale
from dovetail.runtime.jit import jit_in_place


@jit_in_place
def between_gap(a, b, D, delta):
    """(SolidGap, Separation) of the solids a and b."""
    found = widest(a, b, D, 0.5 * delta)
    n = found.n
    gap = SolidGap(
        found.distance, neg(n), scale(found.a1, cross(a.axis, n)),
        scale(-found.b1, cross(b.axis, n)), found.p, add(D, found.q), 1.0,
    )  # fmt: skip
    return gap, found


@jit_in_place
def add_between_terms(gap, found, a, b, barrier, theta, out, row):
    """Add the derivatives to row `row` of `out`; returns the energy."""
    value, e1, e2 = of_gap(gap.distance, barrier)
    if value == 0.0:
        return 0.0
    add_gradient(out, row, e1, gap.s, gap.w_a, gap.w_b)
    if theta == GRADIENT_ONLY:
        return value
    add_outer(out, row, e2, gap.s, gap.w_a, gap.w_b)
    if theta == 0.0:
        return value
    c, n = theta * e1, found.n
    k_a, k_b = cross(a.axis, n), cross(b.axis, n)
    add_angular_outer(out, row, -c * found.a2, k_a, ZERO)
    add_angular_outer(out, row, -c * found.b2, ZERO, k_b)
    _add_turning(out, row, WA_WA, c * found.a1, a.axis, n)
    _add_turning(out, row, WB_WB, -c * found.b1, b.axis, n)
    t1 = perpendicular(n)
    t2 = cross(n, t1)
    m11, m12, m22 = curvature(a, b, found, t1, t2)
    s1, x1, y1 = _column(found, a.axis, b.axis, k_a, k_b, t1)
    s2, x2, y2 = _column(found, a.axis, b.axis, k_a, k_b, t2)
    if not m11 > 0.0 or not m22 - m12 * m12 / m11 > 0.0:
        return value
    f = -m12 / m11
    add_outer(out, row, c / m11, s1, x1, y1)
    add_outer(
        out, row, c / (m22 + f * m12), add_scaled(s2, f, s1), add_scaled(x2, f, x1),
        add_scaled(y2, f, y1),
    )  # fmt: skip
    return value


@jit_in_place
def _column(found, a, b, k_a, k_b, t):
    """The derivative of the gradient (s, w_a, w_b) where n moves along t."""
    x = add_scaled(scale(found.a1, cross(a, t)), -found.a2 * dot(a, t), k_a)
    y = add_scaled(scale(-found.b1, cross(b, t)), -found.b2 * dot(b, t), k_b)
    return neg(t), x, y


@jit_in_place
def _add_turning(out, row, at, c, a, n):
    """Add c times the second derivatives of a.n where a turns."""
    x = dot(a, n)
    for i in range(3):
        out[row, at + i] += c * (a[i] * n[i] - x)
    out[row, at + 3] += 0.5 * c * (a[0] * n[1] + a[1] * n[0])
    out[row, at + 4] += 0.5 * c * (a[0] * n[2] + a[2] * n[0])
    out[row, at + 5] += 0.5 * c * (a[1] * n[2] + a[2] * n[1])
