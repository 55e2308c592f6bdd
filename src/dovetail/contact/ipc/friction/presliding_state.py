"""What friction carries from one step to the next: the bent contacts of every touching pair."""

from dovetail.contact.ipc.friction.lagged_contacts import CREEP, N_ANCHORS, N_HELD, SLIP, find_pair
from dovetail.contact.ipc.friction.potential import (
    bent_by,
    keep_force,
    slip,
    way_apart,
    within_cone,
)
from dovetail.contact.ipc.friction.presliding import (
    add_to_fit,
    clear_fit,
    common_turn,
    field_at,
    finish_fit,
    turn_field,
)
from dovetail.linalg.so3 import exp, log
from dovetail.linalg.vec3 import add, dot, load3, load33, matmul, norm, sub, transpose
from dovetail.runtime.jit import jit_in_place

FELT_FORCE = 1e-6  # of the largest force of its pair: weaker contacts do not tell whether it slips


@jit_in_place
def remember(
    counts, values, held, bodies, anchor_pairs, fields, work, radius, slot, asleep, x, R, x_0, R_0,
    h,
):  # fmt: skip
    """Return map after a step: `held` are the contacts at its end, pair by pair in order.

    Pairs without contact are forgotten, those of whom nobody is awake stay as they are. Speeds
    [m/s]: of the fastest contact among pairs of which no contact has slipped, and of the fastest
    that has.
    """
    values[CREEP] = values[SLIP] = 0.0
    n, kept, room = counts[N_HELD], 0, anchor_pairs.shape[1]
    i, old = 0, 0
    while i < n:
        a, b = bodies[i, 0], bodies[i, 1]
        kept, old = _keep_asleep(counts, anchor_pairs, fields, slot, asleep, kept, old, a, b)
        k = room + kept
        known = find_pair(anchor_pairs, 0, counts[N_ANCHORS], a, b)
        for j in range(6):
            fields[k, j] = fields[known, j] if known >= 0 else 0.0
        size = _smaller(radius[a], radius[b])
        i = _fit_pair(values, held, bodies, n, fields, work, i, k, size, x, R, x_0, h)
        w_a = log(matmul(load33(R, a), transpose(load33(R_0, a))))
        w_b = log(matmul(load33(R, b), transpose(load33(R_0, b))))
        turn_field(fields, k, exp(common_turn(w_a, w_b)))
        anchor_pairs[1, kept, 0], anchor_pairs[1, kept, 1] = a, b
        kept += 1
    kept, _ = _keep_asleep(counts, anchor_pairs, fields, slot, asleep, kept, old, slot.shape[0], 0)
    for k in range(kept):
        anchor_pairs[0, k, 0], anchor_pairs[0, k, 1] = anchor_pairs[1, k, 0], anchor_pairs[1, k, 1]
        for j in range(6):
            fields[k, j] = fields[room + k, j]
    counts[N_ANCHORS] = kept


@jit_in_place
def _keep_asleep(counts, anchor_pairs, fields, slot, asleep, kept, old, a, b):
    """Carry over what lies before the pair (a, b) and has nobody awake; (kept, next old one)."""
    room = anchor_pairs.shape[1]
    while old < counts[N_ANCHORS]:
        i, j = anchor_pairs[0, old, 0], anchor_pairs[0, old, 1]
        if i > a or (i == a and j >= b):
            break
        awake = (slot[i] >= 0 and asleep[i] == 0) or (slot[j] >= 0 and asleep[j] == 0)
        if not awake:
            anchor_pairs[1, kept, 0], anchor_pairs[1, kept, 1] = i, j
            for m in range(6):
                fields[room + kept, m] = fields[old, m]
            kept += 1
        old += 1
    return kept, old


@jit_in_place
def _smaller(r, s):
    """The smaller of two radii that has a size at all [m]."""
    if r > 0.0 and s > 0.0:
        return min(r, s)
    return max(r, s) if max(r, s) > 0.0 else 1.0


@jit_in_place
def _fit_pair(values, held, bodies, n, fields, work, first, k, size, x, R, x_0, h):
    """Fit field k to the contacts from `first` on that belong to one pair; returns the next."""
    a, b = bodies[first, 0], bodies[first, 1]
    x_a, x_b, R_a, R_b = load3(x, a), load3(x, b), load33(R, a), load33(R, b)
    a_0, b_0 = load3(x_0, a), load3(x_0, b)
    clear_fit(work)
    top, end = 0.0, first
    while end < n and bodies[end, 0] == a and bodies[end, 1] == b:
        top = max(top, held[end, 18])
        end += 1
    slipped, creep, fastest = False, 0.0, 0.0
    for i in range(first, end):
        way, r_a, r_b = slip(held, i, x_a, R_a, x_b, R_b, a_0, b_0)
        bent = bent_by(held, i)
        u = add(bent, way)
        normal = (held[i, 12], held[i, 13], held[i, 14])
        keep_force(held, i, u)
        kept = within_cone(u, held[i, 19])
        moved = norm(way_apart(held, i, r_a, r_b, x_a, x_b, a_0, b_0))
        forget = min(1.0, moved / held[i, 19])
        outward = dot(normal, field_at(fields, k, r_a))
        add_to_fit(work, r_a, normal, held[i, 18], sub(kept, bent), size, outward, forget)
        if held[i, 18] > FELT_FORCE * top:
            speed = norm(way) / h
            if norm(u) > held[i, 19]:
                slipped = True
                fastest = max(fastest, speed)
            creep = max(creep, speed)
    finish_fit(work, fields, k, size)
    if slipped:
        values[SLIP] = max(values[SLIP], fastest)
    else:
        values[CREEP] = max(values[CREEP], creep)
    return end
