"""Slip of contacts of bodies that step over two (`newton.two_step`): that at the end of the step.

Friction acts against the slip at the end of a step, whose speed the displacements give to second
order by
    h' u_1 = dp - c dp_-,
dp_- the displacement of the same points in the step before. The displacement of one step alone is
the slip of its middle: a ball that rolls on a turntable would drift by 2.5 mm in 0.4 s at 10 ms, by
half of that at half the step. Presliding displacements add up h' u_1: what sticks stays. At the
start of the step, where nothing has moved yet, there is no dp_-: Newton's method would begin with
friction the wrong way round.
"""

from dovetail.contact.ipc.friction.potential import vector_at
from dovetail.contact.ipc.friction.records import POINT_A, POINT_B, START_A, START_B
from dovetail.linalg.so3 import log
from dovetail.linalg.vec3 import (
    add,
    cross,
    load3,
    load33,
    matmul,
    matvec,
    sub,
    transpose,
)
from dovetail.runtime.jit import jit_in_place


@jit_in_place
def gain_of(two, a, b):
    """c of a pair of bodies, 0 where neither steps over two."""
    gain, weight = two.gain, two.weight
    c = gain[a] if weight[a] != 1.0 else 0.0
    return max(c, gain[b]) if weight[b] != 1.0 else c


@jit_in_place
def carry_slip(rows, i, two, start, iterate, a, b, r_a, r_b, rolls):
    """Move the start of contact i by c dp_-; whether the pair has moved and steps over two.

    `start` are the poses at the start of the step, r_a and r_b the offsets of the contact now.
    Where it `rolls`, displacements are as `potential.set_rolling` has them.
    """
    c = gain_of(two, a, b)
    if c == 0.0 or not (_moved(start, iterate, a) or _moved(start, iterate, b)):
        return False
    dp_a = _before(rows, i, two, start, a, POINT_A, r_a, rolls)
    dp_b = _before(rows, i, two, start, b, POINT_B, r_b, rolls)
    for k in range(3):
        rows[i, START_A + k] += c * dp_a[k]
        rows[i, START_B + k] += c * dp_b[k]
    return True


@jit_in_place
def _moved(start, iterate, i):
    """Whether the iterate of body i is not where the step began."""
    x_0, x, R_0, R = start.x, iterate.x, start.R, iterate.R
    for k in range(3):
        if x[i, k] != x_0[i, k]:
            return True
        for m in range(3):
            if R[i, k, m] != R_0[i, k, m]:
                return True
    return False


@jit_in_place
def _before(rows, i, two, start, body, point, r, rolls):
    """[m] dp_- of the point of a body."""
    moved = sub(load3(start.x, body), load3(two.x, body))
    R, R_before = load33(start.R, body), load33(two.R, body)
    if rolls:
        return add(moved, cross(log(matmul(R, transpose(R_before))), r))
    fixed = vector_at(rows, i, point)
    return add(moved, sub(matvec(R, fixed), matvec(R_before, fixed)))
