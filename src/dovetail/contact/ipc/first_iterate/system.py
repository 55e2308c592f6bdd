"""The Newton system of the linearised contacts: their stiffnesses in blocks of six by body."""

from dovetail.contact.ipc.first_iterate.records import (
    ACROSS_SLIP,
    ALONG_NORMAL,
    ALONG_SLIP,
    COSINE,
    SINE,
    WIDTH,
)
from dovetail.runtime.jit import jit_in_place


@jit_in_place
def set_rates(contacts, twist, out):
    """out (r, 3) [m] = J u: what the twists (n, 6) change of gaps and slips."""
    J, bodies = contacts.J, contacts.bodies
    for r in range(contacts.count[0]):
        a, b = bodies[r, 0], bodies[r, 1]
        for which in range(3):
            at, total = which * WIDTH, 0.0
            for k in range(6):
                total += J[r, at + k] * twist[a, k] + J[r, at + 6 + k] * twist[b, k]
            out[r, which] = total


@jit_in_place
def set_gradient(contacts, slot, owner, twist, gradient):
    """The gradient (m, 6) of the augmented Lagrangian at the twists: inertia less J^T f."""
    of = contacts.multipliers
    J, bodies, force = contacts.J, contacts.bodies, of.force
    for k in range(owner.shape[0]):
        for i in range(6):
            total = of.gradient[k, i]
            for j in range(6):
                total += of.inertia[k, i, j] * twist[owner[k], j]
            gradient[k, i] = total
    for r in range(contacts.count[0]):
        for which in range(3):
            f, at = force[r, which], which * WIDTH
            if f == 0.0:
                continue
            a, b = slot[bodies[r, 0]], slot[bodies[r, 1]]
            for k in range(6):
                if a >= 0:
                    gradient[a, k] -= J[r, at + k] * f
                if b >= 0:
                    gradient[b, k] -= J[r, at + 6 + k] * f


@jit_in_place
def _add_square(contacts, r, stiffness, weights, a, b, k, system):
    """Add `stiffness` v v^T to the blocks, v the rows of contact r times the weights."""
    J, row, diagonal, off = contacts.J, contacts.multipliers.row, system.diagonal, system.off
    normal, first, second = weights
    for i in range(WIDTH):
        row[i] = normal * J[r, i] + first * J[r, WIDTH + i] + second * J[r, 2 * WIDTH + i]
    for i in range(6):
        of_a, of_b = stiffness * row[i], stiffness * row[6 + i]
        for j in range(6):
            if a >= 0:
                diagonal[a, i, j] += of_a * row[j]
            if b >= 0:
                diagonal[b, i, j] += of_b * row[6 + j]
            if a >= 0 and b >= 0:
                off[k, i, j] += of_a * row[6 + j]


@jit_in_place
def set_hessian(contacts, slot, m, system):
    """The Hessian of the augmented Lagrangian; returns how many blocks are off the diagonal."""
    of, bodies = contacts.multipliers, contacts.bodies
    diagonal, off, linked, stiffness = system.diagonal, system.off, system.linked, of.stiffness
    for k in range(m):
        for i in range(6):
            for j in range(6):
                diagonal[k, i, j] = of.inertia[k, i, j]
    count, last_a, last_b = 0, -1, -1
    for r in range(contacts.count[0]):
        normal, along, across = (
            stiffness[r, ALONG_NORMAL], stiffness[r, ALONG_SLIP], stiffness[r, ACROSS_SLIP],
        )  # fmt: skip
        if normal == 0.0 and along == 0.0 and across == 0.0:
            continue
        a, b = slot[bodies[r, 0]], slot[bodies[r, 1]]
        if a >= 0 and b >= 0 and (a != last_a or b != last_b):
            linked[count, 0], linked[count, 1] = a, b
            for i in range(6):
                for j in range(6):
                    off[count, i, j] = 0.0
            count, last_a, last_b = count + 1, a, b
        k, c, s = count - 1, stiffness[r, COSINE], stiffness[r, SINE]
        if normal > 0.0:
            _add_square(contacts, r, normal, (1.0, 0.0, 0.0), a, b, k, system)
        if along > 0.0:
            _add_square(contacts, r, along, (0.0, c, s), a, b, k, system)
        if across > 0.0:
            _add_square(contacts, r, across, (0.0, -s, c), a, b, k, system)
    return count
