r"""Contacts of a pose, linearised in the twists of the bodies, with the inertia of the step.

The incremental potential of the step, of second order in its inertia terms and with gaps and slips
of first order in the twists u from the present pose,
    1/2 (u - u_free) . W^-1 (u - u_free) + sum of barriers of d + J_n u,  friction of s + J_t u,
has all contacts ahead in it, not only those whose barriers act already. Which those are, the lists
say: what is within reach of the way that bodies would take without contact. It is the problem of an
impulse method with speculative contacts (`contact.impulse`), whose normals are those of the present
pose; only barriers stand in for gaps >= 0, so that its solution is near the minimiser.
"""

from dovetail.contact.ipc.barrier.contacts import mollified
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
from dovetail.contact.ipc.feature_pair import features_at, surface_points
from dovetail.contact.ipc.first_iterate.bent_gaps import set_bend
from dovetail.contact.ipc.first_iterate.passing import passes
from dovetail.contact.ipc.first_iterate.records import BASE, FIRST, NORMAL, RIGID, SECOND, WIDTH
from dovetail.contact.ipc.friction.potential import (
    any_tangent,
    coefficient,
)
from dovetail.contact.ipc.friction.presliding_field import field_at
from dovetail.contact.ipc.islands.state import SETTLED
from dovetail.contact.ipc.newton.inertia_terms import set_inertia_terms
from dovetail.linalg.vec3 import (
    ZERO,
    add,
    cross,
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

WIDE = 5.0  # dhat: a gap that is not looked at
AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@jit_in_place
def set_free_twists(bodies, workspace, start, inverse):
    """The twists u_free of all bodies without contact into workspace.twist, and W."""
    system, iterate, state = workspace.system, workspace.iterate, workspace.islands.state
    twist, free, slot = workspace.twist, bodies.free, bodies.slot
    gradient, diagonal = system.gradient, system.diagonal
    set_inertia_terms(
        bodies.mass, bodies.J, workspace.two_step.weight, slot, iterate, workspace.predicted,
        start.R, workspace.impulse, workspace.loads.pull, gradient, diagonal, True,
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
def set_row(J, r, which, r_a, r_b, n):
    """Row `which` of J of contact r along n, at r_a and r_b from the centres of its bodies."""
    at, arm_a, arm_b = which * WIDTH, cross(r_a, n), cross(r_b, n)
    for k in range(3):
        J[r, at + k], J[r, at + 3 + k] = n[k], arm_a[k]
        J[r, at + 6 + k], J[r, at + 9 + k] = -n[k], -arm_b[k]


@jit_in_place
def _set_row(contacts, r, which, a, b, r_a, r_b, n):
    """Row `which` of J along n; returns J W J^T."""
    inverse = contacts.inverse
    arm_a, arm_b = cross(r_a, n), cross(r_b, n)
    set_row(contacts.J, r, which, r_a, r_b, n)
    total = 0.0
    for k in range(3):
        total += (inverse[a, k] + inverse[b, k]) * n[k] * n[k]
        for m in range(3):
            total += arm_a[k] * inverse[a, 3 + 3 * k + m] * arm_a[m]
            total += arm_b[k] * inverse[b, 3 + 3 * k + m] * arm_b[m]
    return total


@jit_in_place
def along(contacts, r, which, twist):
    """[m] J u of one row."""
    J, at, total = contacts.J, which * WIDTH, 0.0
    a, b = contacts.bodies[r, 0], contacts.bodies[r, 1]
    for k in range(6):
        total += J[r, at + k] * twist[a, k] + J[r, at + 6 + k] * twist[b, k]
    return total


@jit_in_place
def linearise(bodies, lists, workspace, friction, start, barrier, h, known, along_way):
    """Set the contacts, and the twists of all bodies without them; the number of contacts.

    Needs the distances of the iterate within `known` [m]; what is farther away is not looked at,
    for which candidates are listed there depends on when lists were made. Nor are contacts that
    have wide gaps both at the pose and, without contacts, at the end of the step, nor those beyond
    the memory there is. With `along_way` those are found too that are near along contacts.way.
    """
    contacts, twist = workspace.linear_contacts, workspace.twist
    way = contacts.way
    set_free_twists(bodies, workspace, start, contacts.inverse)
    candidates, squared, radius = (
        active_candidates(lists), workspace.squared, bodies.geometry.core_radius,
    )  # fmt: skip
    pairs, first, listed = candidates.pairs, candidates.start, candidates.rows
    iterate, state = workspace.iterate, workspace.islands.state
    x, R, slot = iterate.x, iterate.R, bodies.slot
    features, inner = features_at(bodies, lists, workspace, R), bodies.geometry.patches.inner
    laws, law_of, kind_of = friction.laws.laws, friction.laws.law_of, friction.laws.kind
    presliding = friction.presliding
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
        path = relative_path(D, twist, a, b, radius[a], radius[b])
        if along_way:
            path = max(path, relative_path(D, way, a, b, radius[a], radius[b]))
        near = min(known, near + path)
        mu = 0.0
        field = -1
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
            swap = listed[c, SWAP]
            toward = D if swap == 0 else neg(D)
            kind, i, j = listed[c, KIND], listed[c, FEATURE_I], listed[c, FEATURE_J]
            if squared[c] > reach * reach:  # a bound only
                if not candidate_distance(listed, c, D, features) < near * near:
                    continue
            on_i, on_j, apart = surface_points(kind, i, j, toward, features)
            distance = norm(apart)
            if not distance > of_pair.dmin:
                continue
            normal = scale(1.0 / distance, apart)
            r_a, r_b = on_i, sub(on_j, toward)
            if swap == 1:
                r_a, r_b, normal = r_b, r_a, neg(normal)
            response = _set_row(contacts, n, NORMAL, a, b, r_a, r_b, normal)
            set_row(contacts.J, n, BASE, r_a, r_b, normal)
            wide = of_pair.dmin + WIDE * of_pair.dhat
            contacts.bodies[n, 0], contacts.bodies[n, 1] = a, b
            if not response > 0.0 or (
                distance > wide
                and distance + along(contacts, n, NORMAL, twist) > wide
                and not (along_way and distance + along(contacts, n, NORMAL, way) <= wide)
            ):
                continue
            contacts.pair[n] = p
            features_of = contacts.features
            features_of[n, 0], features_of[n, 1], features_of[n, 2] = kind, i, j
            contacts.response[n], contacts.distance[n], contacts.mu[n] = response, distance, mu
            stiffness = of_pair.stiffness * mollified(kind, i, j, features)
            contacts.barrier[n, 0], contacts.barrier[n, 1] = of_pair.dhat, stiffness
            set_bend(
                contacts.bent, n, kind, swap, i, j, toward, features, inner, r_a, r_b, normal,
                load33(R, a), load33(R, b),
            )  # fmt: skip
            contacts.bent.reach[n] = min(norm(r_a), radius[a]) + min(norm(r_b), radius[b])
            if mu > 0.0:
                t1 = any_tangent(normal)
                t2 = cross(normal, t1)
                _set_row(contacts, n, FIRST, a, b, r_a, r_b, t1)
                _set_row(contacts, n, SECOND, a, b, r_a, r_b, t2)
                e = field_at(presliding.fields, field, r_a) if field >= 0 else ZERO
                if contacts.bent.turns[n] == RIGID:
                    e = add(e, displaced(iterate, start, a, b, r_a, r_b))
                slip = contacts.slip
                slip[n, 0], slip[n, 1], slip[n, 2] = e[0], e[1], e[2]
            n += 1
    contacts.count[0] = n
    return n


@jit_in_place
def displaced(poses, start, a, b, r_a, r_b):
    """[m] the displacement of the point of a against that of b since the start of the step."""
    x, R, x_0, R_0 = poses.x, poses.R, start.x, start.R
    was_a = matvec(load33(R_0, a), mat_t_vec(load33(R, a), r_a))
    was_b = matvec(load33(R_0, b), mat_t_vec(load33(R, b), r_b))
    dp_a = add(sub(load3(x, a), load3(x_0, a)), sub(r_a, was_a))
    dp_b = add(sub(load3(x, b), load3(x_0, b)), sub(r_b, was_b))
    return sub(dp_a, dp_b)


@jit_in_place
def keep_way(contacts, twist, part):
    """The `part` of the twists becomes contacts.way."""
    for i in range(twist.shape[0]):
        for k in range(6):
            contacts.way[i, k] = part * twist[i, k]


@jit_in_place
def take_way(contacts, twist):
    """The twists are those of contacts.way again."""
    for i in range(twist.shape[0]):
        for k in range(6):
            twist[i, k] = contacts.way[i, k]
