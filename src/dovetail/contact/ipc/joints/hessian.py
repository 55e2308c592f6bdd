"""Gradient and Hessian blocks of the rows: energies, and W G^T G of the equations."""

from dovetail.contact.ipc.joints.curvature import add_curvature
from dovetail.contact.ipc.joints.energies import row_energy
from dovetail.contact.ipc.joints.records import UNUSED
from dovetail.contact.ipc.joints.rows import evaluate_rows
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
    evaluate_rows(rows, bodies, x, R, iterate.angle, iterate)
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
    for r in range(n_rows):  # before the rows make the diagonal stiff
        if role[r] == JOINT:
            W[r] = _equation_penalty(body, slot, G, diagonal, r)
    for r in range(n_rows):
        first, second = l[r], 0.0
        if role[r] == UNUSED:
            continue
        if role[r] == JOINT:
            second = W[r]
        else:
            value, first, second = row_energy(rows, start, multipliers, r, phi[r])
            energy += value
            for side in range(body.shape[1]):
                i = body[r, side]
                if i >= 0 and slot[i] >= 0:
                    for k in range(6):
                        gradient[slot[i], k] += first * G[r, side, k]
        sides = body.shape[1] if kind[r] == COUPLING else 2
        _set_product(G, r, sides, second, block)
        if exact and first != 0.0 and kind[r] != COUPLING:
            add_curvature(equations, x, R, r, first, block)
        _scatter(rows, slot, free, r, sides, block, diagonal, off, n_linked)
        if exact and first != 0.0 and kind[r] == COUPLING:
            for e in range(equations.term_start[r], equations.term_start[r + 1]):
                t = equations.term_row[e]
                _, slope = term_value(equations.term_factor, e, phi[t])
                bend = term_bend(equations.term_factor, e, phi[t])
                _set_product(G, t, 2, first * bend, block)
                add_curvature(equations, x, R, t, first * slope, block)
                _scatter(rows, slot, free, t, 2, block, diagonal, off, n_linked)
    return energy, n_linked + pairs.shape[0]


@jit_within
def _set_product(G, r, sides, amount, block):
    """block (6 sides, 6 sides) = amount G^T G of row r."""
    for i in range(6 * sides):
        for j in range(6 * sides):
            block[i, j] = amount * G[r, i // 6, i % 6] * G[r, j // 6, j % 6]


@jit_within
def _equation_penalty(body, slot, G, diagonal, r):
    """W = EQUATION_PENALTY over the row's mobility, sum of g_k^2 / H_kk."""
    mobility = 0.0
    for side in range(body.shape[1]):
        i = body[r, side]
        if i >= 0 and slot[i] >= 0:
            for k in range(6):
                g = G[r, side, k]
                mobility += g * g / abs(diagonal[slot[i], k, k])
    return EQUATION_PENALTY / mobility if mobility > 0.0 else 0.0


@jit_within
def _scatter(rows, slot, free, r, sides, block, diagonal, off, n_linked):
    """Add the block (6 sides, 6 sides) of row r to those of its bodies, and of pairs of them."""
    body, pair_of, swapped = rows.equations.body, rows.pair_of, rows.swapped
    number = 0
    for side in range(sides):
        a = body[r, side]
        if a >= 0 and slot[a] >= 0:
            for i in range(6):
                for j in range(6):
                    if free[a, i] != 0 and free[a, j] != 0:
                        diagonal[slot[a], i, j] += block[6 * side + i, 6 * side + j]
        for other in range(side + 1, sides):
            pair = pair_of[r, number]
            if pair >= 0:
                first, second = (other, side) if swapped[r, number] else (side, other)
                _scatter_off(body, free, r, first, second, block, off, n_linked + pair)
            number += 1


@jit_within
def _scatter_off(body, free, r, first, second, block, off, k):
    """Add the block of two sides of row r to the block k between their bodies."""
    a, b = body[r, first], body[r, second]
    for i in range(6):
        for j in range(6):
            if free[a, i] != 0 and free[b, j] != 0:
                off[k, i, j] += block[6 * first + i, 6 * second + j]
