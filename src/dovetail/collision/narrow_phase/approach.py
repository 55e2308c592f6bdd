"""How much closer two bodies have come since a list of their features was made."""

import numpy as np

from dovetail.linalg.so3 import log
from dovetail.linalg.vec3 import load3, load33, matmul, norm, sub, transpose
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm


@jit
def approach(x0, R0, x, R, a, b, arm_a, arm_b):
    """[m] bound on how much closer two points of bodies a and b have come since x0 (2, 3), R0.

    No point is farther from the origin of its body than `arm_a`, `arm_b` [m].
    """
    before = sub(load3(x0, 1), load3(x0, 0))
    total = norm(sub(sub(load3(x, b), load3(x, a)), before))
    total += arm_a * norm(log(matmul(load33(R, a), transpose(load33(R0, 0)))))
    return total + arm_b * norm(log(matmul(load33(R, b), transpose(load33(R0, 1)))))


_x, _R = np.zeros((2, 3)), np.zeros((2, 3, 3))
warm(approach, _x, _R, _x, _R, 0, 0, 0.0, 0.0)
