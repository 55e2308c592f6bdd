"""Writing rows of contacts."""

import numpy as np

from dovetail.contact.penalty.records import ContactRows
from dovetail.linalg.vec3 import add, add_scaled, load3, load33, matvec, norm, store3
from dovetail.runtime.jit import jit


@jit
def write_contact(contacts, row, slave, master, pair, p, reach, depth, gradient, x, R):
    """A point p of `slave` as a row; p and the gradient are in the frames of their bodies."""
    g = matvec(load33(R, master), gradient)
    length = norm(g)
    p = add(matvec(load33(R, slave), p), load3(x, slave))
    if length > 0.0:
        p = add_scaled(p, (0.5 * depth - reach) / length, g)
    contacts.slave[row], contacts.master[row], contacts.pair[row] = slave, master, pair
    contacts.depth[row] = depth
    store3(contacts.point, row, p)
    store3(contacts.gradient, row, g)


@jit
def write_points_inside(contacts, begin, found, count, points, reach, slave, master, pair, x, R):
    """Add `count` found points of `slave` in the field of `master` as rows from `begin` on."""
    for c in range(count):
        i = found.point[c]
        write_contact(
            contacts, begin + c, slave, master, pair, load3(points, i), reach[i], found.depth[c],
            load3(found.gradient, c), x, R,
        )  # fmt: skip


def empty_contacts(capacity: int) -> ContactRows:
    """Rows that are not yet written."""
    slave, master, pair = np.empty((3, capacity), np.int32)
    point, gradient = np.empty((2, capacity, 3))
    return ContactRows(slave, master, pair, np.empty(capacity), point, gradient)
