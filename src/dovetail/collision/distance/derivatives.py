"""Gradient and exact Hessian of a function of a squared distance, in the twists of two bodies.

Body a moves by p -> p + s + w x r + w x (w x r)/2 to second order in its twist (s, w), r = p - q
from its centre. With the closest points at offsets r_a, r_b, d = p_a - p_b, and the 0-2 free
parameters beta of the closest points (d changes by the columns c_i of C),
    F(y, beta) = |d|^2,  y = (s_a, w_a, s_b, w_b),
    dF/dy = 2 J^T d (envelope theorem),  J = [1, -[r_a], -1, [r_b]],
    d2F/dy2 = 2 (J^T J + S - Z Z^T),
where S holds the curvature of the arcs, +-(sym(d r^T) - (d.r) 1) on w_a and w_b, and Z Z^T is the
Schur complement Y (C^T C)^-1 Y^T with y_i = J^T c_i + (c_i x d on the w of the body whose
parameter it is), by Cholesky.

The parts of a and b in s are opposite throughout, so a pair of bodies needs 9 + 45 numbers and
not 12 + 78. They are added up in one row of an array.
"""

import math
from typing import NamedTuple

from dovetail.linalg.vec3 import (
    add,
    add_scaled,
    cross,
    dot,
    norm_squared,
    scale,
    sub,
)
from dovetail.runtime.jit import jit, jit_within

# columns of a row: where each part begins
DS, DW_A, DW_B = 0, 3, 6
SS = 9  # (6) xx yy zz xy xz yz
S_WA, S_WB = 15, 24  # (9) each, rows of s
WA_WA, WB_WB = 33, 39  # (6) each, as ss
WA_WB = 45  # (9) rows of w_a
PAIR_ROW = 54

GRADIENT_ONLY = -1.0  # for theta: no Hessian
Vec3 = tuple[float, float, float]
ALIGNED = 1.0 - 1e-9  # cosine of two vectors that count as parallel


@jit_within
def _add3(out, k, at, c, v):
    out[k, at] += c * v[0]
    out[k, at + 1] += c * v[1]
    out[k, at + 2] += c * v[2]


@jit_within
def add_outer(out, k, c, s, a, b):
    """Add c y y^T with y = (s, a, -s, b) to the Hessian of row k."""
    x, y, z = c * s[0], c * s[1], c * s[2]
    out[k, SS] += x * s[0]
    out[k, SS + 1] += y * s[1]
    out[k, SS + 2] += z * s[2]
    out[k, SS + 3] += x * s[1]
    out[k, SS + 4] += x * s[2]
    out[k, SS + 5] += y * s[2]
    _add3(out, k, S_WA, x, a)
    _add3(out, k, S_WA + 3, y, a)
    _add3(out, k, S_WA + 6, z, a)
    _add3(out, k, S_WB, x, b)
    _add3(out, k, S_WB + 3, y, b)
    _add3(out, k, S_WB + 6, z, b)
    add_angular_outer(out, k, c, a, b)


@jit_within
def add_angular_outer(out, k, c, a, b):
    """Add c y y^T with y = (0, a, 0, b)."""
    _add_symmetric(out, k, WA_WA, c, a)
    _add_symmetric(out, k, WB_WB, c, b)
    _add3(out, k, WA_WB, c * a[0], b)
    _add3(out, k, WA_WB + 3, c * a[1], b)
    _add3(out, k, WA_WB + 6, c * a[2], b)


@jit_within
def _add_symmetric(out, k, at, c, a):
    out[k, at] += c * a[0] * a[0]
    out[k, at + 1] += c * a[1] * a[1]
    out[k, at + 2] += c * a[2] * a[2]
    out[k, at + 3] += c * a[0] * a[1]
    out[k, at + 4] += c * a[0] * a[2]
    out[k, at + 5] += c * a[1] * a[2]


@jit_within
def _add_symmetric_product(out, k, at, c, a, b):
    """Add c (a b^T + b a^T)."""
    out[k, at] += 2.0 * c * a[0] * b[0]
    out[k, at + 1] += 2.0 * c * a[1] * b[1]
    out[k, at + 2] += 2.0 * c * a[2] * b[2]
    out[k, at + 3] += c * (a[0] * b[1] + a[1] * b[0])
    out[k, at + 4] += c * (a[0] * b[2] + a[2] * b[0])
    out[k, at + 5] += c * (a[1] * b[2] + a[2] * b[1])


@jit_within
def _add_hat(out, k, at, c, r):
    """Add c [r]."""
    out[k, at + 1] -= c * r[2]
    out[k, at + 2] += c * r[1]
    out[k, at + 3] += c * r[2]
    out[k, at + 5] -= c * r[0]
    out[k, at + 6] -= c * r[1]
    out[k, at + 7] += c * r[0]


@jit_within
def _add_arc(out, k, at, c, r, d):
    """Add c (|r|^2 1 - r r^T + sym(d r^T) - (d.r) 1) = c ((|r|^2 - d.r) 1 - sym((r - d) r^T))."""
    e = sub(r, d)
    diagonal = dot(e, r)
    out[k, at] += c * (diagonal - e[0] * r[0])
    out[k, at + 1] += c * (diagonal - e[1] * r[1])
    out[k, at + 2] += c * (diagonal - e[2] * r[2])
    out[k, at + 3] -= 0.5 * c * (e[0] * r[1] + e[1] * r[0])
    out[k, at + 4] -= 0.5 * c * (e[0] * r[2] + e[2] * r[0])
    out[k, at + 5] -= 0.5 * c * (e[1] * r[2] + e[2] * r[1])


@jit_within
def add_positive_arc(out, k, at, c, r, d):
    """Add the positive part of -c (sym(d r^T) - (d.r) 1), c > 0: stiffness of a pull at an offset.

    With unit vectors of d and r and the cosine between them its eigenvectors are their difference,
    with c |d| |r| (1 + cos) / 2, their sum, with a value that is not positive, and d x r, with
    c d.r.
    """
    both = math.sqrt(norm_squared(d) * norm_squared(r))
    along = dot(d, r)
    if not both > 0.0 or along <= -ALIGNED * both:
        return
    if along >= ALIGNED * both:
        for i in range(3):
            out[k, at + i] += c * along
        _add_symmetric(out, k, at, -c * along / norm_squared(d), d)
        return
    u = sub(scale(1.0 / math.sqrt(norm_squared(d)), d), scale(1.0 / math.sqrt(norm_squared(r)), r))
    _add_symmetric(out, k, at, 0.5 * c * (both + along) / norm_squared(u), u)
    if along > 0.0:
        w = cross(d, r)
        _add_symmetric(out, k, at, c * along / norm_squared(w), w)


@jit_within
def add_gradient(out, k, c, s, a, b):
    """Add c (s, a, -s, b) to the gradient of row k."""
    _add3(out, k, DS, c, s)
    _add3(out, k, DW_A, c, a)
    _add3(out, k, DW_B, c, b)


@jit_within
def shift_column(c, on_a, d, r_a, r_b):
    """y_i = J^T c_i + c_i x d on the body whose parameter it is, as (s, w_a, w_b)."""
    own = cross(c, d)
    a, b = cross(r_a, c), cross(c, r_b)
    if on_a:
        a = add(a, own)
    else:
        b = add(b, own)
    return c, a, b


class ClosestPoints(NamedTuple):
    """The closest points of two primitives, and how they may shift along them."""

    d: Vec3  # [m] p_a - p_b
    r_a: Vec3  # [m] offset of p_a from the centre of its body
    r_b: Vec3
    free: int  # parameters that are free, 0 to 2
    c1: Vec3  # [m] change of d with the first,
    on_a1: bool  # which belongs to a
    c2: Vec3  # and with the second
    on_a2: bool


@jit_within
def add_terms(out, k, closest, df, d2f, theta):
    """Add the derivatives of f(D^2), with f' = df and f'' = d2f, to row k of `out` (n, PAIR_ROW).

    `closest` are ClosestPoints. `theta` 1 is the exact Hessian; 0 keeps what is positive of it in
    any case: along the normal, and the stiffness of a pull at an offset; GRADIENT_ONLY leaves it
    out.
    """
    d, r_a, r_b = closest.d, closest.r_a, closest.r_b
    moment_a, moment_b = cross(r_a, d), cross(d, r_b)
    _add3(out, k, DS, 2.0 * df, d)
    _add3(out, k, DW_A, 2.0 * df, moment_a)
    _add3(out, k, DW_B, 2.0 * df, moment_b)
    if theta == GRADIENT_ONLY:
        return
    if theta == 0.0:
        add_outer(out, k, 4.0 * d2f + 2.0 * df / norm_squared(d), d, moment_a, moment_b)
        add_positive_arc(out, k, WA_WA, -2.0 * df, r_a, d)
        add_positive_arc(out, k, WB_WB, -2.0 * df, r_b, scale(-1.0, d))
        return
    add_hessian(out, k, closest, df * theta, d2f)


@jit_within
def add_hessian(out, k, closest, df, d2f):
    """Add the second derivative of f(D^2) alone, f' = df and f'' = d2f, to row k of `out`."""
    d, r_a, r_b = closest.d, closest.r_a, closest.r_b
    moment_a, moment_b = cross(r_a, d), cross(d, r_b)
    add_outer(out, k, 4.0 * d2f, d, moment_a, moment_b)
    c = 2.0 * df
    for i in range(3):
        out[k, SS + i] += c
    _add_hat(out, k, S_WA, -c, r_a)
    _add_hat(out, k, S_WB, c, r_b)
    _add_arc(out, k, WA_WA, c, r_a, d)
    _add_arc(out, k, WB_WB, c, r_b, scale(-1.0, d))
    for i in range(3):
        _add3(out, k, WA_WB + 3 * i, c * r_b[i], r_a)  # [r_a][r_b] = r_b r_a^T - (r_a.r_b) 1
        out[k, WA_WB + 4 * i] -= c * dot(r_a, r_b)
    if closest.free == 0:
        return
    c1, c2 = closest.c1, closest.c2
    s1, a1, b1 = shift_column(c1, closest.on_a1, d, r_a, r_b)
    g11 = norm_squared(c1)
    add_outer(out, k, -c / g11, s1, a1, b1)
    if closest.free == 1:
        return
    s2, a2, b2 = shift_column(c2, closest.on_a2, d, r_a, r_b)
    f = -dot(c1, c2) / g11
    left = norm_squared(cross(c1, c2)) / g11  # g22 - g12^2 / g11 without its cancellation
    add_outer(
        out, k, -c / left, add_scaled(s2, f, s1), add_scaled(a2, f, a1), add_scaled(b2, f, b1)
    )


@jit_within
def add_cross_terms(out, k, c, moment, d, r_a, r_b):
    """Add c (u g^T + g u^T) with u = (0, moment, 0, -moment) and g = 2 J^T d."""
    a, b = scale(2.0, cross(r_a, d)), scale(2.0, cross(d, r_b))
    for i in range(3):
        _add3(out, k, S_WA + 3 * i, 2.0 * c * d[i], moment)
        _add3(out, k, S_WB + 3 * i, -2.0 * c * d[i], moment)
    _add_symmetric_product(out, k, WA_WA, c, a, moment)
    _add_symmetric_product(out, k, WB_WB, -c, b, moment)
    for i in range(3):
        _add3(out, k, WA_WB + 3 * i, c * moment[i], b)
        _add3(out, k, WA_WB + 3 * i, -c * a[i], moment)


@jit_within
def add_parallel_terms(out, k, e_a, e_b, df, d2f, theta):
    """Add the derivatives of f(c), c = |e_a x e_b|^2 = const - (e_a.e_b)^2: f' = df, f'' = d2f.

    With x = e_a.e_b: dx = (k, -k), k = e_a x e_b on (w_a, w_b); d2x is sym(e_a e_b^T) - x 1 on
    each and x 1 - e_b e_a^T between them. `theta` scales the Hessian, but for GRADIENT_ONLY.
    Returns dc/dw_a (dc/dw_b is its opposite).
    """
    normal = cross(e_a, e_b)
    x = dot(e_a, e_b)
    gradient = scale(-2.0 * x, normal)
    _add3(out, k, DW_A, df, gradient)
    _add3(out, k, DW_B, -df, gradient)
    if theta == GRADIENT_ONLY:
        return gradient
    c = theta * (4.0 * x * x * d2f - 2.0 * df)
    add_angular_outer(out, k, c, normal, scale(-1.0, normal))
    c = -2.0 * x * df * theta
    for at in (WA_WA, WB_WB):
        out[k, at] += c * (e_a[0] * e_b[0] - x)
        out[k, at + 1] += c * (e_a[1] * e_b[1] - x)
        out[k, at + 2] += c * (e_a[2] * e_b[2] - x)
        out[k, at + 3] += 0.5 * c * (e_a[0] * e_b[1] + e_a[1] * e_b[0])
        out[k, at + 4] += 0.5 * c * (e_a[0] * e_b[2] + e_a[2] * e_b[0])
        out[k, at + 5] += 0.5 * c * (e_a[1] * e_b[2] + e_a[2] * e_b[1])
    for i in range(3):
        _add3(out, k, WA_WB + 3 * i, -c * e_b[i], e_a)
        out[k, WA_WB + 4 * i] += c * x
    return gradient


@jit_within
def add_positive_parallel(out, k, e_a, e_b, df, d2f):
    """Add what is positive of the Hessian of f(c), c = |e_a x e_b|^2, f' = df > 0, f'' = d2f.

    A relative rotation by t about the common normal has c'^2 = 4 x^2 |e_a x e_b|^2 and
    c'' = 2 (x^2 - |e_a x e_b|^2), x = e_a.e_b; one about the axis at right angles to it and to e_a
    has c' = 0, c'' = 2 x^2. Without these, edges that are nearly parallel rotate past it for ever.
    """
    normal = cross(e_a, e_b)
    x, size = dot(e_a, e_b), norm_squared(normal)
    if not size > 0.0:
        return
    n = scale(1.0 / math.sqrt(size), normal)
    o = cross(n, scale(1.0 / math.sqrt(norm_squared(e_a)), e_a))
    along = 4.0 * x * x * size * d2f + 2.0 * (x * x - size) * df
    if along > 0.0:
        add_angular_outer(out, k, along, n, scale(-1.0, n))
    add_angular_outer(out, k, 2.0 * x * x * df, o, scale(-1.0, o))


@jit
def expand(row, k, gradient, H):
    """Row k as the gradient (12,) and the full Hessian (12, 12) in (s_a, w_a, s_b, w_b)."""
    for i in range(3):
        gradient[i] = row[k, DS + i]
        gradient[6 + i] = -row[k, DS + i]
        gradient[3 + i] = row[k, DW_A + i]
        gradient[9 + i] = row[k, DW_B + i]
    for i in range(3):
        for j in range(3):
            m = i if i == j else 2 + i + j  # xx yy zz xy xz yz
            H[i, j] = H[6 + i, 6 + j] = row[k, SS + m]
            H[i, 6 + j] = H[6 + i, j] = -row[k, SS + m]
            H[3 + i, 3 + j] = row[k, WA_WA + m]
            H[9 + i, 9 + j] = row[k, WB_WB + m]
            s_wa, s_wb = row[k, S_WA + 3 * i + j], row[k, S_WB + 3 * i + j]
            H[i, 3 + j] = H[3 + j, i] = s_wa
            H[6 + i, 3 + j] = H[3 + j, 6 + i] = -s_wa
            H[i, 9 + j] = H[9 + j, i] = s_wb
            H[6 + i, 9 + j] = H[9 + j, 6 + i] = -s_wb
            H[3 + i, 9 + j] = H[9 + j, 3 + i] = row[k, WA_WB + 3 * i + j]
