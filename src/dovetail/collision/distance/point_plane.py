"""A point over a plane."""

from dovetail.linalg.vec3 import add_scaled, cross, dot, norm, scale, sub
from dovetail.runtime.jit import jit


@jit
def over_plane(p, D, n):
    """(height of the point p over the plane through D with normal n, foot of its perpendicular)."""
    height = dot(n, sub(p, D))
    return height, add_scaled(p, -height, n)


@jit
def across(n):
    """Two vectors of length about 1 that span the plane with the unit normal n."""
    x, y, z = abs(n[0]), abs(n[1]), abs(n[2])
    axis = (1.0, 0.0, 0.0)
    if y <= x and y <= z:
        axis = (0.0, 1.0, 0.0)
    elif z <= x and z <= y:
        axis = (0.0, 0.0, 1.0)
    u = cross(n, axis)
    u = scale(1.0 / norm(u), u)
    return u, cross(n, u)
