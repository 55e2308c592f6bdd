"""How often a closed surface goes around a point."""

import math

import numpy as np

from dovetail.linalg.vec3 import ZERO, cross, dot, load3, norm, sub
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm


@jit
def winding_number(vertices, faces, p):
    """Sum of the signed solid angles of all faces seen from p, over 4 pi.

    tan(W / 2) = a . (b x c) / (|a||b||c| + (a . b)|c| + (b . c)|a| + (c . a)|b|),
    van Oosterom and Strackee, IEEE Trans Biomed Eng 30 (1983). 1 inside a closed surface facing
    outward, 0 outside; an integer up to rounding unless p lies on the surface.
    """
    total = 0.0
    for i in range(faces.shape[0]):
        a = sub(load3(vertices, faces[i, 0]), p)
        b = sub(load3(vertices, faces[i, 1]), p)
        c = sub(load3(vertices, faces[i, 2]), p)
        la, lb, lc = norm(a), norm(b), norm(c)
        volume = dot(a, cross(b, c))
        total += math.atan2(volume, la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb)
    return total / (2.0 * math.pi)


warm(winding_number, read_only(np.empty((0, 3))), read_only(np.empty((0, 3)), np.int32), ZERO)
