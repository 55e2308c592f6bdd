"""Slopes of contact forces by velocity as blocks of touching bodies, and solving with them.

S = d(wrench) / d(velocity) couples only bodies that touch: n blocks (6, 6) on the diagonal and two
for each pair. A step that takes the forces at its end solves (I - S V) dw = r with V = (h/2) M^-1,
block-diagonal. Bodies that do not move have V = 0.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from dovetail.contact.penalty.derivatives import bounded_slope
from dovetail.contact.penalty.force import N_NUMBERS, room_for
from dovetail.linalg.lu import lu_factor, lu_solve
from dovetail.linalg.vec3 import load3, matmul, sub, transpose
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm

MOST_ITERATIONS = 200
WORK_VECTORS = 9


class SlopeBlocks(NamedTuple):
    """Blocks of S: own[i] on the diagonal, across[k, 0] at (a, b), across[k, 1] at (b, a)."""

    own: Any  # (n, 6, 6)
    bodies: Any  # (m, 2) int32 a, b
    across: Any  # (m, 2, 6, 6)


@jit
def _hat(r):
    return ((0.0, -r[2], r[1]), (r[2], 0.0, -r[0]), (-r[1], r[0], 0.0))


@jit
def _add_block(blocks, k, side, sign, C, to_force, turning, to_torque):
    """Add a block (2, 2) of (3, 3) to `blocks[k, side]`."""
    for i in range(3):
        for j in range(3):
            blocks[k, side, i, j] += sign * C[i][j]
            blocks[k, side, 3 + i, j] += sign * turning[i][j]
            blocks[k, side, i, 3 + j] += sign * to_force[i][j]
            blocks[k, side, 3 + i, 3 + j] += sign * to_torque[i][j]


@jit
def add_slope_blocks(contacts, count, slot, laws, damping, x, v, spin, tangent, blocks):
    """Add d(force, torque) / d(v, spin), world axes, of all contacts; slot[pair] is their row.

    `tangent` as in `bounded_slope`. The slave of a contact may be either body of its pair.
    """
    own = blocks.own.reshape((blocks.own.shape[0], 1, 6, 6))
    for c in range(count):
        C = bounded_slope(contacts, c, laws, damping, x, v, spin, tangent)
        p = load3(contacts.point, c)
        k = slot[contacts.pair[c]]
        for a in range(2):
            i = blocks.bodies[k, a]
            turning = matmul(_hat(sub(p, load3(x, i))), C)
            for b in range(2):
                j = blocks.bodies[k, b]
                arm = transpose(_hat(sub(p, load3(x, j))))
                to_force, to_torque = matmul(C, arm), matmul(turning, arm)
                if a == b:
                    _add_block(own, i, 0, 1.0, C, to_force, turning, to_torque)
                else:
                    _add_block(blocks.across, k, a, -1.0, C, to_force, turning, to_torque)


@jit
def _times_own(A, n, z, out):
    """out_i = A_i z_i for n blocks."""
    for i in range(n):
        for r in range(6):
            total = 0.0
            for c in range(6):
                total += A[i, r, c] * z[6 * i + c]
            out[6 * i + r] = total


@jit
def _apply(blocks, V, z, moved, out):
    """out = z - S (V z)."""
    n = blocks.own.shape[0]
    _times_own(V, n, z, moved)
    _times_own(blocks.own, n, moved, out)
    for i in range(6 * n):
        out[i] = z[i] - out[i]
    for k in range(blocks.bodies.shape[0]):
        for a in range(2):
            i, j = blocks.bodies[k, a], blocks.bodies[k, 1 - a]
            for r in range(6):
                total = 0.0
                for c in range(6):
                    total += blocks.across[k, a, r, c] * moved[6 * j + c]
                out[6 * i + r] -= total


@jit
def _divide(lu, pivot, z, piece, out):
    """out = D^-1 z with the factored blocks I - S_ii V_i."""
    for i in range(lu.shape[0]):
        for r in range(6):
            piece[r] = z[6 * i + r]
        lu_solve(lu, i, 6, pivot, piece)
        for r in range(6):
            out[6 * i + r] = piece[r]


@jit
def _factor(blocks, V, lu, pivot):
    """LU of the diagonal blocks I - S_ii V_i; False where one is singular."""
    for i in range(lu.shape[0]):
        for r in range(6):
            for c in range(6):
                total = 1.0 if r == c else 0.0
                for k in range(6):
                    total -= blocks.own[i, r, k] * V[i, k, c]
                lu[i, r, c] = total
        if not lu_factor(lu, i, 6, pivot):
            return False
    return True


@jit
def _dot(a, b):
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    return total


@jit
def solve_blocks(blocks, V, right, tolerance, lu, pivot, work, solution):
    """Solve (I - S V) w = right; returns the iterations taken, -1 if they did not lead there.

    BiCGSTAB (van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992) 631) with the diagonal blocks as
    right preconditioner, until the residual is `tolerance` of the right side. `work` is (9, 6n).
    """
    size = right.shape[0]
    residual, shadow, p, u = work[0], work[1], work[2], work[3]
    s, t, divided, moved, piece = work[4], work[5], work[6], work[7], work[8]
    if not _factor(blocks, V, lu, pivot):
        return -1
    for i in range(size):
        solution[i] = 0.0
        residual[i] = shadow[i] = right[i]
        p[i] = u[i] = 0.0
    wanted = tolerance * math.sqrt(_dot(right, right))
    rho, alpha, omega = 1.0, 1.0, 1.0
    for iteration in range(MOST_ITERATIONS):
        if math.sqrt(_dot(residual, residual)) <= wanted:
            return iteration
        rho_next = _dot(shadow, residual)
        if rho_next == 0.0 or omega == 0.0 or not math.isfinite(rho_next):
            return -1
        beta = rho_next / rho * (alpha / omega)
        rho = rho_next
        for i in range(size):
            p[i] = residual[i] + beta * (p[i] - omega * u[i])
        _divide(lu, pivot, p, piece, divided)
        _apply(blocks, V, divided, moved, u)
        across = _dot(shadow, u)
        if across == 0.0:
            return -1
        alpha = rho / across
        for i in range(size):
            solution[i] += alpha * divided[i]
            s[i] = residual[i] - alpha * u[i]
        _divide(lu, pivot, s, piece, divided)
        _apply(blocks, V, divided, moved, t)
        along = _dot(t, t)
        omega = _dot(t, s) / along if along > 0.0 else 0.0
        for i in range(size):
            solution[i] += omega * divided[i]
            residual[i] = s[i] - omega * t[i]
        if along == 0.0:
            return iteration + 1
    return -1


_none, _rows, _laws = np.empty(0), np.empty((0, 3)), read_only(np.empty((0, N_NUMBERS)))
_six = np.empty((0, 6, 6))
_blocks = SlopeBlocks(_six, np.empty((0, 2), np.int32), np.empty((0, 2, 6, 6)))
warm(
    add_slope_blocks, room_for(0), 0, np.empty(0, np.int32), _laws, _none, _rows, _rows, _rows,
    True, _blocks,
)  # fmt: skip
warm(
    solve_blocks, _blocks, _six, _none, 1.0, _six, np.empty((0, 6), np.int32),
    np.empty((WORK_VECTORS, 0)), _none,
)  # fmt: skip
