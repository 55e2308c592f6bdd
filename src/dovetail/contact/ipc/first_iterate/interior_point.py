r"""Forces of the linearised contacts by a primal-dual interior-point method.

Contact i has the gap s = d + J u + c (`bent_gaps`) and the force f >= 0. Its barrier has the force
f at the gap D(f); so s - D(f) = z >= 0 and z f = 0 with the inertia W^-1 (u - u_free) = J^T f are
the minimiser of `first_iterate.linearise`. On the way there z f = m, which falls to nothing: each
iteration solves
    (W^-1 + J^T [f/(z + f C)] J) du = right sides,   C = -dD/df,
twice with one factor (Mehrotra, SIAM J. Optim. 2 (1992) 575), and goes so far that all z and f stay
positive. Forces of contacts to come are found together with those of contacts that act, so nothing
is discovered one after another, and the number of iterations hardly depends on that of contacts.

Friction t of a contact that slips by v holds  w t + mu f v = 0  with the present normal force and
the w of `friction.potential`, |v| where it slips by more than beta and beta/2 where not at all. As
in Chan, Golub and Mulet, SIAM J. Sci. Comput. 20 (1999) 1964, t is an unknown of its own and the
product is linearised, made symmetric; beta falls with m.
"""

import math

from dovetail.collision.distance.derivatives import add_outer
from dovetail.contact.ipc.barrier.function import log_barrier
from dovetail.contact.ipc.candidates.records import active_candidates
from dovetail.contact.ipc.first_iterate.bent_gaps import bent_gap, set_rotations
from dovetail.contact.ipc.first_iterate.linearise import along
from dovetail.contact.ipc.first_iterate.records import FIRST, NORMAL, SECOND, WIDTH
from dovetail.contact.ipc.friction.potential import smoothed_derivatives
from dovetail.contact.ipc.islands.state import SETTLED
from dovetail.contact.ipc.newton.inertia_terms import set_inertia_terms
from dovetail.contact.ipc.newton.system import add_contact_blocks, fix_unknowns
from dovetail.linalg.block_cholesky.factor import factorise, prepare, solve
from dovetail.runtime.jit import jit_in_place

MAX_ITERATIONS = 20
NOT_SOLVED = -1  # no factor
LEAST_PIVOT = 1e-13  # of its diagonal entry
BEGIN = 0.3  # of the deepest overlap without contacts: the first slack
NEARLY = 0.1  # of the move before: the first slack where forces are known
LEAST_BEGIN = 0.1  # of dhat, or of the accuracy where forces are known
SOFT = 1e-4  # of inertia: a contact less stiff than this moves nothing
WEAK = 1e-3  # of dhat: the displacement by a force of which no more is asked
FRACTION, FIRST_FRACTION, SHORTER = 0.99, 0.95, 3  # of the way to the bounds; in so many iterations
SHARPER = 0.2  # times the smoothing of friction in an iteration that goes FAR
FAR = 0.3
GAP_ACCURACY = 1e-9  # of dhat, of a gap with a given force
FORCE_ACCURACY = 1e-6  # of the force
MAX_STEPS = 40  # to find it


@jit_in_place
def gap_with_force(force, stiffness, dmin, dhat, guess):
    """(gap D [m] at which a barrier has the force > 0, -dD/df [m/(kg m)])."""
    low, high, slope, d = dmin, dmin + dhat, 0.0, guess
    if not low < d < high:  # near dhat the force is 24 K (1 - d/dhat)^2 / dhat
        d = dmin + dhat * (1.0 - min(math.sqrt(force * dhat / (24.0 * stiffness)), 0.5))
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
def find_forces(bodies, lists, workspace, start, barrier, beta, accuracy, before):
    """Forces of the contacts and workspace.twist (n, 6); returns the iterations or NOT_SOLVED.

    Gaps are known to `accuracy` [m], friction is smoothed by `beta` [m]. Where forces are known
    from the move `before` [m] it begins with them; that is inf where they are not.
    """
    contacts, system, factor = workspace.linear_contacts, workspace.system, workspace.factor
    ours, twist, n = contacts.interior, workspace.twist, contacts.count[0]
    m, any_friction = bodies.owner.shape[0], False
    smoothing = max(_begin(contacts, twist, barrier, accuracy, before), beta)
    for r in range(n):
        any_friction = any_friction or contacts.mu[r] > 0.0
    _begin_friction(contacts, smoothing)
    set_inertia_terms(
        bodies.mass, bodies.J, workspace.two_step.weight, bodies.slot, workspace.iterate,
        workspace.predicted, start.R, workspace.impulse, workspace.loads.pull, ours.gradient,
        ours.hessian, True,
    )  # fmt: skip
    slid = math.inf if any_friction else 0.0
    for iteration in range(MAX_ITERATIONS):
        _set_inertia(bodies.owner, ours, twist, system)
        product, off = _set_contacts(lists, workspace, barrier, smoothing)
        if off <= accuracy and slid <= accuracy and (not any_friction or smoothing <= beta):
            return iteration
        n_linked = add_contact_blocks(
            active_candidates(lists), workspace.terms, bodies.slot, system
        )
        fix_unknowns(system, n_linked, bodies.owner, bodies.free, workspace.islands.state)
        if not prepare(factor, m, system.linked, n_linked):
            return NOT_SOLVED
        if not factorise(factor, system.diagonal, system.off, n_linked, 0.0, LEAST_PIVOT) < 0:
            return NOT_SOLVED
        _solve(bodies, workspace, 0.0, False, smoothing)
        t, after = _set_direction(contacts, bodies.slot, system.right, 1.0), 0.0
        for r in range(n):
            z, f = ours.slack[r], contacts.force[r, NORMAL]
            after += (z + t * ours.d_slack[r]) * (f + t * ours.d_force[r])
        _solve(bodies, workspace, (after / product) ** 3 * product / n, True, smoothing)
        part = FIRST_FRACTION if iteration < SHORTER else FRACTION
        t = _set_direction(contacts, bodies.slot, system.right, part)
        slid = _advance(contacts, bodies, system.right, twist, t, smoothing, barrier.dhat)
        if t > FAR:
            smoothing = max(SHARPER * smoothing, beta)
    return MAX_ITERATIONS


@jit_in_place
def _begin(contacts, twist, barrier, accuracy, before):
    """First slacks and forces; twist, which is without contacts, becomes 0. The least slack [m]."""
    ours, force, n, overlap = contacts.interior, contacts.force, contacts.count[0], 0.0
    warm = before < math.inf
    for r in range(n):
        there = contacts.distance[r] + along(contacts, r, NORMAL, twist)
        overlap = max(overlap, barrier.dmin + contacts.barrier[r, 0] - there)
    least = max(BEGIN * overlap, LEAST_BEGIN * barrier.dhat)
    if warm:
        least = min(least, max(NEARLY * before, LEAST_BEGIN * accuracy))
    for r in range(n):
        f, dhat = BEGIN * least / contacts.response[r], contacts.barrier[r, 0]
        ours.gap[r] = barrier.dmin + dhat
        if warm:
            f = max(f, force[r, NORMAL])
            ours.gap[r], _ = gap_with_force(
                f, contacts.barrier[r, 1], barrier.dmin, dhat, ours.gap[r]
            )
        force[r, NORMAL] = f
        ours.slack[r] = max(contacts.distance[r] - ours.gap[r], least)
    for i in range(twist.shape[0]):
        for k in range(6):
            twist[i, k] = 0.0
    return least


@jit_in_place
def _spread(y, beta):
    """(1/w [1/m], dw/dy) of a slip of y [m]."""
    per, _ = smoothed_derivatives(y, beta)
    return per, 1.0 if y >= beta else 1.0 / (beta * per) ** 2


@jit_in_place
def _begin_friction(contacts, smoothing):
    """The friction of the present slips."""
    force, slip = contacts.force, contacts.slip
    for r in range(contacts.count[0]):
        per, _ = _spread(math.hypot(slip[r, 0], slip[r, 1]), smoothing)
        limit = contacts.mu[r] * force[r, NORMAL]
        force[r, FIRST], force[r, SECOND] = -limit * per * slip[r, 0], -limit * per * slip[r, 1]


@jit_in_place
def _set_inertia(owner, ours, twist, system):
    """Blocks of inertia, and its gradient at the twists."""
    gradient, diagonal = system.gradient, system.diagonal
    for k in range(owner.shape[0]):
        i = owner[k]
        for c in range(6):
            total = ours.gradient[k, c]
            for e in range(6):
                diagonal[k, c, e] = ours.hessian[k, c, e]
                total += ours.hessian[k, c, e] * twist[i, e]
            gradient[k, c] = total


@jit_in_place
def _set_contacts(lists, workspace, barrier, smoothing):
    """Gaps, slips, and stiffnesses into the rows of pairs; (sum of z f, accuracy so far [m])."""
    contacts, terms, twist = workspace.linear_contacts, workspace.terms, workspace.twist
    ours, bent, force, mu = contacts.interior, contacts.bent, contacts.force, contacts.mu
    rows, active, n, dmin = terms.rows, terms.active, contacts.count[0], barrier.dmin
    product, off = 0.0, 0.0
    for p in range(active_candidates(lists).n_pairs):
        active[p] = 0
    set_rotations(bent, twist)
    for r in range(n):
        p = contacts.pair[r]
        if active[p] == 0:
            active[p] = 1
            for c in range(rows.shape[1]):
                rows[2 * p, c] = rows[2 * p + 1, c] = 0.0
        f, z, response = force[r, NORMAL], ours.slack[r], contacts.response[r]
        gap = contacts.distance[r] + along(contacts, r, NORMAL, twist)
        if gap - bent.most[r] < dmin + 2.0 * contacts.barrier[r, 0]:
            a, b = contacts.bodies[r, 0], contacts.bodies[r, 1]
            there = bent_gap(bent, r, a, b, contacts.distance[r], twist)
            gap = max(min(there, gap), gap - bent.most[r])
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
                _add_friction(contacts, r, twist, smoothing, rows, 2 * p)
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
def _add_friction(contacts, r, twist, smoothing, rows, k):
    """Slip and stiffness (mu f/w) (1 + w' sym(t v^T)/(mu f |v|)), |t| <= mu f, of contact r."""
    ours, force = contacts.interior, contacts.force
    v1 = contacts.slip[r, 0] + along(contacts, r, FIRST, twist)
    v2 = contacts.slip[r, 1] + along(contacts, r, SECOND, twist)
    ours.slip[r, 0], ours.slip[r, 1] = v1, v2
    limit = contacts.mu[r] * force[r, NORMAL]
    y = math.hypot(v1, v2)
    per, slope = _spread(y, smoothing)
    t1, t2 = force[r, FIRST] / limit, force[r, SECOND] / limit
    size = max(math.hypot(t1, t2), 1.0)
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
def _solve(bodies, workspace, target, corrected, smoothing):
    """The direction towards z f = target into system.right, `corrected` by the one before."""
    contacts, system, state = workspace.linear_contacts, workspace.system, workspace.islands.state
    ours, force, right = contacts.interior, contacts.force, system.right
    owner, free, slot = bodies.owner, bodies.free, bodies.slot
    for k in range(owner.shape[0]):
        for c in range(6):
            right[k, c] = -system.gradient[k, c]
    for r in range(contacts.count[0]):
        z, f = ours.slack[r], force[r, NORMAL]
        wanted = target - ours.d_slack[r] * ours.d_force[r] if corrected else 0.0
        ours.change[r] = (wanted - z * f - f * ours.residual[r]) / (z + ours.compliance[r] * f)
        if ours.acts[r] == 0:
            continue
        _push(contacts, r, NORMAL, f + ours.change[r], slot, right)
        if contacts.mu[r] > 0.0:
            t1, t2 = _slipping(contacts, r, smoothing)
            _push(contacts, r, FIRST, t1, slot, right)
            _push(contacts, r, SECOND, t2, slot, right)
    for k in range(owner.shape[0]):
        i = owner[k]
        for c in range(6):
            if free[i, c] == 0 or state[i] == SETTLED:
                right[k, c] = 0.0
    solve(workspace.factor, right)


@jit_in_place
def _slipping(contacts, r, smoothing):
    """-mu f v/w."""
    slip, limit = contacts.interior.slip, contacts.mu[r] * contacts.force[r, NORMAL]
    v1, v2 = slip[r, 0], slip[r, 1]
    per, _ = _spread(math.hypot(v1, v2), smoothing)
    return -limit * per * v1, -limit * per * v2


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
def _advance(contacts, bodies, right, twist, t, smoothing, dhat):
    """Go the part t of the direction; by how much [m] contacts that bear a force slipped in it."""
    ours, force, slid = contacts.interior, contacts.force, 0.0
    for r in range(contacts.count[0]):
        if contacts.mu[r] > 0.0 and ours.acts[r] != 0:
            t1, t2 = _slipping(contacts, r, smoothing)
            d1 = _moved(contacts, r, FIRST, bodies.slot, right)
            d2 = _moved(contacts, r, SECOND, bodies.slot, right)
            if force[r, NORMAL] * contacts.response[r] > WEAK * dhat:
                slid = max(slid, max(abs(d1), abs(d2)))
            xx, xy, yy = ours.tangent[r, 0], ours.tangent[r, 1], ours.tangent[r, 2]
            force[r, FIRST] += t * (t1 - xx * d1 - xy * d2 - force[r, FIRST])
            force[r, SECOND] += t * (t2 - xy * d1 - yy * d2 - force[r, SECOND])
        ours.slack[r] += t * ours.d_slack[r]
        force[r, NORMAL] += t * ours.d_force[r]
    for k in range(bodies.owner.shape[0]):
        i = bodies.owner[k]
        for c in range(6):
            twist[i, c] += t * right[k, c]
    return slid
