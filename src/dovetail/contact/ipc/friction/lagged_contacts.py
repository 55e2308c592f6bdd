"""The friction of all contacts of a solve: gathered, and added to the derivatives.

`held` are the contacts of `friction.potential`. Each lagging takes the contacts of the present
poses
with the part `share` and keeps those of before with the rest: under-relaxation mixes the potential
itself, so contacts need not be told apart when features change.
"""

from typing import Any, NamedTuple

import numpy as np

from dovetail.contact.ipc.barrier.contact_points import touching
from dovetail.contact.ipc.barrier.stiffness import pair_load
from dovetail.contact.ipc.friction.potential import (
    FRICTION_ROW,
    add_friction_terms,
    coefficient,
    set_friction_row,
    slip,
)
from dovetail.contact.ipc.friction.presliding import SIZE, field_at
from dovetail.linalg.vec3 import ZERO, load3, load33, norm, sub
from dovetail.runtime.jit import jit_in_place
from dovetail.runtime.records import bundler

FORGOTTEN = 1e-3  # part of an old contact below which it is dropped
N_HELD, N_ANCHORS, NEEDED, MOST_LAGGINGS, LAGGINGS, SETTLED = range(6)
CREEP, SLIP, STIFFENED, BEND = range(4)


class IpcFriction(NamedTuple):
    """Friction of one run: laws, contacts held during a solve, memory between steps."""

    counts: Any  # (6,) int64: contacts held, pairs remembered, contacts there should be room for,
    # solves at most in a step, solves of the last step, whether the last one moved nothing
    values: (
        Any  # (4,) speeds [m/s] of the fastest sticking contact and of the fastest slipping one;
    )
    # how much Newton's method stiffens slipping contacts, 0 to 1; eps [m]
    laws: Any  # (m, 4) mu_s, mu_d, v_s, v_d
    law_of: Any  # (k, k) int32 number of the law by kinds of body
    kind: Any  # (n,) int32 of each body
    held: Any  # (c, FRICTION_ROW)
    bodies: Any  # (c, 2) int32
    anchor_pairs: Any  # (2, q, 2) int32, sorted; the second copy is room
    fields: Any  # (2 q, 6) [m, rad]; the second half is room
    work: Any  # (27,)
    square: Any  # (3, 9, 9)


bundle_friction = bundler(IpcFriction)


def friction_room(n_bodies, kinds, contacts) -> IpcFriction:
    """Empty arrays for so many bodies, kinds of them, and contacts."""
    return IpcFriction(
        counts=np.zeros(6, np.int64), values=np.zeros(4), laws=np.zeros((1, 4)),
        law_of=np.zeros((kinds, kinds), np.int32), kind=np.zeros(n_bodies, np.int32),
        held=np.zeros((contacts, FRICTION_ROW)), bodies=np.zeros((contacts, 2), np.int32),
        anchor_pairs=np.zeros((2, contacts, 2), np.int32), fields=np.zeros((2 * contacts, 6)),
        work=np.zeros(SIZE), square=np.zeros((3, 9, 9)),
    )  # fmt: skip


@jit_in_place
def find_pair(rows, which, count, a, b):
    """Place of (a, b) among the sorted pairs rows[which, :count], or -1."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        i, j = rows[which, middle, 0], rows[which, middle, 1]
        if i < a or (i == a and j < b):
            low = middle + 1
        else:
            high = middle
    if low < count and rows[which, low, 0] == a and rows[which, low, 1] == b:
        return low
    return -1


@jit_in_place
def fade(counts, held, bodies, share):
    """Keep the part 1 - share of the contacts held so far."""
    kept, n = 0, counts[N_HELD]
    for i in range(n):
        if held[i, 20] * (1.0 - share) < FORGOTTEN:
            continue
        for k in range(held.shape[1]):
            held[kept, k] = held[i, k]
        held[kept, 18] *= 1.0 - share
        held[kept, 20] *= 1.0 - share
        bodies[kept, 0], bodies[kept, 1] = bodies[i, 0], bodies[i, 1]
        kept += 1
    counts[N_HELD] = kept


@jit_in_place
def hold_contacts(
    counts, laws, law_of, kind, held, bodies, anchor_pairs, fields,
    which, n_pairs, pairs, start, pool, squared, x, R, x_0, R_0,
    lever, edges, faces, facing, dmin, dhat, weight, load, h, eps, share,
):  # fmt: skip
    """Take the present contacts with the part `share`, their friction lagged from now on.

    Returns False, and how much room is needed in counts, where there is too little.
    """
    fade(counts, held, bodies, share)
    n = counts[N_HELD]
    reach = (dmin + dhat) * (dmin + dhat)
    for p in range(n_pairs):
        a, b = pairs[which, p, 0], pairs[which, p, 1]
        law = law_of[kind[a], kind[b]]
        if laws[law, 0] == 0.0:
            continue
        known, stiff = -2, weight * pair_load(load, a, b)
        for c in range(start[which, p], start[which, p + 1]):
            if not squared[c] < reach:
                continue
            if n < held.shape[0]:
                if known == -2:
                    known = find_pair(anchor_pairs, 0, counts[N_ANCHORS], a, b)
                r_a, r_b, normal, _, force = touching(
                    pool[which, c, 0], pool[which, c, 1], pool[which, c, 2], pool[which, c, 3],
                    sub(load3(x, b), load3(x, a)), lever, edges, faces, facing, dmin, dhat, stiff,
                )  # fmt: skip
                if force <= 0.0:
                    continue
                bent = field_at(fields, known, r_a) if known >= 0 else ZERO
                R_a, R_b = load33(R, a), load33(R, b)
                set_friction_row(
                    held, n, R_a, R_b, load33(R_0, a), load33(R_0, b), r_a, r_b, normal, bent,
                    share * force, eps,
                )  # fmt: skip
                held[n, 20] = share
                way = slip(
                    held, n, load3(x, a), R_a, load3(x, b), R_b, load3(x_0, a), load3(x_0, b)
                )[0]
                held[n, 18] *= coefficient(
                    (laws[law, 0], laws[law, 1], laws[law, 2], laws[law, 3]), norm(way) / h
                )
                bodies[n, 0], bodies[n, 1] = a, b
            n += 1
    if n + counts[N_ANCHORS] > held.shape[0]:  # those of bodies asleep stay beside the new ones
        counts[NEEDED] = n + counts[N_ANCHORS]
        return False
    counts[N_HELD] = n
    return True


@jit_in_place
def add_held_terms(
    counts, held, bodies, which, n_pairs, pairs, x, R, x_0, theta, stiffened, rows, active
):  # fmt: skip
    """Derivatives of all friction into rows 2 p of its pairs, which are made active.

    A contact whose pair is not listed any more is farther apart than any force: it is let go.
    """
    for i in range(counts[N_HELD]):
        a, b = bodies[i, 0], bodies[i, 1]
        p = find_pair(pairs, which, n_pairs, a, b)
        if p < 0:
            held[i, 18] = 0.0
            continue
        if active[p] == 0:
            active[p] = 1
            for k in range(rows.shape[1]):
                rows[2 * p, k] = rows[2 * p + 1, k] = 0.0
        add_friction_terms(
            held, i, load3(x, a), load33(R, a), load3(x, b), load33(R, b), load3(x_0, a),
            load3(x_0, b), theta, stiffened, rows, 2 * p,
        )  # fmt: skip
