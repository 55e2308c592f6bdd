"""Poses and screws along a chain of joint coordinates, and bounds on how far points move.

With T(s) = exp(s_1 X_1) ... exp(s_k X_k) the velocity of a point p per s_i is w_i x p + v_i, with
(w_i, v_i) the screw X_i carried along by the coordinates before it. For i <= j
    d2p / ds_i ds_j = w_i x (w_j x p + v_j),
and one more derivative is one more cross product with the w of the first. The speed of p about
coordinate j changes only by coordinates after j, so that within s +- delta
    |w_j x p + v_j| <= rho_j = |w_j x p + v_j| at s + |w_j| sum_{l > j} delta_l rho_l.
"""

from dovetail.linalg.so3 import exp
from dovetail.linalg.vec3 import (
    IDENTITY,
    ZERO,
    add,
    cross,
    dot,
    matmul,
    matvec,
    norm,
    scale,
    sub,
)
from dovetail.runtime.jit import jit


@jit
def angular(screws, k):
    """W of screw k."""
    return (screws[k, 0], screws[k, 1], screws[k, 2])


@jit
def linear(screws, k):
    """V of screw k [m]."""
    return (screws[k, 3], screws[k, 4], screws[k, 5])


@jit
def velocity(screws, k, p):
    """W x p + v [m]: of the point p per coordinate k."""
    return add(cross(angular(screws, k), p), linear(screws, k))


@jit
def _exponential(w, v, s):
    """Rotation and translation of exp(s X) for |w| = 1 or w = 0."""
    if not dot(w, w) > 0.0:
        return IDENTITY, scale(s, v)
    E = exp(scale(s, w))
    m = cross(w, v)
    along = scale(s * dot(w, v), w)
    return E, add(sub(m, matvec(E, m)), along)


@jit
def move(chain_screws, s, screws):
    """Pose (R, t) of b at coordinates s; writes the carried screws."""
    R, t = IDENTITY, ZERO
    for k in range(s.shape[0]):
        w = matvec(R, angular(chain_screws, k))
        v = add(matvec(R, linear(chain_screws, k)), cross(t, w))
        for i in range(3):
            screws[k, i] = w[i]
            screws[k, 3 + i] = v[i]
        E, d = _exponential(angular(chain_screws, k), linear(chain_screws, k), s[k])
        t = add(matvec(R, d), t)
        R = matmul(R, E)
    return R, t


@jit
def rotation_bound(screws, half):
    """Sum of |w_k| delta_k [rad]."""
    total = 0.0
    for k in range(half.shape[0]):
        total += half[k] * norm(angular(screws, k))
    return total


@jit
def displacement_bound(screws, half, p, radius):
    """Bound [m] on how far points within `radius` [m] of p move in the cell: sum delta rho."""
    total = 0.0
    for k in range(half.shape[0] - 1, -1, -1):
        turn = norm(angular(screws, k))
        rho = norm(velocity(screws, k, p)) + turn * (radius + total)
        total += half[k] * rho
    return total


@jit
def _beyond_second(spread, p):
    """Bound [m] on what is left of p(s) after its first two derivatives."""
    turn = rotation_bound(spread.screws, spread.half)
    return turn * turn * displacement_bound(spread.screws, spread.half, p, 0.0) / 6.0


@jit
def least_along(spread, n, p):
    """Lower bound [m] on n.(p(s) - p) over the cell, to third order."""
    if spread.along >= 0.0:
        return _least_on_course(spread, n, p) - _beyond_second(spread, p)
    return _least_in_box(spread.screws, spread.half, n, p) - _beyond_second(spread, p)


@jit
def _least_in_box(screws, half, n, p):
    """Of the first two derivatives, which are exact.

    Those of one coordinate are minimised together: min of g x + h x^2 / 2 for |x| <= delta; mixed
    ones count in full.
    """
    total = 0.0
    for i in range(half.shape[0]):
        w, delta = angular(screws, i), half[i]
        g = dot(n, velocity(screws, i, p))
        across = cross(n, w)
        h = dot(across, velocity(screws, i, p))
        total += _least_of_parabola(g, h, delta)
        for j in range(i + 1, half.shape[0]):
            total -= delta * half[j] * abs(dot(across, velocity(screws, j, p)))
    return total


@jit
def _least_of_parabola(g, h, delta):
    """Min of g x + h x^2 / 2 for |x| <= delta."""
    if h * delta > abs(g):
        return -0.5 * g * g / h
    return min(delta * g, -delta * g) + 0.5 * h * delta * delta


@jit
def _least_on_course(spread, n, p):
    """The same with q_i - middle_i = c_i x + r_i, |x| <= delta, |r_i| <= e_i.

    What is linear and quadratic in x is minimised together; terms with an r_i count in full.
    """
    screws, slope, excess = spread.screws, spread.slope, spread.excess
    delta = spread.along
    g_all, h_all, off = 0.0, 0.0, 0.0
    for i in range(slope.shape[0]):
        g = dot(n, velocity(screws, i, p))
        g_all += slope[i] * g
        off += abs(g) * excess[i]
        across = cross(n, angular(screws, i))
        c_i = abs(slope[i]) * delta
        for j in range(i, slope.shape[0]):
            h = dot(across, velocity(screws, j, p))
            c_j = abs(slope[j]) * delta
            rest = abs(h) * (c_i * excess[j] + c_j * excess[i] + excess[i] * excess[j])
            if i == j:
                h_all += slope[i] * slope[i] * h
                off += 0.5 * rest
            else:
                h_all += 2.0 * slope[i] * slope[j] * h
                off += rest
    return _least_of_parabola(g_all, h_all, delta) - off


@jit
def _along_box(w, v, n, centre, axes, sides):
    """Largest |n.(w x p + v)| for p in a box."""
    across = cross(n, w)
    spread = (
        abs(dot(across, axes[0])) * sides[0]
        + abs(dot(across, axes[1])) * sides[1]
        + abs(dot(across, axes[2])) * sides[2]
    )
    return abs(dot(n, add(cross(w, centre), v))) + spread


@jit
def most_along_box(spread, n, centre, axes, sides, radius):
    """Bound [m] on |n.(p(s) - p)| for all p in a box of half `sides` about `centre`.

    `axes` are the rows of the transposed rotation of the box: axes[i] is its i-th axis.
    """
    screws, half = spread.screws, spread.half
    total = 0.0
    if spread.along >= 0.0:
        w_all, v_all = ZERO, ZERO
        for k in range(half.shape[0]):
            w, v = angular(screws, k), linear(screws, k)
            w_all = add(w_all, scale(spread.slope[k], w))
            v_all = add(v_all, scale(spread.slope[k], v))
            total += spread.excess[k] * _along_box(w, v, n, centre, axes, sides)
        total += spread.along * _along_box(w_all, v_all, n, centre, axes, sides)
    else:
        for k in range(half.shape[0]):
            w, v = angular(screws, k), linear(screws, k)
            total += half[k] * _along_box(w, v, n, centre, axes, sides)
    turn = rotation_bound(screws, half)
    return total + 0.5 * turn * displacement_bound(screws, half, centre, radius)
