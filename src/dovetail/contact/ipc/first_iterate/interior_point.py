r"""Forces of the linearised contacts by a primal-dual interior-point method.

Contact i has the gap s = d + J u + c (`bent_gaps`) and the force f >= 0. Its barrier has the force
f at the gap D(f); so s - D(f) = z >= 0 and z f = 0 with balance of inertia and J^T f are the
minimiser of `first_iterate.linearise`. On the way there z f = m, which falls to nothing: each
iteration solves
    (H + J^T [f/(z + f C)] J) du = right sides,   C = -dD/df,   H = inertia - sum of f d2s,
twice with one factor (Mehrotra, SIAM J. Optim. 2 (1992) 575), and goes so far that all z and f stay
positive. Forces of contacts to come are found together with those of contacts that act, so nothing
is discovered one after another, and the number of iterations hardly depends on that of contacts.
Inertia, J and slips are those at the poses come to (`placed_rows`): what is linearised again there
is little. Where H is not positive with the contacts there are, its curvature is left out and J
stays as it is, so that the rest is convex. So it is without friction: moves need not be small then.

Friction t of a contact that slips by v holds  w t + mu f v = 0  with the present normal force and
the w of `friction.potential`, |v| where it slips by more than beta and beta/2 where not at all. As
in Chan, Golub and Mulet, SIAM J. Sci. Comput. 20 (1999) 1964, t is an unknown of its own and the
product is linearised, made symmetric; beta falls with m. That friction grows with f is not in the
matrix: the second solve has the f that the first leads to, and a third that of the second.
"""

import math

from dovetail.collision.distance.derivatives import add_outer
from dovetail.contact.ipc.barrier.function import log_barrier
from dovetail.contact.ipc.candidates.records import active_candidates
from dovetail.contact.ipc.first_iterate.linearise import along
from dovetail.contact.ipc.first_iterate.placed_rows import NEAR, begin_poses, go_on, place
from dovetail.contact.ipc.first_iterate.records import BASE, FIRST, NORMAL, SECOND, WIDTH
from dovetail.contact.ipc.friction.potential import smoothed_derivatives
from dovetail.contact.ipc.islands.state import SETTLED
from dovetail.contact.ipc.newton.inertia_terms import set_inertia_terms
from dovetail.contact.ipc.newton.system import add_contact_blocks, fix_unknowns
from dovetail.linalg.block_cholesky.factor import factorise, prepare, solve
from dovetail.runtime.jit import jit_in_place

MAX_ITERATIONS = 20
ENOUGH = 0.01  # of the twists: the last change of them
NOT_SOLVED = -1  # no factor
LEAST_PIVOT = 1e-13  # of its diagonal entry
BEGIN = 0.3  # of the deepest overlap without contacts: the first slack
LEAST_BEGIN = 0.1  # of dhat, or of the accuracy where forces are known
SOFT = 1e-4  # of inertia: a contact less stiff than this moves nothing
WEAK = 1e-3  # of dhat: the displacement by a force of which no more is asked
COUPLED = 2  # solves for normal forces and friction with one factor
LEFT = 0.1  # of a normal force: the least that friction goes by
LEAST_GAP = 1e-3  # of dhat: curvature of contacts that overlap
FRACTION, FIRST_FRACTION, SHORTER = 0.99, 0.95, 3  # of the way to the bounds; in so many iterations
SHARPER = 0.2  # times the smoothing of friction in an iteration that goes FAR
FAR = 0.3
GAP_ACCURACY = 1e-9  # of dhat, of a gap with a given force
FORCE_ACCURACY = 1e-6  # of the force
MAX_STEPS = 40  # to find it
SMALL = 3e-5  # of dhat: what is missing to it


@jit_in_place
def largest(twists):
    """[m] the largest component of displacements."""
    size = 0.0
    for i in range(twists.shape[0]):
        for k in range(3):
            size = max(size, abs(twists[i, k]))
    return size


@jit_in_place
def gap_with_force(force, stiffness, dmin, dhat, guess):
    """(gap D [m] at which a barrier has the force > 0, -dD/df [m/(kg m)])."""
    low, high, slope, d = dmin, dmin + dhat, 0.0, guess
    if not low < d < high:  # near dhat the force is 24 K (1 - d/dhat)^2 / dhat
        d = dmin + dhat * (1.0 - min(math.sqrt(force * dhat / (24.0 * stiffness)), 0.5))
    small = math.sqrt(force * dhat / (24.0 * stiffness))
    if small < SMALL and dmin == 0.0:  # the first term of its series at dhat
        return dhat * (1.0 - small), min(dhat * dhat / (48.0 * stiffness * small), dhat / force)
    for _ in range(MAX_STEPS):
        _, first, second = log_barrier(d * d, dmin, dhat)
        left = -2.0 * stiffness * first * d - force
        slope = stiffness * (2.0 * first + 4.0 * second * d * d)
        if left > 0.0:
            low = d
        else:
            high = d
        if abs(left) <= FORCE_ACCURACY * force:
            break
        new = d + left / slope if slope > 0.0 else low
        if not low < new < high:
            new = 0.5 * (low + high)
        near = abs(new - d) < GAP_ACCURACY * dhat
        d = new
        if near:
            break
    return d, min(1.0 / slope if slope > 0.0 else math.inf, dhat / force)


@jit_in_place
def find_forces(bodies, lists, workspace, start, barrier, beta, accuracy, warm, along_way):
    """Forces of the contacts and workspace.twist (n, 6); returns the iterations or NOT_SOLVED.

    Gaps are known to `accuracy` [m], friction is smoothed by `beta` [m]. It begins with the forces
    of the contacts where it is `warm`, and where contacts.way leads to where it is `along_way`.
    """
    contacts, system, any_friction = workspace.linear_contacts, workspace.system, False
    ours, twist, n = contacts.interior, workspace.twist, contacts.count[0]
    least = _cold_slack(contacts, twist, barrier)
    begin_poses(workspace, along_way)
    off = 0.0
    for r in range(n):
        any_friction = any_friction or contacts.mu[r] > 0.0
        gap = place(
            contacts, r, workspace.trial, start, twist, math.inf, 0.0, workspace.terms.rows, -1,
            True,
        )  # fmt: skip
        if contacts.mu[r] > 0.0:
            for k in range(2):
                ours.start_slip[r, k] = ours.slip[r, k] - along(contacts, r, FIRST + k, twist)
        off = max(off, _begin_contact(contacts, r, gap, barrier, warm))
    if warm:
        least = min(least, max(off, LEAST_BEGIN * accuracy))
    _begin_slacks(contacts, least)
    smoothing = max(least, beta)
    _begin_friction(contacts, smoothing)
    bends = any_friction
    slid, went = math.inf if any_friction else 0.0, math.inf
    for iteration in range(MAX_ITERATIONS):
        product, off = _set_system(bodies, lists, workspace, start, barrier, smoothing, bends)
        if (
            off <= accuracy
            and slid <= accuracy
            and went <= max(accuracy, ENOUGH * largest(twist))
            and (not any_friction or smoothing <= beta)
        ):
            return iteration
        positive = _factorised(bodies, lists, workspace)
        if bends and not positive:
            bends = False
            _set_system(bodies, lists, workspace, start, barrier, smoothing, bends)
            positive = _factorised(bodies, lists, workspace)
        if not positive:
            return NOT_SOLVED
        _solve(bodies, workspace, False, 0.0)
        t, after = _set_direction(contacts, bodies.slot, system.right, 1.0), 0.0
        for r in range(n):
            z, f = ours.slack[r], contacts.force[r, NORMAL]
            after += (z + t * ours.d_slack[r]) * (f + t * ours.d_force[r])
        part = FIRST_FRACTION if iteration < SHORTER else FRACTION
        target, ahead = (after / product) ** 3 * product / n, t
        for r in range(n):
            ours.correction[r] = target - ours.d_slack[r] * ours.d_force[r]
        for _ in range(COUPLED if any_friction else 1):
            _solve(bodies, workspace, True, ahead if any_friction else 0.0)
            t = _set_direction(contacts, bodies.slot, system.right, part)
            ahead = t
        slid = _advance(contacts, bodies, system.right, t, ahead, barrier.dhat)
        went = largest(system.right)
        go_on(bodies.owner, workspace, system.right, t)
        if t > FAR:
            smoothing = max(SHARPER * smoothing, beta)
    return MAX_ITERATIONS


@jit_in_place
def _set_system(bodies, lists, workspace, start, barrier, smoothing, bends):
    """Inertia and contacts at the poses; (sum of z f, accuracy so far [m])."""
    system = workspace.system
    set_inertia_terms(
        bodies.mass, bodies.J, workspace.two_step.weight, bodies.slot, workspace.trial,
        workspace.predicted, start.R, workspace.impulse, workspace.loads.pull, system.gradient,
        system.diagonal, True,
    )  # fmt: skip
    return _set_contacts(lists, workspace, start, barrier, smoothing, bends)


@jit_in_place
def _factorised(bodies, lists, workspace):
    """Whether the system is positive, and its factor fits."""
    system, factor = workspace.system, workspace.factor
    n_linked = add_contact_blocks(active_candidates(lists), workspace.terms, bodies.slot, system)
    fix_unknowns(system, n_linked, bodies.owner, bodies.free, workspace.islands.state)
    if not prepare(factor, bodies.owner.shape[0], system.linked, n_linked):
        return False
    return factorise(factor, system.diagonal, system.off, n_linked, 0.0, LEAST_PIVOT) < 0


@jit_in_place
def _cold_slack(contacts, twist, barrier):
    """[m] the first slack where nothing is known; `twist` is that without contacts."""
    overlap = 0.0
    for r in range(contacts.count[0]):
        there = contacts.distance[r] + along(contacts, r, BASE, twist)
        overlap = max(overlap, barrier.dmin + contacts.barrier[r, 0] - there)
    return max(BEGIN * overlap, LEAST_BEGIN * barrier.dhat)


@jit_in_place
def _begin_contact(contacts, r, gap, barrier, warm):
    """Set the gap of the known force, and its slack at this gap; [m] by how much it is off."""
    ours, f, dhat = contacts.interior, contacts.force[r, NORMAL], contacts.barrier[r, 0]
    response = contacts.response[r]
    ours.gap[r] = barrier.dmin + dhat
    if not (warm and f > 0.0):
        contacts.force[r, NORMAL] = 0.0
        ours.slack[r] = gap - ours.gap[r]
        return max(-ours.slack[r], 0.0)
    ours.gap[r], _ = gap_with_force(f, contacts.barrier[r, 1], barrier.dmin, dhat, gap)
    ours.slack[r] = gap - ours.gap[r]
    return max(-ours.slack[r], min(ours.slack[r], f * response))


@jit_in_place
def _begin_slacks(contacts, least):
    """No slack is less than `least` [m], and no force moves bodies by less than a part of it."""
    ours, force = contacts.interior, contacts.force
    for r in range(contacts.count[0]):
        force[r, NORMAL] = max(force[r, NORMAL], BEGIN * least / contacts.response[r])
        ours.slack[r] = max(ours.slack[r], least)


@jit_in_place
def _spread(y, beta):
    """(1/w [1/m], dw/dy) of a slip of y [m]."""
    per, _ = smoothed_derivatives(y, beta)
    return per, 1.0 if y >= beta else 1.0 / (beta * per) ** 2


@jit_in_place
def _begin_friction(contacts, smoothing):
    """The friction of the present slips."""
    force, slip = contacts.force, contacts.interior.slip
    for r in range(contacts.count[0]):
        per, _ = _spread(math.sqrt(slip[r, 0] ** 2 + slip[r, 1] ** 2), smoothing)
        limit = contacts.mu[r] * force[r, NORMAL]
        force[r, FIRST], force[r, SECOND] = -limit * per * slip[r, 0], -limit * per * slip[r, 1]


@jit_in_place
def _set_contacts(lists, workspace, start, barrier, smoothing, bends):
    """Gaps, slips, and stiffnesses into the rows of pairs; (sum of z f, accuracy so far [m])."""
    contacts, terms, twist = workspace.linear_contacts, workspace.terms, workspace.twist
    ours, force, mu = contacts.interior, contacts.force, contacts.mu
    rows, active, n, dmin = terms.rows, terms.active, contacts.count[0], barrier.dmin
    product, off = 0.0, 0.0
    for p in range(active_candidates(lists).n_pairs):
        active[p] = 0
    for r in range(n):
        p = contacts.pair[r]
        if active[p] == 0:
            active[p] = 1
            for c in range(rows.shape[1]):
                rows[2 * p, c] = rows[2 * p + 1, c] = 0.0
        f, z, response = force[r, NORMAL], ours.slack[r], contacts.response[r]
        gap = place(
            contacts, r, workspace.trial, start, twist, dmin + NEAR * contacts.barrier[r, 0],
            dmin + LEAST_GAP * contacts.barrier[r, 0], rows, 2 * p, bends,
        )  # fmt: skip
        ours.gap[r], compliance = gap_with_force(
            f, contacts.barrier[r, 1], dmin, contacts.barrier[r, 0], ours.gap[r]
        )
        ours.compliance[r], ours.residual[r] = compliance, gap - ours.gap[r] - z
        product += z * f
        off = max(off, min(z, f * response))
        if f * response > WEAK * barrier.dhat or gap < dmin + 0.5 * contacts.barrier[r, 0]:
            off = max(off, abs(ours.residual[r]))
        weight = f / (z + compliance * f)
        ours.acts[r] = 1 if weight * response > SOFT else 0
        if ours.acts[r] != 0:
            _add_weight(contacts, r, NORMAL, 0.0, weight, rows, 2 * p)
            if mu[r] > 0.0:
                _add_friction(contacts, r, smoothing, rows, 2 * p)
    return product, off


@jit_in_place
def _add_weight(contacts, r, which, mixed, weight, rows, k):
    """Add weight y y^T to row k, y the row `which` of J plus `mixed` times the one after it."""
    J, at, on = contacts.J, which * WIDTH, (which + 1) * WIDTH
    if mixed == 0.0:
        on = at
    s = (
        J[r, at] + mixed * J[r, on], J[r, at + 1] + mixed * J[r, on + 1],
        J[r, at + 2] + mixed * J[r, on + 2],
    )  # fmt: skip
    a = (
        J[r, at + 3] + mixed * J[r, on + 3], J[r, at + 4] + mixed * J[r, on + 4],
        J[r, at + 5] + mixed * J[r, on + 5],
    )  # fmt: skip
    b = (
        J[r, at + 9] + mixed * J[r, on + 9], J[r, at + 10] + mixed * J[r, on + 10],
        J[r, at + 11] + mixed * J[r, on + 11],
    )  # fmt: skip
    add_outer(rows, k, weight, s, a, b)


@jit_in_place
def _add_friction(contacts, r, smoothing, rows, k):
    """Slip and stiffness (mu f/w) (1 + w' sym(t v^T)/(mu f |v|)), |t| <= mu f, of contact r."""
    ours, force = contacts.interior, contacts.force
    v1, v2 = ours.slip[r, 0], ours.slip[r, 1]
    limit = contacts.mu[r] * force[r, NORMAL]
    y = math.sqrt(v1 * v1 + v2 * v2)
    per, slope = _spread(y, smoothing)
    ours.tangent[r, 3] = per
    t1, t2 = force[r, FIRST] / limit, force[r, SECOND] / limit
    size = max(math.sqrt(t1 * t1 + t2 * t2), 1.0)
    bend = slope / (size * y) if y > 0.0 else 0.0
    xx = limit * per * (1.0 + bend * t1 * v1)
    yy = limit * per * (1.0 + bend * t2 * v2)
    xy = 0.5 * limit * per * bend * (t1 * v2 + t2 * v1)
    ours.tangent[r, 0], ours.tangent[r, 1], ours.tangent[r, 2] = xx, xy, yy
    _add_weight(contacts, r, FIRST, xy / xx, xx, rows, k)
    _add_weight(contacts, r, SECOND, 0.0, max(yy - xy * xy / xx, 0.0), rows, k)


@jit_in_place
def _push(contacts, r, which, force, slot, right):
    """Add J^T times a force along one direction."""
    J, at = contacts.J, which * WIDTH
    a, b = slot[contacts.bodies[r, 0]], slot[contacts.bodies[r, 1]]
    for k in range(6):
        if a >= 0:
            right[a, k] += J[r, at + k] * force
        if b >= 0:
            right[b, k] += J[r, at + 6 + k] * force


@jit_in_place
def _solve(bodies, workspace, corrected, ahead):
    """The direction towards z f = 0 into system.right, or `corrected` by the one before.

    Friction is that of the normal forces which are `ahead` along that one.
    """
    contacts, system, state = workspace.linear_contacts, workspace.system, workspace.islands.state
    ours, force, right = contacts.interior, contacts.force, system.right
    owner, free, slot = bodies.owner, bodies.free, bodies.slot
    for k in range(owner.shape[0]):
        for c in range(6):
            right[k, c] = -system.gradient[k, c]
    for r in range(contacts.count[0]):
        z, f = ours.slack[r], force[r, NORMAL]
        wanted = ours.correction[r] if corrected else 0.0
        ours.change[r] = (wanted - z * f - f * ours.residual[r]) / (z + ours.compliance[r] * f)
        if ours.acts[r] == 0:
            continue
        _push(contacts, r, NORMAL, f + ours.change[r], slot, right)
        if contacts.mu[r] > 0.0:
            t1, t2 = _slipping(contacts, r, ahead)
            _push(contacts, r, FIRST, t1, slot, right)
            _push(contacts, r, SECOND, t2, slot, right)
    for k in range(owner.shape[0]):
        i = owner[k]
        for c in range(6):
            if free[i, c] == 0 or state[i] == SETTLED:
                right[k, c] = 0.0
    solve(workspace.factor, right)


@jit_in_place
def _slipping(contacts, r, ahead):
    """-mu f v/w, f that is `ahead` along the direction."""
    ours, force = contacts.interior, contacts.force[r, NORMAL]
    limit = contacts.mu[r] * max(force + ahead * ours.d_force[r], LEFT * force)
    per = limit * ours.tangent[r, 3]
    return -per * ours.slip[r, 0], -per * ours.slip[r, 1]


@jit_in_place
def _moved(contacts, r, which, slot, right):
    """[m] J du."""
    J, at, total = contacts.J, which * WIDTH, 0.0
    a, b = slot[contacts.bodies[r, 0]], slot[contacts.bodies[r, 1]]
    for k in range(6):
        if a >= 0:
            total += J[r, at + k] * right[a, k]
        if b >= 0:
            total += J[r, at + 6 + k] * right[b, k]
    return total


@jit_in_place
def _set_direction(contacts, slot, right, part):
    """Directions of slacks and forces; `part` of the way until one of them is 0, at most 1."""
    ours, t = contacts.interior, 1.0
    for r in range(contacts.count[0]):
        z, f, compliance = ours.slack[r], contacts.force[r, NORMAL], ours.compliance[r]
        moved = _moved(contacts, r, NORMAL, slot, right)
        d_force = ours.change[r] - f / (z + compliance * f) * moved
        d_slack = moved + compliance * d_force + ours.residual[r]
        ours.d_slack[r], ours.d_force[r] = d_slack, d_force
        if d_slack < 0.0:
            t = min(t, -part * z / d_slack)
        if d_force < 0.0:
            t = min(t, -part * f / d_force)
    return t


@jit_in_place
def _advance(contacts, bodies, right, t, ahead, dhat):
    """Go the part t of the direction; by how much [m] contacts that bear a force slipped in it."""
    ours, force, slid = contacts.interior, contacts.force, 0.0
    for r in range(contacts.count[0]):
        if contacts.mu[r] > 0.0 and ours.acts[r] != 0:
            t1, t2 = _slipping(contacts, r, ahead)
            d1 = _moved(contacts, r, FIRST, bodies.slot, right)
            d2 = _moved(contacts, r, SECOND, bodies.slot, right)
            if force[r, NORMAL] * contacts.response[r] > WEAK * dhat:
                slid = max(slid, max(abs(d1), abs(d2)))
            xx, xy, yy = ours.tangent[r, 0], ours.tangent[r, 1], ours.tangent[r, 2]
            force[r, FIRST] += t * (t1 - xx * d1 - xy * d2 - force[r, FIRST])
            force[r, SECOND] += t * (t2 - xy * d1 - yy * d2 - force[r, SECOND])
        ours.slack[r] += t * ours.d_slack[r]
        force[r, NORMAL] += t * ours.d_force[r]
    return slid
