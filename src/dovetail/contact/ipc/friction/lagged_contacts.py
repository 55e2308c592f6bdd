"""The lagged contacts of a solve: taken from the iterate, and added to the derivatives.

Each lagging takes the contacts of the present poses with the part `share` of their forces and keeps
those of before with the rest: under-relaxation mixes the potential itself, so contacts need not be
matched when features change.
"""

from dovetail.contact.ipc.barrier.contact_points import contact_point
from dovetail.contact.ipc.barrier.stiffness import find_pair, pair_barrier
from dovetail.contact.ipc.candidates.distances import distances_at
from dovetail.contact.ipc.candidates.records import (
    FEATURE_I,
    FEATURE_J,
    KIND,
    SWAP,
    active_candidates,
)
from dovetail.contact.ipc.feature_pair import features_at, is_round
from dovetail.contact.ipc.friction.potential import (
    add_contact_derivatives,
    coefficient,
    pair_motion,
    set_contact,
    set_rolling,
    tangential_displacement,
)
from dovetail.contact.ipc.friction.presliding_field import field_at
from dovetail.contact.ipc.friction.records import LIMIT, SHARE
from dovetail.contact.ipc.friction.slip_over_two import carry_slip
from dovetail.contact.ipc.solids.pair import friction_points, spread
from dovetail.contact.ipc.status import StepStatus
from dovetail.linalg.vec3 import ZERO, add, load3, load33, neg, norm, sub
from dovetail.runtime.jit import jit_in_place, when_called

LEAST_SHARE = 1e-3  # of an old contact, below which it is dropped
NOT_SEARCHED = -2


@jit_in_place
def relax_contacts(contacts, share):
    """Keep the part 1 - share of the contacts lagged so far."""
    rows, bodies, kept = contacts.rows, contacts.bodies, 0
    for i in range(contacts.n_contacts[0]):
        if rows[i, SHARE] * (1.0 - share) < LEAST_SHARE:
            continue
        for k in range(rows.shape[1]):
            rows[kept, k] = rows[i, k]
        rows[kept, LIMIT] *= 1.0 - share
        rows[kept, SHARE] *= 1.0 - share
        bodies[kept, 0], bodies[kept, 1] = bodies[i, 0], bodies[i, 1]
        kept += 1
    contacts.n_contacts[0] = kept


@when_called(False)
@jit_in_place
def lag_contacts(bodies, lists, workspace, friction, start, barrier, h, share):
    """Lag the friction of the contacts at the iterate, with the part `share` of their forces.

    Needs the distances of the iterate. Returns False, and how many contacts there are in
    `contacts.needed`, where there is memory for fewer.
    """
    contacts = friction.contacts
    relax_contacts(contacts, share)
    if lists.counters[0].n_pairs == 0:
        return True
    presliding, friction_laws, two = friction.presliding, friction.laws, workspace.two_step
    laws, law_of, kind = friction_laws.laws, friction_laws.law_of, friction_laws.kind
    rows, lagged_bodies, eps = contacts.rows, contacts.bodies, friction.settings.eps[0]
    candidates, squared = active_candidates(lists), workspace.squared
    pairs, first, listed = candidates.pairs, candidates.start, candidates.rows
    x, R, x_0, R_0 = workspace.iterate.x, workspace.iterate.R, start.x, start.R
    barriers, features = lists.barriers, features_at(bodies, lists, workspace, R)
    known_pairs, n_known, fields = presliding.pairs, presliding.n_pairs[0], presliding.fields
    n = contacts.n_contacts[0]
    for p in range(candidates.n_pairs):
        a, b = pairs[p, 0], pairs[p, 1]
        law = law_of[kind[a], kind[b]]
        if laws[law, 0] == 0.0:
            continue
        known, of_pair = NOT_SEARCHED, pair_barrier(barrier, barriers, p)
        reach = (of_pair.dmin + of_pair.dhat) * (of_pair.dmin + of_pair.dhat)
        for c in range(first[p], first[p + 1]):
            if not squared[c] < reach:
                continue
            shared = friction_points(listed[c, KIND])
            if n + shared <= rows.shape[0]:
                if known == NOT_SEARCHED:
                    known = find_pair(known_pairs, n_known, a, b)
                at = contact_point(
                    listed[c, KIND], listed[c, SWAP], listed[c, FEATURE_I], listed[c, FEATURE_J],
                    sub(load3(x, b), load3(x, a)), features, of_pair,
                )  # fmt: skip
                force = at.force
                if force <= 0.0:
                    continue
                motion = pair_motion(x, R, x_0, a, b)
                curve = (laws[law, 0], laws[law, 1], laws[law, 2], laws[law, 3])
                for m in range(shared):
                    r_a, r_b = at.r_a, at.r_b
                    if shared > 1:
                        up = at.normal if listed[c, SWAP] == 0 else neg(at.normal)
                        by = spread(
                            listed[c, KIND], listed[c, FEATURE_I], listed[c, FEATURE_J], up,
                            features, of_pair.offset, m,
                        )  # fmt: skip
                        r_a, r_b = add(r_a, by), add(r_b, by)
                    e = field_at(fields, known, r_a) if known >= 0 else ZERO
                    set_contact(
                        rows, n + m, motion.R_a, motion.R_b, load33(R_0, a), load33(R_0, b), r_a,
                        r_b, at.normal, e, share * force / shared, eps,
                    )  # fmt: skip
                    rolls = is_round(
                        listed[c, KIND], listed[c, FEATURE_I], listed[c, FEATURE_J], at.normal,
                        features,
                    )  # fmt: skip
                    if rolls:
                        set_rolling(
                            rows, n + m, motion.R_a, motion.R_b, load33(R_0, a), load33(R_0, b),
                            r_a, r_b,
                        )  # fmt: skip
                    rows[n + m, SHARE] = share
                    over_two = carry_slip(
                        rows, n + m, two, start, workspace.iterate, a, b, r_a, r_b, rolls
                    )  # fmt: skip
                    time = min(two.time[a], two.time[b]) if over_two else h
                    speed = norm(tangential_displacement(rows, n + m, motion)[0]) / time
                    rows[n + m, LIMIT] *= coefficient(curve, speed)
                    lagged_bodies[n + m, 0], lagged_bodies[n + m, 1] = a, b
            n += shared
    if n + n_known > rows.shape[0]:  # pairs of sleeping bodies stay beside the new ones
        contacts.needed[0] = n + n_known
        return False
    contacts.n_contacts[0] = n
    return True


@jit_in_place
def lag_at_iterate(bodies, lists, workspace, friction, start, barrier, h, share):
    """Lag the contacts of the iterate; OK, or a status for missing memory."""
    if not distances_at(bodies, lists, workspace, workspace.iterate, barrier)[0]:
        return StepStatus.LISTS_FULL
    fits = lag_contacts(bodies, lists, workspace, friction, start, barrier, h, share)
    return StepStatus.OK if fits else StepStatus.FRICTION_FULL


@when_called(None)
@jit_in_place
def add_friction_derivatives(lists, workspace, friction, x_0, theta):
    """Derivatives of all friction into rows 2 p of its pairs, which become active.

    A contact whose pair is not listed any more is farther apart than any force: it is dropped.
    """
    contacts, stiffening = friction.contacts, friction.stiffening[0]
    contact_rows, bodies = contacts.rows, contacts.bodies
    candidates, iterate, terms = active_candidates(lists), workspace.iterate, workspace.terms
    pairs, n_pairs = candidates.pairs, candidates.n_pairs
    x, R, rows, active = iterate.x, iterate.R, terms.rows, terms.active
    for i in range(contacts.n_contacts[0]):
        a, b = bodies[i, 0], bodies[i, 1]
        p = find_pair(pairs, n_pairs, a, b)
        if p < 0:
            contact_rows[i, LIMIT] = 0.0
            continue
        if active[p] == 0:
            active[p] = 1
            for k in range(rows.shape[1]):
                rows[2 * p, k] = rows[2 * p + 1, k] = 0.0
        motion = pair_motion(x, R, x_0, a, b)
        add_contact_derivatives(contact_rows, i, motion, theta, stiffening, rows, 2 * p)
