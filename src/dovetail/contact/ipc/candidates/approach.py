"""How much two nodes of trees approach each other along a direction, at constant twists.

A point r of a body, from its centre, is at exp(t [w]) r. Along a fixed unit vector u
    u.exp(t [w]) r <= u.r + t (u x w).r + t^2 / 2 |u x w| |w x r|,
since the second derivative is -(w x u).(w x r(t)) and |w x r(t)| stays what it is. So two nodes
with centres c and radii rho, body b moving by t ds besides, approach each other along u until t by
at most
    t max(0, (u x w_a).c_a - (u x w_b).c_b - u.ds + |u x w_a| rho_a + |u x w_b| rho_b)
    + t^2 / 2 (|u x w_a| (|w_a x c_a| + |w_a| rho_a) + the same of b)
(cf. Tang, Kim and Manocha, C2A, ICRA 2009). For parts that slide or turn in their seats this is
next to nothing along the normal, while their points move by |ds| + |w| r.
"""

import math
from typing import NamedTuple

from dovetail.collision.bvh.slabs import HIGH, LOW, RADIUS, ROUNDING
from dovetail.linalg.vec3 import cross, dot, load3, matvec, neg, norm
from dovetail.runtime.jit import jit_in_place, jit_within

Vec3 = tuple[float, float, float]
LEAST = 4e-15  # rounding of 1 - k^2, k the cosine between two unit vectors


class SeenMotion(NamedTuple):
    """The motion of body b as seen from a, and which nodes are left out; in the axes of a."""

    Q: tuple[Vec3, Vec3, Vec3]  # rotation of b
    offset: Vec3  # [m] from the centre of a to that of b
    margin: float  # [m] nodes whose boxes are farther apart are left out
    time: float  # until which they move
    beyond: float  # [m] separation along a direction that has to be left at that time
    ds: Vec3  # [m] translation of b less that of a until 1
    w_a: Vec3  # [rad] rotations until 1
    w_b: Vec3


@jit_in_place
def until(seen, margin, time):
    """The same motion until another time."""
    return SeenMotion(seen.Q, seen.offset, margin, time, seen.beyond, seen.ds, seen.w_a, seen.w_b)


@jit_within
def approach_along(u, seen, c_a, c_b, radius_a, radius_b):
    """[m] separation along u that two nodes need: what they approach by and what has to be left."""
    t = seen.time
    if t == 0.0:
        return seen.beyond
    tilt_a, tilt_b = cross(u, seen.w_a), cross(u, seen.w_b)
    size_a, size_b = norm(tilt_a), norm(tilt_b)
    closing = dot(tilt_a, c_a) - dot(tilt_b, c_b) - dot(u, seen.ds)
    closing += size_a * radius_a + size_b * radius_b
    bend = size_a * (norm(cross(seen.w_a, c_a)) + norm(seen.w_a) * radius_a)
    bend += size_b * (norm(cross(seen.w_b, c_b)) + norm(seen.w_b) * radius_b)
    return seen.beyond + t * max(0.0, closing) + 0.5 * t * t * bend


@jit_within
def _extent(along, low, high, radius):
    """Largest u.(x - c) of a node whose normal has the component `along` along u."""
    across = math.sqrt(max(0.0, 1.0 - along * along) + LEAST)
    return max(along * low, along * high) + across * radius


@jit_within
def stays_apart(slabs, n, m, seen, apart, c_a, c_b):
    """Whether nodes n of a and m of b stay separated along the normal of one of their slabs.

    `apart` leads from the centre of the box of n to that of m, c_a and c_b from their bodies'.
    """
    radius_a, radius_b = slabs[n, RADIUS], slabs[m, RADIUS]
    rounding = slabs[n, ROUNDING] + slabs[m, ROUNDING]
    normal_a, normal_b = load3(slabs, n), matvec(seen.Q, load3(slabs, m))
    far = dot(normal_a, apart)
    gap = (far - slabs[n, HIGH] if far >= 0.0 else slabs[n, LOW] - far) - rounding
    if gap > seen.beyond:
        u = normal_a if far >= 0.0 else neg(normal_a)
        gap -= _extent(-dot(u, normal_b), slabs[m, LOW], slabs[m, HIGH], radius_b)
        if gap > approach_along(u, seen, c_a, c_b, radius_a, radius_b):
            return True
    far = dot(normal_b, apart)
    gap = (far + slabs[m, LOW] if far >= 0.0 else -far - slabs[m, HIGH]) - rounding
    if gap > seen.beyond:
        u = normal_b if far >= 0.0 else neg(normal_b)
        gap -= _extent(dot(u, normal_a), slabs[n, LOW], slabs[n, HIGH], radius_a)
        return gap > approach_along(u, seen, c_a, c_b, radius_a, radius_b)
    return False
