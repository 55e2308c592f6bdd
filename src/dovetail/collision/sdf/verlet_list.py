"""Verlet lists: which parts of one body are near the field of another, kept while both hardly move.

What lies further from a field than bodies have moved since it was listed cannot be inside yet
(Verlet, Phys. Rev. 159 (1967) 98): the contacts found with a list are those found without. A list
has `pose` (12,), the rotation by rows and the translation [m] of one body in the frame of the other
when it was made, and `validity` (2,).
"""

import numpy as np

from dovetail.collision.sdf.evaluate import certain_gap
from dovetail.linalg.vec3 import add, load3, matvec, norm, sub
from dovetail.runtime.jit import jit_in_place

MARGIN, CALLS = 0, 1  # entries of `validity`: how far parts were listed [m], calls since then
WIDEST, NARROWEST = 1e-2, 1e-4  # of the smaller body: how far around it parts are listed
LIFETIME = 100.0  # calls that a list should serve


@jit_in_place
def list_tree(field, tree, R, t, margin, listed):
    """Places in `tree` of what may come nearer than `margin` [m]; returns how many."""
    count, node = np.int64(0), np.int64(0)
    while node < tree.after.shape[0]:
        p = add(matvec(R, load3(tree.centre, node)), t)
        if certain_gap(field, p, tree.radius[node] + margin) >= 0.0:
            node = np.int64(tree.after[node])
            continue
        if tree.leaf[node]:
            for s in range(tree.start[node], tree.end[node]):
                p = add(matvec(R, load3(tree.points, s)), t)
                if certain_gap(field, p, tree.reach[s] + margin) < 0.0:
                    listed[count] = s
                    count += 1
        node += 1
    return count


@jit_in_place
def _displacement(pose, radius, R, t):
    """A bound [m] on how far any point within `radius` of the origin moved since the listing."""
    rotated = 0.0
    for i in range(3):
        for j in range(3):
            rotated += (R[i][j] - pose[3 * i + j]) ** 2
    return norm(sub(t, (pose[9], pose[10], pose[11]))) + radius * rotated**0.5


@jit_in_place
def reach_of_new_list(near, is_listed, radius, size, margin, R, t):
    """How far to list [m], or -1 where the list still has all that can be within `margin` [m].

    `radius` [m] bounds the body that moves, `size` [m] is that of the smaller one. A list reaches
    as far as bodies, at the speed they had, move in `LIFETIME` calls.
    """
    slack = 0.5 * (WIDEST + NARROWEST) * size
    if is_listed:
        near.validity[CALLS] += 1.0
        moved = _displacement(near.pose, radius, R, t)
        if moved + margin <= near.validity[MARGIN]:
            return -1.0
        step = moved / near.validity[CALLS]
        slack = min(max(LIFETIME * step, NARROWEST * size), WIDEST * size)
    for i in range(3):
        for j in range(3):
            near.pose[3 * i + j] = R[i][j]
        near.pose[9 + i] = t[i]
    reach = slack + 1.5 * margin
    near.validity[MARGIN], near.validity[CALLS] = reach, 0.0
    return reach
