"""The presliding state after a step: the field of every pair of bodies in contact."""

from dovetail.contact.ipc.barrier.stiffness import find_pair
from dovetail.contact.ipc.friction.potential import (
    pair_motion,
    relative_displacement,
    store_force,
    tangential_displacement,
    vector_at,
    within_cone,
)
from dovetail.contact.ipc.friction.presliding_field import (
    add_to_fit,
    clear_fit,
    common_rotation,
    field_at,
    finish_fit,
    rotate_field,
)
from dovetail.contact.ipc.friction.records import (
    EPS,
    FIELD_COLUMNS,
    LIMIT,
    NORMAL,
    PRESLIDING,
)
from dovetail.linalg.so3 import exp, log
from dovetail.linalg.vec3 import add, dot, load33, matmul, norm, sub, transpose
from dovetail.runtime.jit import jit_in_place, when_called

LEAST_FORCE = 1e-6  # of the largest of its pair: weaker contacts do not decide whether it slips


@when_called(None)
@jit_in_place
def update_presliding(bodies, lists, workspace, friction, start, h):
    """Return map after a step, whose last contacts are lagged, pair by pair in order.

    Pairs without contact are dropped, those of which nobody is awake stay as they are. Reports the
    speeds [m/s] of the fastest contact of pairs that stick and of the fastest that slips.
    """
    contacts, presliding, report = friction.contacts, friction.presliding, friction.report
    report.sticking_speed[0] = report.slipping_speed[0] = 0.0
    if contacts.n_contacts[0] == 0 and presliding.n_pairs[0] == 0:
        return
    pairs, next_pairs = presliding.pairs, presliding.next_pairs
    fields, next_fields = presliding.fields, presliding.next_fields
    lagged_bodies = contacts.bodies
    radius, slot, asleep = bodies.geometry.radius, bodies.slot, lists.asleep
    x, R, x_0, R_0 = workspace.iterate.x, workspace.iterate.R, start.x, start.R
    n, n_known, kept = contacts.n_contacts[0], presliding.n_pairs[0], 0
    i, old = 0, 0
    while i < n:
        a, b = lagged_bodies[i, 0], lagged_bodies[i, 1]
        kept, old = _keep_asleep(presliding, slot, asleep, kept, old, a, b)
        known = find_pair(pairs, n_known, a, b)
        for j in range(FIELD_COLUMNS):
            next_fields[kept, j] = fields[known, j] if known >= 0 else 0.0
        size = _smaller(radius[a], radius[b])
        i = _fit_pair(contacts, presliding, report, i, kept, size, x, R, x_0, h)
        w_a = log(matmul(load33(R, a), transpose(load33(R_0, a))))
        w_b = log(matmul(load33(R, b), transpose(load33(R_0, b))))
        rotate_field(next_fields, kept, exp(common_rotation(w_a, w_b)))
        next_pairs[kept, 0], next_pairs[kept, 1] = a, b
        kept += 1
    kept, _ = _keep_asleep(presliding, slot, asleep, kept, old, slot.shape[0], 0)
    for k in range(kept):
        for side in range(2):
            pairs[k, side] = next_pairs[k, side]
        for j in range(FIELD_COLUMNS):
            fields[k, j] = next_fields[k, j]
    presliding.n_pairs[0] = kept


@jit_in_place
def _keep_asleep(presliding, slot, asleep, kept, old, a, b):
    """Carry over what lies before the pair (a, b) and has nobody awake; (kept, next old one)."""
    pairs, fields = presliding.pairs, presliding.fields
    next_pairs, next_fields = presliding.next_pairs, presliding.next_fields
    while old < presliding.n_pairs[0]:
        i, j = pairs[old, 0], pairs[old, 1]
        if i > a or (i == a and j >= b):
            break
        awake = (slot[i] >= 0 and asleep[i] == 0) or (slot[j] >= 0 and asleep[j] == 0)
        if not awake:
            next_pairs[kept, 0], next_pairs[kept, 1] = i, j
            for m in range(FIELD_COLUMNS):
                next_fields[kept, m] = fields[old, m]
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
def _fit_pair(contacts, presliding, report, first, k, size, x, R, x_0, h):
    """Fit the next field k to the contacts of one pair, from `first` on; returns the next one."""
    rows, bodies, fields, fit = (
        contacts.rows,
        contacts.bodies,
        presliding.next_fields,
        presliding.fit,
    )
    a, b = bodies[first, 0], bodies[first, 1]
    motion = pair_motion(x, R, x_0, a, b)
    clear_fit(fit)
    largest, end = 0.0, first
    while end < contacts.n_contacts[0] and bodies[end, 0] == a and bodies[end, 1] == b:
        largest = max(largest, rows[end, LIMIT])
        end += 1
    slips, fastest, fastest_slip = False, 0.0, 0.0
    for i in range(first, end):
        du, r_a, r_b = tangential_displacement(rows, i, motion)
        e, normal, eps = vector_at(rows, i, PRESLIDING), vector_at(rows, i, NORMAL), rows[i, EPS]
        u = add(e, du)
        store_force(rows, i, u)
        kept = within_cone(u, eps)
        moved = norm(relative_displacement(rows, i, r_a, r_b, motion))
        decay = min(1.0, moved / eps)
        outward = dot(normal, field_at(fields, k, r_a))
        add_to_fit(fit, r_a, normal, rows[i, LIMIT], sub(kept, e), size, outward, decay)
        if rows[i, LIMIT] > LEAST_FORCE * largest:
            speed = norm(du) / h
            if norm(u) > eps:
                slips = True
                fastest_slip = max(fastest_slip, speed)
            fastest = max(fastest, speed)
    finish_fit(fit, fields, k, size)
    if slips:
        report.slipping_speed[0] = max(report.slipping_speed[0], fastest_slip)
    else:
        report.sticking_speed[0] = max(report.sticking_speed[0], fastest)
    return end
