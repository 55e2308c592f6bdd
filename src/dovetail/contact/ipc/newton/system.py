"""The Newton system of the step: 6x6 blocks by body and by pair of bodies."""

from dovetail.contact.ipc.records import SETTLED
from dovetail.runtime.jit import jit_in_place


@jit_in_place
def _pick(i, j):
    """Where entry (i, j) of a symmetric 3x3 lies in (xx yy zz xy xz yz)."""
    return i if i == j else 2 + i + j


@jit_in_place
def _add_row(rows, r, slot_a, slot_b, gradient, diagonal, off, k, turned):
    """Add row r of `rows` (see `distance.derivatives`), a its first body, to the blocks.

    off[k] is the block (first body of the pair, second body); `turned` where a is the second.
    """
    for i in range(3):
        if slot_a >= 0:
            gradient[slot_a, i] += rows[r, i]
            gradient[slot_a, 3 + i] += rows[r, 3 + i]
        if slot_b >= 0:
            gradient[slot_b, i] -= rows[r, i]
            gradient[slot_b, 3 + i] += rows[r, 6 + i]
    for i in range(3):
        for j in range(3):
            m = _pick(i, j)
            ss = rows[r, 9 + m]
            turn_a, turn_b = rows[r, 15 + 3 * i + j], rows[r, 24 + 3 * i + j]
            if slot_a >= 0:
                diagonal[slot_a, i, j] += ss
                diagonal[slot_a, i, 3 + j] += turn_a
                diagonal[slot_a, 3 + j, i] += turn_a
                diagonal[slot_a, 3 + i, 3 + j] += rows[r, 33 + m]
            if slot_b >= 0:
                diagonal[slot_b, i, j] += ss
                diagonal[slot_b, i, 3 + j] -= turn_b
                diagonal[slot_b, 3 + j, i] -= turn_b
                diagonal[slot_b, 3 + i, 3 + j] += rows[r, 39 + m]
            if slot_a >= 0 and slot_b >= 0:
                both = rows[r, 45 + 3 * i + j]
                if turned:
                    off[k, j, i] -= ss
                    off[k, 3 + j, i] += turn_b
                    off[k, i, 3 + j] -= turn_a
                    off[k, 3 + j, 3 + i] += both
                else:
                    off[k, i, j] -= ss
                    off[k, i, 3 + j] += turn_b
                    off[k, 3 + j, i] -= turn_a
                    off[k, 3 + i, 3 + j] += both


@jit_in_place
def add_contact_blocks(
    which, n_pairs, pairs, active, rows, slot, gradient, diagonal, off, linked
):  # fmt: skip
    """Add the derivatives of all active pairs; returns how many blocks off the diagonal."""
    count = 0
    for p in range(n_pairs):
        if active[p] == 0:
            continue
        a, b = slot[pairs[which, p, 0]], slot[pairs[which, p, 1]]
        k = 0
        if a >= 0 and b >= 0:
            k = count
            count += 1
            linked[k, 0], linked[k, 1] = a, b
            for i in range(6):
                for j in range(6):
                    off[k, i, j] = 0.0
        _add_row(rows, 2 * p, a, b, gradient, diagonal, off, k, False)
        _add_row(rows, 2 * p + 1, b, a, gradient, diagonal, off, k, True)
    return count


@jit_in_place
def hold_fixed(n_linked, linked, owner, free, still, gradient, diagonal, off):
    """Make held components of the twist, all of settled bodies, unknowns that stay zero."""
    for k in range(owner.shape[0]):
        i = owner[k]
        for r in range(6):
            if free[i, r] == 0 or still[i] == SETTLED:
                gradient[k, r] = 0.0
                for c in range(6):
                    diagonal[k, r, c] = diagonal[k, c, r] = 0.0
                diagonal[k, r, r] = 1.0
    for p in range(n_linked):
        a, b = owner[linked[p, 0]], owner[linked[p, 1]]
        held = still[a] == SETTLED or still[b] == SETTLED
        for r in range(6):
            for c in range(6):
                if held or free[a, r] == 0 or free[b, c] == 0:
                    off[p, r, c] = 0.0
