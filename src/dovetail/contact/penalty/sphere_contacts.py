"""Contacts of spheres with analytic fields, all pairs in one call."""

import numpy as np

from dovetail.collision.sdf.evaluate import NO_SHAPES, least_of_shapes
from dovetail.contact.penalty.contact_rows import empty_contacts
from dovetail.contact.penalty.records import Spheres
from dovetail.linalg.vec3 import add, add_scaled, load3, load33, mat_t_vec, matvec, store3, sub
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm


@jit
def sphere_contacts(spheres, point_bodies, field_bodies, pairs, margin, x, R, contacts, begin):
    """Rows from `begin` on for each sphere `point_bodies[c]` that reaches into `field_bodies[c]`.

    Gaps below margin (n,) [m] of the two bodies together count too, as negative depths.

    The capacity must be as many rows as pairs. Returns the number of rows written.
    """
    count = 0
    for c in range(point_bodies.shape[0]):
        s, m = point_bodies[c], field_bodies[c]
        Q = load33(R, m)
        p = add(matvec(load33(R, s), load3(spheres.centre, s)), load3(x, s))
        value, g = least_of_shapes(
            spheres.shapes, spheres.first_shape[m], spheres.first_shape[m + 1],
            mat_t_vec(Q, sub(p, load3(x, m))),
        )  # fmt: skip
        depth = spheres.radius[s] - value
        if depth > -(margin[s] + margin[m]):
            row = begin + count
            gradient = matvec(Q, g)
            contacts.point_body[row], contacts.field_body[row], contacts.pair[row] = s, m, pairs[c]
            contacts.depth[row] = depth
            store3(contacts.point, row, add_scaled(p, 0.5 * depth - spheres.radius[s], gradient))
            store3(contacts.gradient, row, gradient)
            count += 1
    return count


_none, _rows, _numbers = read_only(np.empty(0)), np.empty((0, 3)), np.empty(0, np.int32)
_spheres = Spheres(_none, read_only(_rows), NO_SHAPES, read_only(_numbers, np.int32))
warm(
    sphere_contacts, _spheres, _numbers, _numbers, _numbers, np.empty(0), _rows,
    np.empty((0, 3, 3)), empty_contacts(0), 0,
)  # fmt: skip
