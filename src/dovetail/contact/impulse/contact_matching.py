"""Contacts of two steps matched by their place on the smaller body, and impulses in world axes."""

import numpy as np

from dovetail.linalg.vec3 import add, add_scaled, dot, load3, load33, mat_t_vec, norm, store3, sub
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm


@jit
def in_body_frames(point, frame, x, R, out):
    """Points (count, 3) [m] of contacts in the axes of body frame[k], from its centre of mass."""
    for k in range(frame.shape[0]):
        i = frame[k]
        store3(out, k, mat_t_vec(load33(R, i), sub(load3(point, k), load3(x, i))))


@jit
def match_impulses(
    low, high, order, old_place, old_impulse, taken, place, max_distance, n_joint, J, factor, lam
):  # fmt: skip
    """lam of contacts k from the nearest old contact of the same pair within max_distance[k] [m].

    Old contacts of that pair are order[low[k]:high[k]]; impulses (m, 3) [N s] are in world axes
    and count `factor` times.
    """
    for m in range(taken.shape[0]):
        taken[m] = 0
    for k in range(low.shape[0]):
        p, best, least = load3(place, k), -1, max_distance[k]
        for q in range(low[k], high[k]):
            m = order[q]
            if taken[m]:
                continue
            distance = norm(sub(load3(old_place, m), p))
            if distance < least:
                best, least = m, distance
        r = n_joint + 3 * k
        for m in range(3):
            lam[r + m] = 0.0
        if best >= 0:
            taken[best] = 1
            impulse = load3(old_impulse, best)
            for m in range(3):
                lam[r + m] = factor * dot(impulse, load3(J, r + m))
            lam[r] = max(0.0, lam[r])


@jit
def same_rows(body, count, last):
    """Whether the first `count` rows have the bodies of `last` (count, k)."""
    if last.shape[0] != count or last.shape[1] != body.shape[1]:
        return False
    for r in range(count):
        for side in range(body.shape[1]):
            if body[r, side] != last[r, side]:
                return False
    return True


@jit
def world_impulses(n_joint, J, lam, out):
    """Impulse [N s] on body a of every contact in world axes, (count, 3)."""
    for k in range(out.shape[0]):
        r = n_joint + 3 * k
        total = (0.0, 0.0, 0.0)
        for m in range(3):
            total = add_scaled(total, lam[r + m], load3(J, r + m))
        store3(out, k, add(total, (0.0, 0.0, 0.0)))


_i, _f, _r = np.zeros(0, np.int64), np.zeros(0), np.zeros((0, 3))
warm(in_body_frames, _r, np.zeros(0, np.int32), _r, np.zeros((0, 3, 3)), _r)
warm(
    match_impulses, _i, _i, _i, _r, _r, np.zeros(0, np.int8), _r, _f, 0, np.zeros((0, 12)), 1.0, _f
)
warm(world_impulses, 0, np.zeros((0, 12)), _f, _r)
_rows = np.zeros((0, 2), np.int32)
warm(same_rows, _rows, 0, _rows)
