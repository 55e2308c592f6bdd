"""Contacts of two steps matched by their place on the smaller body, and impulses in world axes."""

from typing import NamedTuple

import numpy as np

from dovetail.collision.narrow_phase.contact_points import contact_points
from dovetail.linalg.vec3 import add, add_scaled, dot, load3, load33, mat_t_vec, norm, store3, sub
from dovetail.runtime.jit import jit_in_place
from dovetail.runtime.records import FloatArray, Int32Array
from dovetail.runtime.warmup import warm


@jit_in_place
def _place(points, body_size, x, R, k):
    """Contact k on the smaller body, in its axes, from its centre of mass [m]."""
    i = points.body[k, 1] if body_size[k, 1] < body_size[k, 0] else points.body[k, 0]
    return mat_t_vec(load33(R, i), sub(load3(points.point, k), load3(x, i)))


@jit_in_place
def _key(body, k, n):
    return np.int64(body[k, 0]) * n + body[k, 1]


@jit_in_place
def _first_of(body, order, key, n):
    """The first of the sorted rows `order` of `body` (m, 2) whose key is not less."""
    low, high = 0, order.shape[0]
    while low < high:
        middle = (low + high) // 2
        if _key(body, order[middle], n) < key:
            low = middle + 1
        else:
            high = middle
    return low


@jit_in_place
def in_order(body, n):
    """Whether the rows (m, 2) of bodies below n are sorted."""
    for k in range(1, body.shape[0]):
        if _key(body, k, n) < _key(body, k - 1, n):
            return False
    return True


@jit_in_place
def match_impulses(old, order, taken, points, body_size, near, x, R, n_joint, J, factor, lam):
    """lam of contacts k from the nearest old contact of the same pair.

    On the smaller body it is nearer than `near` of that one's size. Rows `order` of `old`
    (SolvedContacts) are sorted by their bodies; its impulses (m, 3) [N s] are in world axes and
    count `factor` times.
    """
    n = x.shape[0]
    for k in range(points.gap.shape[0]):
        p, best = _place(points, body_size, x, R, k), -1
        least, key = near * min(body_size[k, 0], body_size[k, 1]), _key(points.body, k, n)
        for q in range(_first_of(old.body, order, key, n), order.shape[0]):
            m = order[q]
            if _key(old.body, m, n) != key:
                break
            if taken[m]:
                continue
            distance = norm(sub(load3(old.place, m), p))
            if distance < least:
                best, least = m, distance
        r = n_joint + 3 * k
        for m in range(3):
            lam[r + m] = 0.0
        if best >= 0:
            taken[best] = True
            impulse = load3(old.impulse, best)
            for m in range(3):
                lam[r + m] = factor * dot(impulse, load3(J, r + m))
            lam[r] = max(0.0, lam[r])


@jit_in_place
def solved_contacts(points, body_size, x, R, n_joint, J, lam, place, impulse):
    """place (count, 3) [m] on the smaller body; impulse [N s] on body a in world axes."""
    for k in range(place.shape[0]):
        store3(place, k, _place(points, body_size, x, R, k))
    world_impulses(n_joint, J, lam, impulse)


@jit_in_place
def same_rows(body, count, last):
    """Whether the first `count` rows have the bodies of `last` (count, k)."""
    if last.shape[0] != count or last.shape[1] != body.shape[1]:
        return False
    for r in range(count):
        for side in range(body.shape[1]):
            if body[r, side] != last[r, side]:
                return False
    return True


@jit_in_place
def world_impulses(n_joint, J, lam, out):
    """Impulse [N s] on body a of every contact in world axes, (count, 3)."""
    for k in range(out.shape[0]):
        r = n_joint + 3 * k
        total = (0.0, 0.0, 0.0)
        for m in range(3):
            total = add_scaled(total, lam[r + m], load3(J, r + m))
        store3(out, k, add(total, (0.0, 0.0, 0.0)))


class SolvedContacts(NamedTuple):
    """m contacts of one step in the order they were found."""

    body: Int32Array  # (m, 2)
    place: FloatArray  # (m, 3) [m] in the axes of the smaller body
    point: FloatArray  # (m, 3) [m]
    normal: FloatArray  # (m, 3)
    gap: FloatArray  # (m,) [m] at the end of the step
    impulse: FloatArray  # (m, 3) [N s] on a, world axes
    h: FloatArray  # (1,) [s] the piece of the step


def no_solved_contacts() -> SolvedContacts:
    """None, of the types every call has."""
    rows = np.zeros((0, 3))
    return SolvedContacts(
        np.zeros((0, 2), np.int32), rows, rows, rows, np.zeros(0), rows, np.zeros(1)
    )


_f, _r, _R, _J, _sizes = (
    np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3, 3)), np.zeros((0, 12)), np.zeros((0, 2)),
)  # fmt: skip
warm(in_order, np.zeros((0, 2), np.int32), 1)
warm(
    match_impulses, no_solved_contacts(), np.zeros(0, np.int64), np.zeros(0, np.bool_),
    contact_points(0), _sizes, 0.0, _r, _R, 0, _J, 1.0, _f,
)  # fmt: skip
warm(world_impulses, 0, _J, _f, _r)
warm(solved_contacts, contact_points(0), _sizes, _r, _R, 0, _J, _f, _r, _r)
_rows = np.zeros((0, 2), np.int32)
warm(same_rows, _rows, 0, _rows)
