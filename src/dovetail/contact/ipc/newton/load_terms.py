"""How loads change within a step, as a quadratic form of the displacements of the step.

    1/2 s^T P s - b^T s,   s = (x - x_0, vee(R R_0^T)) of all bodies,
with P = h^2 (stiffness) + h (damping) of the loads at the start of the step, symmetric and positive
(`integrators.shared.load_derivatives`). So springs and dampers of any stiffness are stable in a
step. P is sparse: a block (6, 6) for each body and one for each two bodies that loads connect.
"""

from typing import NamedTuple

import numpy as np

from dovetail.linalg.so3 import vee
from dovetail.linalg.vec3 import load3, load33, matmul, sub, transpose
from dovetail.runtime.jit import jit_in_place, when_called
from dovetail.runtime.records import ByteArray, FloatArray, Int32Array


class LoadTerms(NamedTuple):
    """P and b of n bodies, k pairs of them; and what they are at a pose."""

    acts: ByteArray  # (1,) 0: P and b are zero
    bodies: Int32Array  # (k, 2) ascending pairs a < b of bodies with unknowns
    diagonal: FloatArray  # (n, 6, 6) [kg, kg m, kg m^2]
    off: FloatArray  # (k, 6, 6) block (a, b)
    constant: FloatArray  # (n, 6) b [kg m, kg m^2]
    moved: FloatArray  # (n, 6) [m, 1] s
    pull: FloatArray  # (n, 6) [kg m, kg m^2] P s - b


def load_terms(n: int, pairs: int) -> LoadTerms:
    """No loads on n bodies."""
    return LoadTerms(
        np.zeros(1, np.uint8), np.zeros((pairs, 2), np.int32), np.zeros((n, 6, 6)),
        np.zeros((pairs, 6, 6)), np.zeros((n, 6)), np.zeros((n, 6)), np.zeros((n, 6)),
    )  # fmt: skip


@jit_in_place
def evaluate_loads(loads, slot, poses, start):
    """Set `moved` and `pull` at the poses; returns 1/2 s^T P s - b^T s [kg m^2]."""
    return 0.0 if loads.acts[0] == 0 else _evaluate(loads, slot, poses, start)


@when_called(0.0)
@jit_in_place
def _evaluate(loads, slot, poses, start):
    """As `evaluate_loads`, where there are any."""
    moved, pull, constant = loads.moved, loads.pull, loads.constant
    diagonal, off, bodies = loads.diagonal, loads.off, loads.bodies
    for i in range(slot.shape[0]):
        if slot[i] < 0:
            continue
        shift = sub(load3(poses.x, i), load3(start.x, i))
        turn = vee(matmul(load33(poses.R, i), transpose(load33(start.R, i))))
        for k in range(3):
            moved[i, k], moved[i, 3 + k] = shift[k], turn[k]
    for i in range(slot.shape[0]):
        for r in range(6):
            pull[i, r] = 0.0
            if slot[i] >= 0:
                for c in range(6):
                    pull[i, r] += diagonal[i, r, c] * moved[i, c]
    for p in range(bodies.shape[0]):
        a, b = bodies[p, 0], bodies[p, 1]
        for r in range(6):
            for c in range(6):
                pull[a, r] += off[p, r, c] * moved[b, c]
                pull[b, c] += off[p, r, c] * moved[a, r]
    energy = 0.0
    for i in range(slot.shape[0]):
        if slot[i] >= 0:
            for r in range(6):
                energy += moved[i, r] * (0.5 * pull[i, r] - constant[i, r])
                pull[i, r] -= constant[i, r]
    return energy


@jit_in_place
def _rotation_rate(R, R_0):
    """d vee(Q)/dw = (tr(Q) 1 - Q)/2, Q = R R_0^T, for R <- exp([w]) R."""
    Q = matmul(R, transpose(R_0))
    half = 0.5 * (Q[0][0] + Q[1][1] + Q[2][2])
    return (
        (half - 0.5 * Q[0][0], -0.5 * Q[0][1], -0.5 * Q[0][2]),
        (-0.5 * Q[1][0], half - 0.5 * Q[1][1], -0.5 * Q[1][2]),
        (-0.5 * Q[2][0], -0.5 * Q[2][1], half - 0.5 * Q[2][2]),
    )


@jit_in_place
def _in_twists(J_a, P, p, J_b, r, c):
    """Entry (r, c) of diag(1, J_a)^T P_p diag(1, J_b), `P` (k, 6, 6)."""
    if r < 3 and c < 3:
        return P[p, r, c]
    total = 0.0
    if r < 3:
        for k in range(3):
            total += P[p, r, 3 + k] * J_b[k][c - 3]
    elif c < 3:
        for k in range(3):
            total += J_a[k][r - 3] * P[p, 3 + k, c]
    else:
        for k in range(3):
            for m in range(3):
                total += J_a[k][r - 3] * P[p, 3 + k, 3 + m] * J_b[m][c - 3]
    return total


@jit_in_place
def add_load_blocks(loads, slot, poses, start, system, n_linked):
    """Add P in twists of the poses to the Hessian; returns how many blocks off the diagonal.

    What the curvature of s adds is in the inertia terms, as that of a torque.
    """
    if loads.acts[0] == 0:
        return n_linked
    return _add_blocks(loads, slot, poses, start, system, n_linked)


@when_called(0)
@jit_in_place
def _add_blocks(loads, slot, poses, start, system, n_linked):
    """As `add_load_blocks`, where there are loads."""
    diagonal, off, linked = system.diagonal, system.off, system.linked
    P, P_off = loads.diagonal, loads.off
    for i in range(slot.shape[0]):
        if slot[i] < 0:
            continue
        J = _rotation_rate(load33(poses.R, i), load33(start.R, i))
        for r in range(6):
            for c in range(6):
                diagonal[slot[i], r, c] += _in_twists(J, P, i, J, r, c)
    bodies, k = loads.bodies, n_linked
    for p in range(bodies.shape[0]):
        a, b = bodies[p, 0], bodies[p, 1]
        J_a = _rotation_rate(load33(poses.R, a), load33(start.R, a))
        J_b = _rotation_rate(load33(poses.R, b), load33(start.R, b))
        linked[k, 0], linked[k, 1] = slot[a], slot[b]
        for r in range(6):
            for c in range(6):
                off[k, r, c] = _in_twists(J_a, P_off, p, J_b, r, c)
        k += 1
    return k
