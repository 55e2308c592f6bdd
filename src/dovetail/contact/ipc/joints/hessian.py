"""Gradient and Hessian blocks of the rows: energies, and W G^T G of the equations."""

from dovetail.contact.ipc.joints.curvature import add_curvature
from dovetail.contact.ipc.joints.energies import row_energy
from dovetail.contact.ipc.joints.records import UNUSED
from dovetail.contact.ipc.joints.rows import UNKNOWN, evaluate_rows
from dovetail.model.joints.equations import COUPLING
from dovetail.multibody.constraints.bodies import JOINT
from dovetail.multibody.coupling_terms import term_bend, term_value
from dovetail.runtime.jit import jit_in_place, jit_within, when_called

EQUATION_PENALTY = 1e6  # W times the mobility of a row


@when_called((0.0, 0))
@jit_in_place
def add_joint_terms(joints, bodies, workspace, n_linked, exact):
    """Rows at the iterate: all energies with their derivatives, W G^T G of the equations.

    `exact`: with the second derivatives of phi. Returns (energy, blocks off the diagonal).
    """
    iterate = joints.iterate
    phi, G, n_rows = iterate.phi, iterate.G, iterate.phi.shape[0]
    rows, start, multipliers = joints.rows, joints.start, joints.multipliers
    role, pairs, kind = rows.role, rows.pairs, rows.equations.kind
    l, W = multipliers.value, multipliers.penalty
    x, R, system = workspace.iterate.x, workspace.iterate.R, workspace.system
    if joints.known[0] == UNKNOWN:
        evaluate_rows(rows, bodies, x, R, iterate.angle, iterate)
    joints.known[0] = UNKNOWN  # the next iterate is at another pose
    linked, off, diagonal, gradient = system.linked, system.off, system.diagonal, system.gradient
    equations, block = rows.equations, joints.block
    body, slot, free = equations.body, bodies.slot, bodies.free
    energy = 0.0
    for p in range(pairs.shape[0]):
        k = n_linked + p
        linked[k, 0], linked[k, 1] = pairs[p, 0], pairs[p, 1]
        for i in range(6):
            for j in range(6):
                off[k, i, j] = 0.0
    mobility = system.right  # is set later
    for i in range(diagonal.shape[0]):  # before the rows make it stiff
        for k in range(6):
            mobility[i, k] = 1.0 / abs(diagonal[i, k, k])
    for r in range(n_rows):
        if role[r] == JOINT:
            W[r] = _equation_penalty(body, slot, G, mobility, r)
    last = -1  # row of the bodies whose block is being added up
    for r in range(n_rows):
        first, second = l[r], 0.0
        if role[r] == UNUSED:
            continue
        if role[r] == JOINT:
            second = W[r]
        else:
            value, first, second = row_energy(rows, start, multipliers, r, phi[r])
            energy += value
            if first == 0.0 and second == 0.0:  # a limit that is not reached, no effort
                continue
            for side in range(body.shape[1]):
                i = body[r, side]
                if i >= 0 and slot[i] >= 0:
                    for k in range(6):
                        gradient[slot[i], k] += first * G[r, side, k]
        if kind[r] == COUPLING:
            if last >= 0:
                _scatter(rows, slot, free, last, 2, block, diagonal, off, n_linked)
                last = -1
            _add_coupling(joints, bodies, workspace, n_linked, r, first, second, exact)
            continue
        if last < 0 or body[r, 0] != body[last, 0] or body[r, 1] != body[last, 1]:
            if last >= 0:
                _scatter(rows, slot, free, last, 2, block, diagonal, off, n_linked)
            for i in range(12):
                for j in range(12):
                    block[i, j] = 0.0
        last = r
        _add_product(G, r, second, block)
        if exact and first != 0.0:
            add_curvature(equations, x, R, r, first, block)
    if last >= 0:
        _scatter(rows, slot, free, last, 2, block, diagonal, off, n_linked)
    return energy, n_linked + pairs.shape[0]


@jit_in_place
def _add_coupling(joints, bodies, workspace, n_linked, r, first, second, exact):
    """The blocks of a row of as many bodies as take part in it.

    `first` and `second` are the derivatives of its energy by phi.
    """
    rows, phi, G, block = joints.rows, joints.iterate.phi, joints.iterate.G, joints.block
    x, R, slot, free = workspace.iterate.x, workspace.iterate.R, bodies.slot, bodies.free
    diagonal, off = workspace.system.diagonal, workspace.system.off
    equations, sides = rows.equations, G.shape[1]
    _set_product(G, r, sides, second, block)
    _scatter(rows, slot, free, r, sides, block, diagonal, off, n_linked)
    if not exact or first == 0.0:
        return
    for e in range(equations.term_start[r], equations.term_start[r + 1]):
        t = equations.term_row[e]
        _, slope = term_value(equations.term_factor, e, phi[t])
        bend = term_bend(equations.term_factor, e, phi[t])
        _set_product(G, t, 2, first * bend, block)
        add_curvature(equations, x, R, t, first * slope, block)
        _scatter(rows, slot, free, t, 2, block, diagonal, off, n_linked)


@jit_within
def _add_product(G, r, amount, block):
    """block (12, 12) += amount G^T G of row r of two bodies, on and above its diagonal blocks."""
    a0, a1, a2 = G[r, 0, 0], G[r, 0, 1], G[r, 0, 2]
    a3, a4, a5 = G[r, 0, 3], G[r, 0, 4], G[r, 0, 5]
    b0, b1, b2 = G[r, 1, 0], G[r, 1, 1], G[r, 1, 2]
    b3, b4, b5 = G[r, 1, 3], G[r, 1, 4], G[r, 1, 5]
    for i in range(6):
        f = amount * G[r, 0, i]
        if f != 0.0:
            c0, c1, c2 = block[i, 0] + f * a0, block[i, 1] + f * a1, block[i, 2] + f * a2
            c3, c4, c5 = block[i, 3] + f * a3, block[i, 4] + f * a4, block[i, 5] + f * a5
            d0, d1, d2 = block[i, 6] + f * b0, block[i, 7] + f * b1, block[i, 8] + f * b2
            d3, d4, d5 = block[i, 9] + f * b3, block[i, 10] + f * b4, block[i, 11] + f * b5
            block[i, 0], block[i, 1], block[i, 2] = c0, c1, c2
            block[i, 3], block[i, 4], block[i, 5] = c3, c4, c5
            block[i, 6], block[i, 7], block[i, 8] = d0, d1, d2
            block[i, 9], block[i, 10], block[i, 11] = d3, d4, d5
        f, k = amount * G[r, 1, i], 6 + i
        if f != 0.0:
            d0, d1, d2 = block[k, 6] + f * b0, block[k, 7] + f * b1, block[k, 8] + f * b2
            d3, d4, d5 = block[k, 9] + f * b3, block[k, 10] + f * b4, block[k, 11] + f * b5
            block[k, 6], block[k, 7], block[k, 8] = d0, d1, d2
            block[k, 9], block[k, 10], block[k, 11] = d3, d4, d5


@jit_within
def _set_product(G, r, sides, amount, block):
    """block (6 sides, 6 sides) = amount G^T G of row r."""
    for side in range(sides):
        g0, g1, g2 = G[r, side, 0], G[r, side, 1], G[r, side, 2]
        g3, g4, g5 = G[r, side, 3], G[r, side, 4], G[r, side, 5]
        at = 6 * side
        for of in range(sides):
            for k in range(6):
                f, i = amount * G[r, of, k], 6 * of + k
                block[i, at], block[i, at + 1], block[i, at + 2] = f * g0, f * g1, f * g2
                block[i, at + 3], block[i, at + 4], block[i, at + 5] = f * g3, f * g4, f * g5


@jit_within
def _equation_penalty(body, slot, G, mobility, r):
    """W = EQUATION_PENALTY over the row's mobility, sum of g_k^2 / H_kk; 1 / H_kk (m, 6)."""
    total = 0.0
    for side in range(body.shape[1]):
        i = body[r, side]
        if i >= 0 and slot[i] >= 0:
            for k in range(6):
                g = G[r, side, k]
                total += g * g * mobility[slot[i], k]
    return EQUATION_PENALTY / total if total > 0.0 else 0.0


@jit_within
def _scatter(rows, slot, free, r, sides, block, diagonal, off, n_linked):
    """Add the block (6 sides, 6 sides) of row r to those of its bodies, and of pairs of them.

    It is symmetric; what is below its diagonal blocks is not read.
    """
    body, pair_of, swapped = rows.equations.body, rows.pair_of, rows.swapped
    number = 0
    for side in range(sides):
        a = body[r, side]
        if a >= 0 and slot[a] >= 0:
            _add_block(free, a, a, block, 6 * side, 6 * side, diagonal, slot[a])
        for other in range(side + 1, sides):
            pair = pair_of[r, number]
            if pair >= 0 and swapped[r, number]:
                _add_transposed(
                    free, body[r, other], body[r, side], block, 6 * other, 6 * side, off,
                    n_linked + pair,
                )  # fmt: skip
            elif pair >= 0:
                _add_block(
                    free, body[r, side], body[r, other], block, 6 * side, 6 * other, off,
                    n_linked + pair,
                )  # fmt: skip
            number += 1


@jit_within
def _add_block(free, a, b, block, row, column, blocks, k):
    """Block k of `blocks` += that of `block` at (row, column), where both bodies are free."""
    b0, b1, b2, b3, b4, b5 = (
        free[b, 0] != 0, free[b, 1] != 0, free[b, 2] != 0, free[b, 3] != 0, free[b, 4] != 0,
        free[b, 5] != 0,
    )  # fmt: skip
    all_free = b0 and b1 and b2 and b3 and b4 and b5
    for i in range(6):
        if free[a, i] == 0:
            continue
        at = row + i
        if all_free:
            c0 = blocks[k, i, 0] + block[at, column]
            c1 = blocks[k, i, 1] + block[at, column + 1]
            c2 = blocks[k, i, 2] + block[at, column + 2]
            c3 = blocks[k, i, 3] + block[at, column + 3]
            c4 = blocks[k, i, 4] + block[at, column + 4]
            c5 = blocks[k, i, 5] + block[at, column + 5]
            blocks[k, i, 0], blocks[k, i, 1], blocks[k, i, 2] = c0, c1, c2
            blocks[k, i, 3], blocks[k, i, 4], blocks[k, i, 5] = c3, c4, c5
            continue
        for j in range(6):
            if free[b, j] != 0:
                blocks[k, i, j] += block[at, column + j]


@jit_within
def _add_transposed(free, a, b, block, row, column, blocks, k):
    """As `_add_block`, from what is above the diagonal blocks: `row` > `column`."""
    for i in range(6):
        for j in range(6):
            if free[a, i] != 0 and free[b, j] != 0:
                blocks[k, i, j] += block[column + j, row + i]
