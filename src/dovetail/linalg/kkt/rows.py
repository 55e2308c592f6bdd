"""What a row of a saddle-point system of bodies and joints is."""

from dovetail.linalg.vec3 import matvec
from dovetail.runtime.jit import jit_in_place

OFF, HARD, SOFT = 0, 1, 2  # a row: left out, G u = c, or G u - D l = c


@jit_in_place
def world_row(G, r, side, R):
    """Row r of G (r, k, 6) on one of its bodies, rotated by R: all of it in world axes."""
    x, y, z = matvec(R, (G[r, side, 3], G[r, side, 4], G[r, side, 5]))
    return (G[r, side, 0], G[r, side, 1], G[r, side, 2], x, y, z)
