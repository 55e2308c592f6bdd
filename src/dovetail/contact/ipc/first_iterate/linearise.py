r"""Contacts of a pose, linearised in the twists of the bodies, with the inertia of the step.

The incremental potential of the step, of second order in its inertia terms and with gaps and slips
of first order in the twists u from the present pose,
    1/2 (u - u_free) . W^-1 (u - u_free) + sum of barriers of d + J_n u,  friction of s + J_t u,
has all contacts ahead in it, not only those whose barriers act already. Which those are, the lists
say: what is within reach of the way that bodies would take without contact. It is the problem of an
impulse method with speculative contacts (`contact.impulse`), whose normals are those of the present
pose; only barriers stand in for gaps >= 0, so that its solution is near the minimiser.
"""

import numpy as np

from dovetail.contact.ipc.barrier.contacts import mollified
from dovetail.contact.ipc.barrier.function import log_barrier
from dovetail.contact.ipc.barrier.stiffness import find_pair, pair_barrier
from dovetail.contact.ipc.candidates.distances import candidate_distance
from dovetail.contact.ipc.candidates.records import (
    FEATURE_I,
    FEATURE_J,
    KIND,
    SWAP,
    active_candidates,
)
from dovetail.contact.ipc.candidates.relative_motion import relative_path
from dovetail.contact.ipc.feature_pair import (
    edge_of,
    face_of,
    features_at,
    place_candidate,
    surface_points,
)
from dovetail.contact.ipc.first_iterate.known_forces import from_axes
from dovetail.contact.ipc.first_iterate.passing import passes
from dovetail.contact.ipc.first_iterate.records import FIRST, NORMAL, SECOND, WIDTH
from dovetail.contact.ipc.first_iterate.system import set_rates
from dovetail.contact.ipc.friction.potential import (
    any_tangent,
    coefficient,
    smoothed_derivatives,
    tangential,
)
from dovetail.contact.ipc.friction.presliding_field import field_at
from dovetail.contact.ipc.islands.state import SETTLED
from dovetail.contact.ipc.newton.inertia_terms import set_inertia_terms
from dovetail.contact.ipc.records import EDGE_EDGE, POINT_FACE
from dovetail.linalg.vec3 import (
    ZERO,
    add,
    cross,
    dot,
    load3,
    load33,
    mat_t_vec,
    matvec,
    neg,
    norm,
    scale,
    solve,
    sub,
)
from dovetail.runtime.jit import jit_in_place

ACROSS = 1e-6  # sine of the angle between a normal and what it is perpendicular to
SLANTED = 2.0  # dhat: contacts beyond at the ends of features would be in the way of others
AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@jit_in_place
def set_free_twists(bodies, workspace, poses, start, inverse):
    """The twists u_free from the poses without contact into workspace.twist, and W."""
    system, state = workspace.system, workspace.islands.state
    twist, free, slot = workspace.twist, bodies.free, bodies.slot
    gradient, diagonal = system.gradient, system.diagonal
    set_inertia_terms(
        bodies.mass, bodies.J, slot, poses, workspace.predicted, start.R, workspace.impulse,
        workspace.loads.pull, gradient, diagonal, True,
    )  # fmt: skip
    for i in range(slot.shape[0]):
        k = slot[i]
        for c in range(12):
            inverse[i, c] = 0.0
        for c in range(6):
            twist[i, c] = 0.0
        if k < 0 or state[i] == SETTLED:
            continue
        for r in range(3):
            if free[i, r] != 0:
                inverse[i, r] = 1.0 / diagonal[k, r, r]
                twist[i, r] = -inverse[i, r] * gradient[k, r]
            if free[i, 3 + r] == 0:
                for c in range(3):
                    diagonal[k, 3 + r, 3 + c] = diagonal[k, 3 + c, 3 + r] = 0.0
                diagonal[k, 3 + r, 3 + r] = 1.0
        H = (
            (diagonal[k, 3, 3], diagonal[k, 3, 4], diagonal[k, 3, 5]),
            (diagonal[k, 4, 3], diagonal[k, 4, 4], diagonal[k, 4, 5]),
            (diagonal[k, 5, 3], diagonal[k, 5, 4], diagonal[k, 5, 5]),
        )
        for c in range(3):
            if free[i, 3 + c] == 0:
                continue
            column = solve(H, AXES[c])
            for r in range(3):
                if free[i, 3 + r] != 0:
                    inverse[i, 3 + 3 * r + c] = column[r]
                    twist[i, 3 + r] -= column[r] * gradient[k, 3 + c]


@jit_in_place
def _keep_inertia(bodies, workspace):
    """Copy the inertia terms of the pose; components that are fixed are unknowns that stay zero."""
    system, of, state = workspace.system, workspace.linear_contacts.multipliers, workspace.islands
    owner, free = bodies.owner, bodies.free
    for k in range(owner.shape[0]):
        i = owner[k]
        for r in range(6):
            of.gradient[k, r] = system.gradient[k, r]
            for c in range(6):
                of.inertia[k, r, c] = system.diagonal[k, r, c]
        for r in range(6):
            if free[i, r] == 0 or state.state[i] == SETTLED:
                of.gradient[k, r] = 0.0
                for c in range(6):
                    of.inertia[k, r, c] = of.inertia[k, c, r] = 0.0
                of.inertia[k, r, r] = 1.0


@jit_in_place
def _set_row(contacts, r, which, a, b, r_a, r_b, n):
    """Row `which` of J along n, without fixed components; returns J W J^T."""
    J, inverse = contacts.J, contacts.inverse
    at = which * WIDTH
    arm_a, arm_b = cross(r_a, n), cross(r_b, n)
    total = 0.0
    for k in range(3):
        J[r, at + k] = n[k] if inverse[a, k] > 0.0 else 0.0
        J[r, at + 3 + k] = arm_a[k] if inverse[a, 3 + 4 * k] > 0.0 else 0.0
        J[r, at + 6 + k] = -n[k] if inverse[b, k] > 0.0 else 0.0
        J[r, at + 9 + k] = -arm_b[k] if inverse[b, 3 + 4 * k] > 0.0 else 0.0
        total += inverse[a, k] * n[k] * n[k] + inverse[b, k] * n[k] * n[k]
    for k in range(3):
        for m in range(3):
            total += arm_a[k] * inverse[a, 3 + 3 * k + m] * arm_a[m]
            total += arm_b[k] * inverse[b, 3 + 3 * k + m] * arm_b[m]
    return total


@jit_in_place
def _is_clamped(kind, i, j, apart, features):
    """Whether one of two features ends at the point that is nearest to the other."""
    d, e = ZERO, ZERO
    if kind == POINT_FACE:
        t0, t1, t2 = face_of(features, j)
        d, e = sub(t1, t0), sub(t2, t0)
    elif kind == EDGE_EDGE:
        a0, a1 = edge_of(features, i)
        b0, b1 = edge_of(features, j)
        d, e = sub(a1, a0), sub(b1, b0)
    limit = ACROSS * norm(apart)
    return abs(dot(d, apart)) > limit * norm(d) or abs(dot(e, apart)) > limit * norm(e)


@jit_in_place
def collect(bodies, lists, workspace, friction, start, barrier, h, known):
    """The contacts that bodies may have on their way from the iterate; returns their number.

    Needs the distances of the iterate within `known` [m]; what is farther away is not looked at,
    for which candidates are listed there depends on when lists were made. Contacts beyond the
    memory there is are left out. Forces are those of the collection before, by features, or those
    of the barriers.
    """
    contacts, twist = workspace.linear_contacts, workspace.twist
    set_free_twists(bodies, workspace, workspace.iterate, start, contacts.inverse)
    candidates, squared, radius = (
        active_candidates(lists), workspace.squared, bodies.geometry.core_radius,
    )  # fmt: skip
    pairs, first, listed = candidates.pairs, candidates.start, candidates.rows
    iterate, state = workspace.iterate, workspace.islands.state
    x, slot = iterate.x, bodies.slot
    features = features_at(bodies, lists, workspace, iterate.R)
    laws, law_of, kind_of = friction.laws.laws, friction.laws.law_of, friction.laws.kind
    presliding, of = friction.presliding, contacts.multipliers
    reach, capacity, n = barrier.dmin + barrier.dhat, contacts.mu.shape[0], 0
    for p in range(candidates.n_pairs):
        a, b = pairs[p, 0], pairs[p, 1]
        if (slot[a] < 0 or state[a] == SETTLED) and (slot[b] < 0 or state[b] == SETTLED):
            continue
        if passes(lists.barriers, p, barrier.dhat):
            continue
        of_pair = pair_barrier(barrier, lists.barriers, p)
        D = sub(load3(x, b), load3(x, a))
        near = of_pair.dmin + of_pair.dhat
        near = min(known, near + relative_path(D, twist, a, b, radius[a], radius[b]))
        mu, field = 0.0, -1
        if laws.shape[0] > 0:
            law = law_of[kind_of[a], kind_of[b]]
            curve = (laws[law, 0], laws[law, 1], laws[law, 2], laws[law, 3])
            if curve[0] > 0.0:
                field = find_pair(presliding.pairs, presliding.n_pairs[0], a, b)
                slow = sub(load3(x, a), load3(start.x, a))
                slow = sub(slow, sub(load3(x, b), load3(start.x, b)))
                mu = coefficient(curve, norm(slow) / h)
        for c in range(first[p], first[p + 1]):
            if not squared[c] < near * near or n >= capacity:
                continue
            if squared[c] > reach * reach:  # a bound only
                if not candidate_distance(listed, c, D, features) < near * near:
                    continue
            kind, i, j = listed[c, KIND], listed[c, FEATURE_I], listed[c, FEATURE_J]
            swap = listed[c, SWAP]
            _, _, apart = surface_points(kind, i, j, D if swap == 0 else neg(D), features)
            if not norm(apart) < of_pair.dmin + SLANTED * of_pair.dhat:
                if _is_clamped(kind, i, j, apart, features):
                    continue
            contacts.bodies[n, 0], contacts.bodies[n, 1] = a, b
            contacts.features[n, 0], contacts.features[n, 1] = listed[c, KIND], listed[c, FEATURE_I]
            contacts.features[n, 2], contacts.features[n, 3] = listed[c, FEATURE_J], listed[c, SWAP]
            contacts.mu[n], contacts.field[n] = mu, field
            contacts.barrier[n, 0], of.stiffness_of_pair[n] = of_pair.dhat, of_pair.stiffness
            n += 1
    contacts.count[0] = n
    return n


@jit_in_place
def linearise(bodies, lists, workspace, friction, start, barrier, forces_known):
    """Linearise inertia and the contacts at the iterate, whose vertex offsets must be known.

    With `forces_known` forces are those found so far, else those of the barriers.
    """
    contacts, poses = workspace.linear_contacts, workspace.iterate
    of = contacts.multipliers
    set_free_twists(bodies, workspace, poses, start, contacts.inverse)
    _keep_inertia(bodies, workspace)
    features = features_at(bodies, lists, workspace, poses.R)
    presliding, eps, x = friction.presliding, friction.settings.eps[0], poses.x
    for n in range(contacts.count[0]):
        a, b = contacts.bodies[n, 0], contacts.bodies[n, 1]
        kind, i = np.int64(contacts.features[n, 0]), np.int64(contacts.features[n, 1])
        j, swap = np.int64(contacts.features[n, 2]), contacts.features[n, 3]
        D = sub(load3(x, b), load3(x, a))
        toward = D if swap == 0 else neg(D)
        place_candidate(kind, i, j, features)
        on_i, on_j, apart = surface_points(kind, i, j, toward, features)
        distance = norm(apart)
        if not distance > barrier.dmin:
            continue
        normal = scale(1.0 / distance, apart)
        r_a, r_b = on_i, sub(on_j, toward)
        if swap == 1:
            r_a, r_b, normal = r_b, r_a, neg(normal)
        f = from_axes(contacts, n)
        t1 = any_tangent(normal)
        t2 = cross(normal, t1)
        for k in range(3):
            contacts.axes[n, k] = normal[k]
            contacts.axes[n, 3 + k], contacts.axes[n, 6 + k] = t1[k], t2[k]
        response = _set_row(contacts, n, NORMAL, a, b, r_a, r_b, normal)
        along = _set_row(contacts, n, FIRST, a, b, r_a, r_b, t1)
        across = _set_row(contacts, n, SECOND, a, b, r_a, r_b, t2)
        contacts.response[n, 0], contacts.response[n, 1] = response, along + across
        contacts.distance[n] = distance
        stiffness = of.stiffness_of_pair[n] * mollified(kind, i, j, features)
        contacts.barrier[n, 1] = stiffness
        contacts.slip[n, 0] = contacts.slip[n, 1] = 0.0
        e = ZERO
        if contacts.mu[n] > 0.0:
            if contacts.field[n] >= 0:
                e = field_at(presliding.fields, contacts.field[n], r_a)
            s = tangential(normal, add(e, _displaced(poses, start, a, b, r_a, r_b)))
            contacts.slip[n, 0], contacts.slip[n, 1] = dot(t1, s), dot(t2, s)
        if forces_known:
            contacts.force[n, NORMAL] = max(dot(normal, f), 0.0)
            contacts.force[n, FIRST], contacts.force[n, SECOND] = dot(t1, f), dot(t2, f)
        else:
            derivative = log_barrier(distance * distance, barrier.dmin, contacts.barrier[n, 0])[1]
            force = -2.0 * stiffness * derivative * distance
            e = tangential(normal, e)
            w = scale(smoothed_derivatives(norm(e), eps)[0], e)
            contacts.force[n, NORMAL] = force
            contacts.force[n, FIRST] = -contacts.mu[n] * force * dot(t1, w)
            contacts.force[n, SECOND] = -contacts.mu[n] * force * dot(t2, w)


@jit_in_place
def set_places(contacts, twist):
    """Gaps and slips of the twists, of first order."""
    of = contacts.multipliers
    set_rates(contacts, twist, of.place)
    for r in range(contacts.count[0]):
        of.place[r, NORMAL] += contacts.distance[r]
        of.place[r, FIRST] += contacts.slip[r, 0]
        of.place[r, SECOND] += contacts.slip[r, 1]


@jit_in_place
def _displaced(iterate, start, a, b, r_a, r_b):
    """[m] the displacement of the point of a against that of b since the start of the step."""
    x, R, x_0, R_0 = iterate.x, iterate.R, start.x, start.R
    was_a = matvec(load33(R_0, a), mat_t_vec(load33(R, a), r_a))
    was_b = matvec(load33(R_0, b), mat_t_vec(load33(R, b), r_b))
    dp_a = add(sub(load3(x, a), load3(x_0, a)), sub(r_a, was_a))
    dp_b = add(sub(load3(x, b), load3(x_0, b)), sub(r_b, was_b))
    return sub(dp_a, dp_b)
