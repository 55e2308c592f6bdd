"""Gradient and Hessian blocks of the rows: energies, and W G^T G of the equations."""

from dovetail.contact.ipc.joints.curvature import add_curvature
from dovetail.contact.ipc.joints.energies import row_energy
from dovetail.contact.ipc.joints.records import UNUSED
from dovetail.contact.ipc.joints.rows import evaluate_rows
from dovetail.multibody.constraints.bodies import JOINT
from dovetail.runtime.jit import jit_in_place, jit_within

EQUATION_PENALTY = 1e6  # W times the mobility of a row


@jit_in_place
def add_joint_terms(joints, bodies, workspace, n_linked, exact):
    """Rows at the iterate: all energies with their derivatives, W G^T G of the equations.

    `exact`: with the second derivatives of phi. Returns (energy, blocks off the diagonal).
    """
    iterate = joints.iterate
    phi, G, n_rows = iterate.phi, iterate.G, iterate.phi.shape[0]
    if n_rows == 0:
        return 0.0, n_linked
    rows, start, multipliers = joints.rows, joints.start, joints.multipliers
    role, pairs, pair_of, swapped = rows.role, rows.pairs, rows.pair_of, rows.swapped
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
            for side in range(2):
                i = body[r, side]
                if i >= 0 and slot[i] >= 0:
                    for k in range(6):
                        gradient[slot[i], k] += first * G[r, side, k]
        for i in range(12):
            for j in range(12):
                block[i, j] = second * G[r, i // 6, i % 6] * G[r, j // 6, j % 6]
        if exact and first != 0.0:
            add_curvature(equations, x, R, r, first, block)
        _scatter(body, slot, free, r, block, diagonal)
        if pair_of[r] >= 0:
            _scatter_off(body, free, r, swapped[r] != 0, block, off, n_linked + pair_of[r])
    return energy, n_linked + pairs.shape[0]


@jit_within
def _equation_penalty(body, slot, G, diagonal, r):
    """W = EQUATION_PENALTY over the row's mobility, sum of g_k^2 / H_kk."""
    mobility = 0.0
    for side in range(2):
        i = body[r, side]
        if i >= 0 and slot[i] >= 0:
            for k in range(6):
                g = G[r, side, k]
                mobility += g * g / abs(diagonal[slot[i], k, k])
    return EQUATION_PENALTY / mobility if mobility > 0.0 else 0.0


@jit_within
def _scatter(body, slot, free, r, block, diagonal):
    """Add the block (12, 12) of row r to the diagonal blocks of its bodies."""
    for side in range(2):
        a = body[r, side]
        if a < 0 or slot[a] < 0:
            continue
        for i in range(6):
            for j in range(6):
                if free[a, i] != 0 and free[a, j] != 0:
                    diagonal[slot[a], i, j] += block[6 * side + i, 6 * side + j]


@jit_within
def _scatter_off(body, free, r, swapped, block, off, k):
    """Add the block (12, 12) of row r to the block k between its bodies."""
    a, b = (body[r, 1], body[r, 0]) if swapped else (body[r, 0], body[r, 1])
    for i in range(6):
        for j in range(6):
            if free[a, i] != 0 and free[b, j] != 0:
                off[k, i, j] += block[6 + i, j] if swapped else block[i, 6 + j]
