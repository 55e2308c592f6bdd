"""The Newton system of the step: 6x6 blocks by body and by pair of bodies."""

from dovetail.collision.distance.derivatives import (
    DS,
    DW_A,
    DW_B,
    S_WA,
    S_WB,
    SS,
    WA_WA,
    WA_WB,
    WB_WB,
)
from dovetail.contact.ipc.islands.state import SETTLED
from dovetail.runtime.jit import jit_in_place


@jit_in_place
def _pick(i, j):
    """Where entry (i, j) of a symmetric 3x3 lies in (xx yy zz xy xz yz)."""
    return i if i == j else 2 + i + j


@jit_in_place
def add_row(rows, r, slot_a, slot_b, gradient, diagonal, off, k, swapped):
    """Add row r of `rows` (see `distance.derivatives`), a its first body, to the blocks.

    off[k] is the block (first body of the pair, second body); `swapped` where a is the second.
    """
    for i in range(3):
        if slot_a >= 0:
            gradient[slot_a, i] += rows[r, DS + i]
            gradient[slot_a, 3 + i] += rows[r, DW_A + i]
        if slot_b >= 0:
            gradient[slot_b, i] -= rows[r, DS + i]
            gradient[slot_b, 3 + i] += rows[r, DW_B + i]
    for i in range(3):
        for j in range(3):
            m = _pick(i, j)
            ss = rows[r, SS + m]
            s_wa, s_wb = rows[r, S_WA + 3 * i + j], rows[r, S_WB + 3 * i + j]
            if slot_a >= 0:
                diagonal[slot_a, i, j] += ss
                diagonal[slot_a, i, 3 + j] += s_wa
                diagonal[slot_a, 3 + j, i] += s_wa
                diagonal[slot_a, 3 + i, 3 + j] += rows[r, WA_WA + m]
            if slot_b >= 0:
                diagonal[slot_b, i, j] += ss
                diagonal[slot_b, i, 3 + j] -= s_wb
                diagonal[slot_b, 3 + j, i] -= s_wb
                diagonal[slot_b, 3 + i, 3 + j] += rows[r, WB_WB + m]
            if slot_a >= 0 and slot_b >= 0:
                wa_wb = rows[r, WA_WB + 3 * i + j]
                if swapped:
                    off[k, j, i] -= ss
                    off[k, 3 + j, i] += s_wb
                    off[k, i, 3 + j] -= s_wa
                    off[k, 3 + j, 3 + i] += wa_wb
                else:
                    off[k, i, j] -= ss
                    off[k, i, 3 + j] += s_wb
                    off[k, 3 + j, i] -= s_wa
                    off[k, 3 + i, 3 + j] += wa_wb


@jit_in_place
def add_contact_blocks(candidates, terms, slot, system):
    """Add the derivatives of all active pairs; returns how many blocks off the diagonal."""
    count, pairs, rows = 0, candidates.pairs, terms.rows
    gradient, diagonal, off, linked = system.gradient, system.diagonal, system.off, system.linked
    for p in range(candidates.n_pairs):
        if terms.active[p] == 0:
            continue
        a, b = slot[pairs[p, 0]], slot[pairs[p, 1]]
        k = 0
        if a >= 0 and b >= 0:
            k = count
            count += 1
            linked[k, 0], linked[k, 1] = a, b
            for i in range(6):
                for j in range(6):
                    off[k, i, j] = 0.0
        add_row(rows, 2 * p, a, b, gradient, diagonal, off, k, False)
        add_row(rows, 2 * p + 1, b, a, gradient, diagonal, off, k, True)
    return count


@jit_in_place
def fix_unknowns(system, n_linked, owner, free, state):
    """Make fixed components of the twist, and all of settled bodies, unknowns that stay zero."""
    gradient, diagonal, off, linked = system.gradient, system.diagonal, system.off, system.linked
    for k in range(owner.shape[0]):
        i = owner[k]
        for r in range(6):
            if free[i, r] == 0 or state[i] == SETTLED:
                gradient[k, r] = 0.0
                for c in range(6):
                    diagonal[k, r, c] = diagonal[k, c, r] = 0.0
                diagonal[k, r, r] = 1.0
    for p in range(n_linked):
        a, b = owner[linked[p, 0]], owner[linked[p, 1]]
        fixed = state[a] == SETTLED or state[b] == SETTLED
        for r in range(6):
            for c in range(6):
                if fixed or free[a, r] == 0 or free[b, c] == 0:
                    off[p, r, c] = 0.0
