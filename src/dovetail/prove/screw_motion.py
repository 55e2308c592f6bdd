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
def least_along(screws, half, n, p):
    """Lower bound [m] on n.(p(s) - p) over the cell, to third order.

    The first two derivatives are exact. Those of one coordinate are minimised together:
    min of g x + h x^2 / 2 for |x| <= delta; mixed ones count in full.
    """
    total = 0.0
    for i in range(half.shape[0]):
        w, delta = angular(screws, i), half[i]
        g = dot(n, velocity(screws, i, p))
        across = cross(n, w)
        h = dot(across, velocity(screws, i, p))
        low = min(delta * g, -delta * g) + 0.5 * h * delta * delta
        if h * delta > abs(g):
            low = -0.5 * g * g / h
        total += low
        for j in range(i + 1, half.shape[0]):
            total -= delta * half[j] * abs(dot(across, velocity(screws, j, p)))
    turn = rotation_bound(screws, half)
    reach = displacement_bound(screws, half, p, 0.0)
    return total - turn * turn * reach / 6.0


@jit
def most_along_box(screws, half, n, centre, axes, sides, radius):
    """Bound [m] on |n.(p(s) - p)| for all p in a box of half `sides` about `centre`.

    `axes` are the rows of the transposed rotation of the box: axes[i] is its i-th axis.
    """
    total = 0.0
    for k in range(half.shape[0]):
        across = cross(n, angular(screws, k))
        spread = (
            abs(dot(across, axes[0])) * sides[0]
            + abs(dot(across, axes[1])) * sides[1]
            + abs(dot(across, axes[2])) * sides[2]
        )
        total += half[k] * (abs(dot(n, velocity(screws, k, centre))) + spread)
    turn = rotation_bound(screws, half)
    return total + 0.5 * turn * displacement_bound(screws, half, centre, radius)
