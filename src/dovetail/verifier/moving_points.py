"""How far a moving point is along a direction, to third order, seen from a rotating frame.

Body a rotates at w_a about the origin, body b at w_b about X + s v (world axes, time s). With
C, W, B the matrices of c x, w x and (w - c) x, a point r of a body is seen from the frame at
    y(tau) = exp(-tau C) exp(tau W) r,
    y' = B r,   y'' = (B W - C B) r,   y''' = exp(-tau C) (C C B - 2 C B W + B W W) exp(tau W) r,
and the origin of b at o(tau) = exp(-tau C) (X + tau v),
    o' = v - C X,   o'' = C C X - 2 C v,   o''' = exp(-tau C) (3 C C v - C C C (X + tau v)).
Along a unit vector n that is fixed in the frame, with |n.(c x z)| <= |n x c| |z| and the same for B
up to the rotation of n by tau c,
    |n.y'''| <= |n x c| (|c| (|B r| + |B| |W r| h) + 2 |B| |W r|)
                + (|n x (w - c)| + h |n x c| |B|) |w| |W r|,
    |n.o'''| <= |n x c| (|c| (|C X| + h |C v|) + 3 |C v|)
for |tau| <= h. So n.y lies within M h^3 / 6 of its second-order Taylor polynomial: pieces of time
shrink with the third root of the gap, not with its square root (Zhang, Redon, Lee, Kim, Continuous
collision detection for articulated models using Taylor models, SIGGRAPH 2007; directional bounds as
Tang, Kim, Manocha, C2A, ICRA 2009).
"""

from typing import NamedTuple

from dovetail.linalg.vec3 import cross, dot, norm, sub
from dovetail.runtime.jit import jit


class AlongDirection(NamedTuple):
    """A rotation as the projections on one direction n need it."""

    n: tuple[float, float, float]
    c: tuple[float, float, float]  # [rad] of the frame
    w: tuple[float, float, float]  # [rad] of the body
    beta: tuple[float, float, float]  # w - c
    n_c: float  # |n x c|
    n_beta: float  # |n x beta|
    size_c: float
    size_w: float
    size_beta: float


@jit
def along_direction(n, w, c):
    """The AlongDirection of a body that rotates at w."""
    beta = sub(w, c)
    return AlongDirection(
        n, c, w, beta, norm(cross(n, c)), norm(cross(n, beta)), norm(c), norm(w), norm(beta)
    )


@jit
def taylor_of_point(seen, r, half):
    """n.y, n.y', n.y'' of the point r, and a bound of |n.y'''| for `half` a piece to both sides."""
    u, turned = cross(seen.beta, r), cross(seen.w, r)
    second = dot(seen.n, sub(cross(seen.beta, turned), cross(seen.c, u)))
    sweep = norm(turned)
    third = seen.n_c * (
        seen.size_c * (norm(u) + seen.size_beta * sweep * half) + 2.0 * seen.size_beta * sweep
    )
    third += (seen.n_beta + half * seen.n_c * seen.size_beta) * seen.size_w * sweep
    return dot(seen.n, r), dot(seen.n, u), second, third


@jit
def taylor_of_origin(seen, X, v, half):
    """Likewise of a point that moves from X by v."""
    around, drift = cross(seen.c, X), cross(seen.c, v)
    second = dot(
        seen.n, sub(cross(seen.c, around), (2.0 * drift[0], 2.0 * drift[1], 2.0 * drift[2]))
    )
    size = norm(drift)
    third = seen.n_c * (seen.size_c * (norm(around) + half * size) + 3.0 * size)
    return dot(seen.n, X), dot(seen.n, sub(v, around)), second, third


@jit
def least_of_quadratic(f0, f1, f2, half):
    """Least of f0 + f1 tau + f2 tau^2 / 2 for |tau| <= half."""
    if f2 > 0.0 and abs(f1) < f2 * half:
        return f0 - 0.5 * f1 * f1 / f2
    return f0 - abs(f1) * half + 0.5 * f2 * half * half
