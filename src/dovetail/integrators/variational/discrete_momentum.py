r"""Angular momentum at both ends of a step with rotation f, for three discrete Lagrangians.

LOGARITHM  h W.J W / 2 with W = f / h (Huang et al. 2022, eqs. 15-18, RATTLie):
    h Pi_0 = J_r^-1(f) J f = J f + f x J f / 2 + k f x (f x J f),
    k = (1 - |f|/2 cot(|f|/2)) / |f|^2
DIFFERENCE tr((I - F) J_d) / h with F = exp(f) (eqs. 7-12, the general form):
    h Pi_0 = sin|f|/|f| J f + (1 - cos|f|)/|f|^2 f x J f
CENTRAL    the difference quotient (R_1 - R_0) / h seen from the middle (R_0 + R_1) / 2 instead of
    from R_0, which is Cayley's map W = 2 c / h with c = tan(|f|/2) f/|f|:
    h Pi_0 = 2 (J c + c x J c + (c . J c) c)
and h Pi_1 = F^T h Pi_0, which is the same with the sign of the cross product changed (not of the
double one). Body axes.
"""

import math

from dovetail.linalg import stumpff
from dovetail.linalg.so3 import hat
from dovetail.linalg.vec3 import (
    IDENTITY,
    add,
    add_scaled,
    cross,
    dot,
    mat_add,
    mat_scale,
    mat_sub,
    matmul,
    matvec,
    norm,
    outer,
    scale,
)
from dovetail.runtime.jit import jit

LOGARITHM, DIFFERENCE, CENTRAL = 0, 1, 2


@jit
def momentum(rule, J, f, end):
    """H Pi [N m s^2] at the start (end = 1) or at the end (end = -1) of the rotation f [rad]."""
    x = norm(f)
    Jf = matvec(J, f)
    fJf = cross(f, Jf)
    if rule == LOGARITHM:
        k = stumpff.inverse_jacobian_coefficient(x)
        return add_scaled(add_scaled(Jf, 0.5 * end, fJf), k, cross(f, fJf))
    if rule == DIFFERENCE:
        return add_scaled(scale(stumpff.c1(x), Jf), end * stumpff.c2(x), fJf)
    s = stumpff.c1(x) / (1.0 + math.cos(x))  # tan(x/2) / x
    whole = add_scaled(scale(2.0 * s, Jf), 2.0 * s * s * end, fJf)
    return add_scaled(whole, 2.0 * s * s * s * dot(f, Jf), f)


@jit
def momentum_jacobian(rule, J, f):
    """d(h Pi_0)/df, 3x3; derivatives of the coefficients as in `stumpff`."""
    x = norm(f)
    Jf = matvec(J, f)
    fJf = cross(f, Jf)
    twist = mat_sub(matmul(hat(f), J), hat(Jf))  # d(f x J f)/df
    if rule == LOGARITHM:
        half = 0.5 * x
        c1, c2, c3 = stumpff.c1(half), stumpff.c2(half), stumpff.c3(half)
        k = 0.25 * (c2 - c3) / c1
        bent = (3.0 * (stumpff.c4(half) - stumpff.c5(half)) - c3) / c1
        k_rate = (bent + 16.0 * k * k) / 16.0  # (dk/dx) / x
        double = mat_sub(matmul(hat(f), twist), hat(fJf))
        whole = mat_add(mat_add(J, mat_scale(0.5, twist)), mat_scale(k, double))
        return mat_add(whole, mat_scale(k_rate, outer(cross(f, fJf), f)))
    if rule == CENTRAL:
        return _central_jacobian(J, f)
    c2, c3 = stumpff.c2(x), stumpff.c3(x)
    along = add(scale(c3 - c2, Jf), scale(2.0 * stumpff.c4(x) - c3, fJf))
    whole = mat_add(mat_scale(stumpff.c1(x), J), mat_scale(c2, twist))
    return mat_add(whole, outer(along, f))


@jit
def _central_jacobian(J, f):
    """d(2 (J c + c x J c + (c . J c) c))/dc dc/df with dc/df = s I + s'/|f| f f^T."""
    x = norm(f)
    half = 1.0 / (1.0 + math.cos(x))
    s = stumpff.c1(x) * half
    c = scale(s, f)
    Jc = matvec(J, c)
    twist = mat_sub(matmul(hat(c), J), hat(Jc))
    along = mat_add(mat_scale(dot(c, Jc), IDENTITY), mat_scale(2.0, outer(c, Jc)))
    by_c = mat_scale(2.0, mat_add(mat_add(J, twist), along))
    bent = outer(scale(stumpff.c3(x) * half, matvec(by_c, f)), f)
    return mat_add(mat_scale(s, by_c), bent)


@jit
def right_jacobian_transposed(f, g):
    """J_r(f)^T g = g + c_2 f x g + c_3 f x (f x g): a row g of a Jacobian in terms of df."""
    x = norm(f)
    return right_jacobian_row(f, stumpff.c2(x), stumpff.c3(x), g)


@jit
def right_jacobian_row(f, c2, c3, g):
    """J_r(f)^T g with c_2 and c_3 of |f| known."""
    fg = cross(f, g)
    return add_scaled(add_scaled(g, c2, fg), c3, cross(f, fg))
