"""The matrix M + J^T C J of Newton's method, one 6x6 block row per body."""

from dovetail.contact.penalty.compliant.contact_impulse import contact_matrix
from dovetail.linalg.vec3 import load3, sub
from dovetail.multibody.body_arrays import FREE
from dovetail.multibody.mass_blocks import free_direction
from dovetail.runtime.jit import jit_in_place


@jit_in_place
def _is_free(bodies, i):
    m = bodies.inverse_mass
    return bodies.turning[i] == FREE and m[i, 0] > 0.0 and m[i, 1] > 0.0 and m[i, 2] > 0.0


@jit_in_place
def _set_rows(bodies, i, arm, J):
    """J (3, 6) of a contact at `arm` from the centre of body i: d v / d (v_i, spin_i)."""
    for r in range(3):
        for c in range(6):
            J[r, c] = 0.0
        J[r, r] = 1.0
    J[0, 4], J[0, 5] = arm[2], -arm[1]
    J[1, 3], J[1, 5] = -arm[2], arm[0]
    J[2, 3], J[2, 4] = arm[1], -arm[0]
    if not _is_free(bodies, i):
        for r in range(3):
            row = free_direction(bodies, i, J, r, 0)
            for c in range(6):
                J[r, c] = row[c]


@jit_in_place
def _add_product(block, at, A, C, B, sign, CB):
    """block[at] += sign A^T C B with A, B (3, 6) and C (3, 3)."""
    for r in range(3):
        for c in range(6):
            CB[r, c] = C[r][0] * B[0, c] + C[r][1] * B[1, c] + C[r][2] * B[2, c]
    for p in range(6):
        for c in range(6):
            total = A[0, p] * CB[0, c] + A[1, p] * CB[1, c] + A[2, p] * CB[2, c]
            block[at, p, c] += sign * total


@jit_in_place
def assemble(bodies, x, contacts, count, joints, coupled, w):
    """w.diagonal (n, 6, 6) and w.block (pairs, 6, 6)."""
    for i in range(w.mass.shape[0]):
        for r in range(6):
            for c in range(6):
                w.diagonal[i, r, c] = w.mass[i, r, c]
    for k in range(coupled.count[0]):
        for r in range(6):
            for c in range(6):
                w.block[k, r, c] = 0.0
    J, K, CB, rows = w.J, w.K, w.CB, w.rows
    for c in range(count):
        if not w.derivative[c, 0] + w.derivative[c, 2] > 0.0:
            continue
        C = contact_matrix(w.derivative, load3(contacts.gradient, c), w.direction, c)
        a, b, p = contacts.point_body[c], contacts.field_body[c], load3(contacts.point, c)
        if bodies.dynamic[a]:
            _set_rows(bodies, a, sub(p, load3(x, a)), J)
            _add_product(w.diagonal, a, J, C, J, 1.0, CB)
        if bodies.dynamic[b]:
            _set_rows(bodies, b, sub(p, load3(x, b)), K)
            _add_product(w.diagonal, b, K, C, K, 1.0, CB)
        at = coupled.of_contact[c]
        if at >= 0:
            if a < b:
                _add_product(w.block, at, J, C, K, -1.0, CB)
            else:
                _add_product(w.block, at, K, C, J, -1.0, CB)
    for r in range(joints.c.shape[0]):
        d = joints.derivative[r]
        if d <= 0.0:
            continue
        width = joints.body.shape[1]
        for side in range(width):
            i = joints.body[r, side]
            for m in range(6):
                rows[side, m] = joints.J[r, 6 * side + m]
            if i >= 0 and bodies.dynamic[i]:
                row = free_direction(bodies, i, rows, side, 0)
                for m in range(6):
                    rows[side, m] = row[m]
                for p in range(6):
                    for q in range(6):
                        w.diagonal[i, p, q] += d * rows[side, p] * rows[side, q]
        number = 0
        for side in range(width):
            for other in range(side + 1, width):
                at = coupled.of_row[r, number]
                number += 1
                if at >= 0:
                    ordered = joints.body[r, side] < joints.body[r, other]
                    first, second = (side, other) if ordered else (other, side)
                    for p in range(6):
                        for q in range(6):
                            w.block[at, p, q] += d * rows[first, p] * rows[second, q]
