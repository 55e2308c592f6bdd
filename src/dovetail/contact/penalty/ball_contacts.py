"""Contacts of balls with analytic fields, all pairs in one call."""

from typing import Any, NamedTuple

import numpy as np

from dovetail.collision.sdf.evaluate import NO_SHAPES, least_of_shapes
from dovetail.contact.penalty.force import room_for
from dovetail.linalg.vec3 import add, add_scaled, load3, load33, mat_t_vec, matvec, store3, sub
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm


class Balls(NamedTuple):
    """n bodies: those that are balls, and the analytic shapes that make up their fields."""

    radius: Any  # (n,) [m]
    centre: Any  # (n, 3) [m] in the body's frame
    shapes: Any  # (s, 16) as in FieldArrays
    first: Any  # (n + 1,) int32: body i has the shapes first[i] to first[i + 1]


@jit
def ball_contacts(balls, slaves, masters, pairs, x, R, contacts, begin):
    """Rows from `begin` on for each ball `slaves[c]` that reaches into the body `masters[c]`.

    There must be room for as many rows as pairs. Returns the number of rows written.
    """
    count = 0
    for c in range(slaves.shape[0]):
        s, m = slaves[c], masters[c]
        Q = load33(R, m)
        p = add(matvec(load33(R, s), load3(balls.centre, s)), load3(x, s))
        value, g = least_of_shapes(
            balls.shapes, balls.first[m], balls.first[m + 1], mat_t_vec(Q, sub(p, load3(x, m)))
        )
        depth = balls.radius[s] - value
        if depth > 0.0:
            row = begin + count
            gradient = matvec(Q, g)
            contacts.slave[row], contacts.master[row], contacts.pair[row] = s, m, pairs[c]
            contacts.depth[row] = depth
            store3(contacts.point, row, add_scaled(p, 0.5 * depth - balls.radius[s], gradient))
            store3(contacts.gradient, row, gradient)
            count += 1
    return count


_none, _rows, _numbers = read_only(np.empty(0)), np.empty((0, 3)), np.empty(0, np.int32)
_balls = Balls(_none, read_only(_rows), NO_SHAPES, read_only(_numbers, np.int32))
warm(
    ball_contacts, _balls, _numbers, _numbers, _numbers, _rows, np.empty((0, 3, 3)), room_for(0), 0
)
