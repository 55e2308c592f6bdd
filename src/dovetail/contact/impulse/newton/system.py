"""The matrix M + J^T H J of Newton's method, one 6x6 block row per body.

H is one number per row of a joint and a symmetric 3x3 block per contact.
"""

from dovetail.multibody.mass_blocks import free_direction
from dovetail.runtime.jit import jit_in_place


@jit_in_place
def free_rows(bodies, rows, count, out):
    """out = J of the first `count` rows without the fixed directions of bodies."""
    body, J = rows.body, rows.J
    for r in range(count):
        for side in range(body.shape[1]):
            i, k = body[r, side], 6 * side
            for m in range(6):
                out[r, k + m] = 0.0
            if i < 0 or not bodies.dynamic[i]:
                continue
            free = free_direction(bodies, i, J, r, k)
            for m in range(6):
                out[r, k + m] = free[m]


@jit_in_place
def gradient(body, count, workspace):
    """workspace.step (n, 6) = J^T lam - M (u - u_free), J being the free rows, lam the trial."""
    J, mass, u_free, u = workspace.J, workspace.mass, workspace.u_free, workspace.u
    lam, out = workspace.trial, workspace.step
    for i in range(u.shape[0]):
        for r in range(6):
            total = 0.0
            for c in range(6):
                total += mass[i, r, c] * (u_free[i, c] - u[i, c])
            out[i, r] = total
    for r in range(count):
        if lam[r] != 0.0:
            for side in range(body.shape[1]):
                i = body[r, side]
                if i >= 0:
                    for m in range(6):
                        out[i, m] += J[r, 6 * side + m] * lam[r]


@jit_in_place
def _add_block(at, block, J, r, rows, i, HJ, j):
    """block[at] += J_i^T (H J)_j of `rows` rows from r on; i, j the first columns of two sides."""
    for p in range(6):
        c0, c1, c2, c3, c4, c5 = (
            block[at, p, 0], block[at, p, 1], block[at, p, 2],
            block[at, p, 3], block[at, p, 4], block[at, p, 5],
        )  # fmt: skip
        for m in range(rows):
            f = J[r + m, i + p]
            c0 += f * HJ[m, j]
            c1 += f * HJ[m, j + 1]
            c2 += f * HJ[m, j + 2]
            c3 += f * HJ[m, j + 3]
            c4 += f * HJ[m, j + 4]
            c5 += f * HJ[m, j + 5]
        block[at, p, 0], block[at, p, 1], block[at, p, 2] = c0, c1, c2
        block[at, p, 3], block[at, p, 4], block[at, p, 5] = c3, c4, c5


@jit_in_place
def assemble(dynamic, system, coupled, workspace):
    """workspace.diagonal (n, 6, 6) and workspace.block (pairs, 6, 6) of M + J^T w P' J."""
    body, n_joint, n_contacts = system.rows.body, system.n_joint, system.active.shape[0]
    J, mass, derivative = workspace.J, workspace.mass, workspace.derivative
    HJ, diagonal, block = workspace.HJ, workspace.diagonal, workspace.block
    of_row, swapped = coupled.of_row, coupled.swapped
    for i in range(mass.shape[0]):
        for r in range(6):
            for c in range(6):
                diagonal[i, r, c] = mass[i, r, c]
    for k in range(coupled.pair.shape[0]):
        for r in range(6):
            for c in range(6):
                block[k, r, c] = 0.0
    for k in range(n_joint + n_contacts):
        if not derivative[k, 0] > 0.0:
            continue
        r, rows = k, 1
        if k < n_joint:
            for q in range(J.shape[1]):
                HJ[0, q] = derivative[k, 0] * J[r, q]
        else:
            r, rows = n_joint + 3 * (k - n_joint), 3
            nn, na, nb = derivative[k, 0], derivative[k, 1], derivative[k, 2]
            aa, ab, bb = derivative[k, 3], derivative[k, 4], derivative[k, 5]
            for q in range(12):
                n, a, b = J[r, q], J[r + 1, q], J[r + 2, q]
                HJ[0, q] = nn * n + na * a + nb * b
                HJ[1, q] = na * n + aa * a + ab * b
                HJ[2, q] = nb * n + ab * a + bb * b
        width, number = body.shape[1] if k < n_joint else 2, 0
        for side in range(width):
            i = body[r, side]
            if i >= 0 and dynamic[i]:
                _add_block(i, diagonal, J, r, rows, 6 * side, HJ, 6 * side)
            for other in range(side + 1, width):
                at = of_row[k, number]
                if at >= 0 and swapped[k, number]:
                    _add_block(at, block, J, r, rows, 6 * other, HJ, 6 * side)
                elif at >= 0:
                    _add_block(at, block, J, r, rows, 6 * side, HJ, 6 * other)
                number += 1


@jit_in_place
def is_factored(count, workspace):
    """Whether the matrix with H of the first `count` joint rows and contacts is the factorised one.

    If not, it is taken to be from now on.
    """
    derivative, factored, same = workspace.derivative, workspace.factored, True
    for k in range(count):
        for m in range(6):
            if derivative[k, m] != factored[k, m]:
                factored[k, m], same = derivative[k, m], False
    return same
