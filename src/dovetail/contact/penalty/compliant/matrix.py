"""The matrix M + J^T C J of Newton's method, one 6x6 block row per body."""

from dovetail.contact.penalty.compliant.contact_impulse import contact_matrix
from dovetail.linalg.vec3 import dot, load3, load33, mat_t_vec, matvec, sub
from dovetail.multibody.body_arrays import FREE, HINGED
from dovetail.runtime.jit import jit_in_place


@jit_in_place
def mass_blocks(bodies, R, mass):
    """mass (n, 6, 6): M of each body in world axes, ones where a direction is fixed."""
    for i in range(R.shape[0]):
        for r in range(6):
            for c in range(6):
                mass[i, r, c] = 0.0
            mass[i, r, r] = 1.0
        if not bodies.dynamic[i]:
            continue
        for r in range(3):
            if bodies.inverse_mass[i, r] > 0.0:
                mass[i, r, r] = 1.0 / bodies.inverse_mass[i, r]
        axis = load3(bodies.axis, i)
        for c in range(3):
            e = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
            if bodies.turning[i] == FREE:
                A = load33(R, i)
                column = matvec(A, matvec(load33(bodies.inertia, i), mat_t_vec(A, e)))
                for r in range(3):
                    mass[i, 3 + r, 3 + c] = column[r]
            elif bodies.turning[i] == HINGED:
                for r in range(3):
                    mass[i, 3 + r, 3 + c] += (bodies.axis_inertia[i] - 1.0) * axis[r] * axis[c]


@jit_in_place
def free_direction(bodies, i, rows):
    """Row i of `rows` (n, 6) without the directions in which body i is fixed."""
    if not bodies.dynamic[i]:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    a = rows[i, 0] if bodies.inverse_mass[i, 0] > 0.0 else 0.0
    b = rows[i, 1] if bodies.inverse_mass[i, 1] > 0.0 else 0.0
    c = rows[i, 2] if bodies.inverse_mass[i, 2] > 0.0 else 0.0
    if bodies.turning[i] == FREE:
        return (a, b, c, rows[i, 3], rows[i, 4], rows[i, 5])
    if bodies.turning[i] == HINGED:
        axis = load3(bodies.axis, i)
        along = dot(axis, (rows[i, 3], rows[i, 4], rows[i, 5]))
        return (a, b, c, along * axis[0], along * axis[1], along * axis[2])
    return (a, b, c, 0.0, 0.0, 0.0)


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
            row = free_direction_of(bodies, i, J, r)
            for c in range(6):
                J[r, c] = row[c]


@jit_in_place
def free_direction_of(bodies, i, J, r):
    """Row r of J (m, 6) without the directions in which body i is fixed."""
    a = J[r, 0] if bodies.inverse_mass[i, 0] > 0.0 else 0.0
    b = J[r, 1] if bodies.inverse_mass[i, 1] > 0.0 else 0.0
    c = J[r, 2] if bodies.inverse_mass[i, 2] > 0.0 else 0.0
    if bodies.turning[i] == FREE:
        return (a, b, c, J[r, 3], J[r, 4], J[r, 5])
    if bodies.turning[i] == HINGED:
        axis = load3(bodies.axis, i)
        along = dot(axis, (J[r, 3], J[r, 4], J[r, 5]))
        return (a, b, c, along * axis[0], along * axis[1], along * axis[2])
    return (a, b, c, 0.0, 0.0, 0.0)


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
                row = free_direction_of(bodies, i, rows, side)
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
