"""Impulses of the last step as a first guess for the next: contacts are known again by place."""

import numpy as np

from dovetail.collision.narrow_phase.features import touch_room
from dovetail.linalg.vec3 import add, add_scaled, dot, load3, load33, mat_t_vec, norm, store3, sub
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm


@jit
def in_frames(touches, count, frame, x, R, out):
    """Points of contacts as seen from body frame[k], (count, 3) [m]."""
    for k in range(count):
        i = frame[k]
        store3(out, k, mat_t_vec(load33(R, i), sub(load3(touches.point, k), load3(x, i))))


@jit
def guess(low, high, order, old_place, old_impulse, taken, place, close, n_joint, J, share, lam):
    """lam of contacts k from the nearest old contact of the same pair within close[k] [m].

    Old contacts of that pair are order[low[k]:high[k]]; impulses (m, 3) [N s] are in world axes.
    """
    for m in range(taken.shape[0]):
        taken[m] = 0
    for k in range(low.shape[0]):
        p, best, least = load3(place, k), -1, close[k]
        for q in range(low[k], high[k]):
            m = order[q]
            if taken[m]:
                continue
            apart = norm(sub(load3(old_place, m), p))
            if apart < least:
                best, least = m, apart
        r = n_joint + 3 * k
        for m in range(3):
            lam[r + m] = 0.0
        if best >= 0:
            taken[best] = 1
            push = load3(old_impulse, best)
            for m in range(3):
                lam[r + m] = share * dot(push, load3(J, r + m))
            lam[r] = max(0.0, lam[r])


@jit
def world_impulses(count, n_joint, J, lam, out):
    """Impulse [N s] on body a of every contact in world axes, (count, 3)."""
    for k in range(count):
        r = n_joint + 3 * k
        total = (0.0, 0.0, 0.0)
        for m in range(3):
            total = add_scaled(total, lam[r + m], load3(J, r + m))
        store3(out, k, add(total, (0.0, 0.0, 0.0)))


_i, _f, _r = np.zeros(0, np.int64), np.zeros(0), np.zeros((0, 3))
warm(in_frames, touch_room(0), 0, np.zeros(0, np.int32), _r, np.zeros((0, 3, 3)), _r)
warm(guess, _i, _i, _i, _r, _r, np.zeros(0, np.int8), _r, _f, 0, np.zeros((0, 12)), 1.0, _f)
warm(world_impulses, 0, 0, np.zeros((0, 12)), _f, _r)
