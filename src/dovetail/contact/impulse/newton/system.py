"""The matrix M + J^T H J of Newton's method, one 6x6 block row per body.

H is one number per row of a joint and a symmetric 3x3 block per contact.
"""

from dovetail.contact.impulse.records import BILATERAL
from dovetail.multibody.mass_blocks import free_direction
from dovetail.runtime.jit import jit_in_place, jit_within


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
def _add_block(at, block, J, r, i, HJ, j):
    """block[at] += J_i^T (H J)_j of three rows from r on; i, j the first columns of two sides."""
    for p in range(6):
        c0, c1, c2, c3, c4, c5 = (
            block[at, p, 0], block[at, p, 1], block[at, p, 2],
            block[at, p, 3], block[at, p, 4], block[at, p, 5],
        )  # fmt: skip
        for m in range(3):
            f = J[r + m, i + p]
            c0 += f * HJ[m, j]
            c1 += f * HJ[m, j + 1]
            c2 += f * HJ[m, j + 2]
            c3 += f * HJ[m, j + 3]
            c4 += f * HJ[m, j + 4]
            c5 += f * HJ[m, j + 5]
        block[at, p, 0], block[at, p, 1], block[at, p, 2] = c0, c1, c2
        block[at, p, 3], block[at, p, 4], block[at, p, 5] = c3, c4, c5


@jit_within
def _add_row(at, block, amount, J, r, i, j):
    """block[at] += amount J_i^T J_j of row r."""
    c0, c1, c2 = amount * J[r, j], amount * J[r, j + 1], amount * J[r, j + 2]
    c3, c4, c5 = amount * J[r, j + 3], amount * J[r, j + 4], amount * J[r, j + 5]
    for p in range(6):
        f = J[r, i + p]
        b0, b1, b2 = block[at, p, 0] + f * c0, block[at, p, 1] + f * c1, block[at, p, 2] + f * c2
        b3, b4, b5 = block[at, p, 3] + f * c3, block[at, p, 4] + f * c4, block[at, p, 5] + f * c5
        block[at, p, 0], block[at, p, 1], block[at, p, 2] = b0, b1, b2
        block[at, p, 3], block[at, p, 4], block[at, p, 5] = b3, b4, b5


@jit_in_place
def _add_joint_row(dynamic, body, k, amount, J, coupled, diagonal, block):
    """The terms of joint row k."""
    of_row, swapped, width, number = coupled.of_row, coupled.swapped, body.shape[1], 0
    for side in range(width):
        i = body[k, side]
        if i >= 0 and dynamic[i]:
            _add_row(i, diagonal, amount, J, k, 6 * side, 6 * side)
        for other in range(side + 1, width):
            at = of_row[k, number]
            if at >= 0:
                first, second = (other, side) if swapped[k, number] else (side, other)
                _add_row(at, block, amount, J, k, 6 * first, 6 * second)
            number += 1


@jit_in_place
def assemble_fixed(dynamic, system, coupled, workspace):
    """The part of `assemble` that stays while weights do: M, and joint rows that act both ways."""
    body, J, mass, weight = system.rows.body, workspace.J, workspace.mass, workspace.weight
    diagonal, block, mode = workspace.fixed_diagonal, workspace.fixed_block, system.mode
    _copy_blocks(mass, mass.shape[0], diagonal)
    for k in range(coupled.pair.shape[0]):
        for r in range(6):
            for c in range(6):
                block[k, r, c] = 0.0
    for k in range(system.n_joint):
        if mode[k] == BILATERAL and weight[k] > 0.0:
            _add_joint_row(dynamic, body, k, weight[k], J, coupled, diagonal, block)


@jit_in_place
def _copy_blocks(source, count, target):
    """The first `count` blocks of `source` into `target`."""
    for k in range(count):
        for r in range(6):
            for c in range(6):
                target[k, r, c] = source[k, r, c]


@jit_in_place
def assemble(dynamic, system, coupled, workspace):
    """workspace.diagonal (n, 6, 6) and workspace.block (pairs, 6, 6) of M + J^T w P' J.

    `assemble_fixed` has made its part before.
    """
    body, n_joint, n_contacts = system.rows.body, system.n_joint, system.active.shape[0]
    J, derivative, mode = workspace.J, workspace.derivative, system.mode
    HJ, diagonal, block = workspace.HJ, workspace.diagonal, workspace.block
    of_row, swapped = coupled.of_row, coupled.swapped
    _copy_blocks(workspace.fixed_diagonal, diagonal.shape[0], diagonal)
    _copy_blocks(workspace.fixed_block, coupled.pair.shape[0], block)
    for k in range(n_joint + n_contacts):
        if not derivative[k, 0] > 0.0 or (k < n_joint and mode[k] == BILATERAL):
            continue
        if k < n_joint:
            _add_joint_row(dynamic, body, k, derivative[k, 0], J, coupled, diagonal, block)
            continue
        r = n_joint + 3 * (k - n_joint)
        nn, na, nb = derivative[k, 0], derivative[k, 1], derivative[k, 2]
        aa, ab, bb = derivative[k, 3], derivative[k, 4], derivative[k, 5]
        for q in range(12):
            n, a, b = J[r, q], J[r + 1, q], J[r + 2, q]
            HJ[0, q] = nn * n + na * a + nb * b
            HJ[1, q] = na * n + aa * a + ab * b
            HJ[2, q] = nb * n + ab * a + bb * b
        for side in range(2):
            i = body[r, side]
            if i >= 0 and dynamic[i]:
                _add_block(i, diagonal, J, r, 6 * side, HJ, 6 * side)
        at = of_row[k, 0]
        if at >= 0:
            first, second = (6, 0) if swapped[k, 0] else (0, 6)
            _add_block(at, block, J, r, first, HJ, second)


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
