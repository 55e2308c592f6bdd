"""Derivatives of contact forces by velocity as blocks of bodies in contact, and solving with them.

S = d(wrench) / d(velocity) couples only bodies in contact: n blocks (6, 6) on the diagonal and two
for each pair. A step that takes the forces at its end solves (I - S V) dw = r with V = (h/2) M^-1,
block-diagonal. Bodies that do not move have V = 0.
"""

import math

import numpy as np

from dovetail.collision.field_contacts.rows import empty_contacts
from dovetail.contact.penalty.derivatives import velocity_derivative
from dovetail.contact.penalty.records import N_PARAMETERS, DerivativeBlocks
from dovetail.linalg.lu import lu_factor_at, lu_solve_at
from dovetail.linalg.so3 import hat
from dovetail.linalg.vec3 import load3, matmul, sub, transpose
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm

MAX_ITERATIONS = 200
WORK_VECTORS = 9  # of length 6n that `solve_blocks` needs


@jit
def _add_block(blocks, k, side, sign, C, force_by_spin, torque_by_v, torque_by_spin):
    """Add a block (2, 2) of (3, 3) to `blocks[k, side]`; C is the force by v."""
    for i in range(3):
        for j in range(3):
            blocks[k, side, i, j] += sign * C[i][j]
            blocks[k, side, 3 + i, j] += sign * torque_by_v[i][j]
            blocks[k, side, i, 3 + j] += sign * force_by_spin[i][j]
            blocks[k, side, 3 + i, 3 + j] += sign * torque_by_spin[i][j]


@jit
def add_derivative_blocks(contacts, count, slot, laws, damping, x, v, spin, tangent, blocks):
    """Add d(force, torque) / d(v, spin), world axes, of all contacts; slot[pair] is their row.

    `tangent` as in `velocity_derivative`. The point body may be either body of its pair.
    """
    own = blocks.own.reshape((blocks.own.shape[0], 1, 6, 6))
    for c in range(count):
        C = velocity_derivative(contacts, c, laws, damping, x, v, spin, tangent)
        p = load3(contacts.point, c)
        k = slot[contacts.pair[c]]
        for a in range(2):
            i = blocks.bodies[k, a]
            torque_by_v = matmul(hat(sub(p, load3(x, i))), C)
            for b in range(2):
                j = blocks.bodies[k, b]
                arm = transpose(hat(sub(p, load3(x, j))))
                force_by_spin, torque_by_spin = matmul(C, arm), matmul(torque_by_v, arm)
                if a == b:
                    _add_block(own, i, 0, 1.0, C, force_by_spin, torque_by_v, torque_by_spin)
                else:
                    _add_block(
                        blocks.across, k, a, -1.0, C, force_by_spin, torque_by_v, torque_by_spin
                    )


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
def _apply(blocks, V, z, velocities, out):
    """out = z - S (V z)."""
    n = blocks.own.shape[0]
    _times_own(V, n, z, velocities)
    _times_own(blocks.own, n, velocities, out)
    for i in range(6 * n):
        out[i] = z[i] - out[i]
    for k in range(blocks.bodies.shape[0]):
        for a in range(2):
            i, j = blocks.bodies[k, a], blocks.bodies[k, 1 - a]
            for r in range(6):
                total = 0.0
                for c in range(6):
                    total += blocks.across[k, a, r, c] * velocities[6 * j + c]
                out[6 * i + r] -= total


@jit
def _divide(lu, pivot, z, piece, out):
    """out = D^-1 z with the factored blocks I - S_ii V_i."""
    for i in range(lu.shape[0]):
        for r in range(6):
            piece[r] = z[6 * i + r]
        lu_solve_at(lu, i, 6, pivot, piece)
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
        if not lu_factor_at(lu, i, 6, pivot):
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
    """Solve (I - S V) w = right; returns the iterations taken, -1 where it did not converge.

    BiCGSTAB (van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992) 631) with the diagonal blocks as
    right preconditioner, until the residual is `tolerance` of the right side. `work` is (9, 6n).
    """
    size = right.shape[0]
    residual, shadow, p, u = work[0], work[1], work[2], work[3]
    s, t, divided, velocities, piece = work[4], work[5], work[6], work[7], work[8]
    if not _factor(blocks, V, lu, pivot):
        return -1
    for i in range(size):
        solution[i] = 0.0
        residual[i] = shadow[i] = right[i]
        p[i] = u[i] = 0.0
    wanted = tolerance * math.sqrt(_dot(right, right))
    rho, alpha, omega = 1.0, 1.0, 1.0
    for iteration in range(MAX_ITERATIONS):
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
        _apply(blocks, V, divided, velocities, u)
        across = _dot(shadow, u)
        if across == 0.0:
            return -1
        alpha = rho / across
        for i in range(size):
            solution[i] += alpha * divided[i]
            s[i] = residual[i] - alpha * u[i]
        _divide(lu, pivot, s, piece, divided)
        _apply(blocks, V, divided, velocities, t)
        along = _dot(t, t)
        omega = _dot(t, s) / along if along > 0.0 else 0.0
        for i in range(size):
            solution[i] += omega * divided[i]
            residual[i] = s[i] - omega * t[i]
        if along == 0.0:
            return iteration + 1
    return -1


_none, _rows, _laws = np.empty(0), np.empty((0, 3)), read_only(np.empty((0, N_PARAMETERS)))
_six = np.empty((0, 6, 6))
_blocks = DerivativeBlocks(_six, np.empty((0, 2), np.int32), np.empty((0, 2, 6, 6)))
warm(
    add_derivative_blocks, empty_contacts(0), 0, np.empty(0, np.int32), _laws, _none, _rows, _rows,
    _rows, True, _blocks,
)  # fmt: skip
warm(
    solve_blocks, _blocks, _six, _none, 1.0, _six, np.empty((0, 6), np.int32),
    np.empty((WORK_VECTORS, 0)), _none,
)  # fmt: skip
