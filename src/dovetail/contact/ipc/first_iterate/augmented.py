r"""Forces of the linearised contacts (`first_iterate.linearise`) by an augmented Lagrangian.

    min over u of  1/2 (u - u_free) . W^-1 (u - u_free) + sum of envelopes of barriers and friction
by Newton's method on the twists u, with all contacts at once, the envelopes those of
`first_iterate.proximal`. Then the forces take the place of those before, and the penalties grow:
the fixed point is the minimiser of the barriers themselves, while no Newton step meets a stiffness
above the penalty. The limit of friction is mu times the normal force of the last such update: both
converge together, without a solve of the contacts' geometry in between.

Penalties are multiples of the inertia that a contact meets. Ten of it make the first minimisations
short (7 Newton steps instead of 20 with a hundred, heaps of 100 bodies), growth the last ones.
"""

import math
from typing import NamedTuple

from dovetail.contact.ipc.first_iterate.linearise import linearise, set_places
from dovetail.contact.ipc.first_iterate.proximal import proximal_gap, proximal_slip
from dovetail.contact.ipc.first_iterate.records import (
    ACROSS_SLIP,
    ALONG_NORMAL,
    ALONG_SLIP,
    COSINE,
    FIRST,
    NORMAL,
    SECOND,
    SINE,
)
from dovetail.contact.ipc.first_iterate.system import set_gradient, set_hessian, set_rates
from dovetail.contact.ipc.newton.rotation_trust_region import LARGEST_ANGLE
from dovetail.contact.ipc.poses import copy_poses, limit_rotation, move
from dovetail.linalg.block_cholesky.factor import factorise, prepare, solve
from dovetail.runtime.jit import jit_in_place

FIRST_PENALTY, WARM_PENALTY, GROWTH, LAST_PENALTY = 10.0, 80.0, 2.0, 1000.0  # of 1 / (J W J^T)
MAX_UPDATES = 24  # of the forces
MAX_STEPS = 10  # of Newton's method between two updates
INEXACT = 0.15  # of dhat: the change of gaps by a Newton step that ends them
ACCURACY = 5e-4  # of dhat: how well gaps and slips fit their forces at the end
LIMIT_ACCURACY = 3e-4  # of all limits of friction: their change at the end
MAX_SEARCH = 12  # trials of a line search
FULL = 0.5  # of a direction: less means that it is not yet the last one
LEVEL = 0.9  # of the slope at its start: the slope that ends it


FACTOR_FULL, NOT_POSITIVE = -1, -2  # why a minimisation ended


class AugmentedOutcome(NamedTuple):
    """How the forces were found."""

    fits: bool  # the memory of the factor
    converged: bool
    steps: int  # of Newton's method
    updates: int  # of the forces


@jit_in_place
def solve_contacts(bodies, lists, workspace, friction, start, barrier, forces_known):
    """Forces of the contacts collected at the iterate, and in workspace.trial the poses of them."""
    contacts, twist, slot = workspace.linear_contacts, workspace.twist, bodies.slot
    eps, steps = friction.settings.eps[0], 0
    penalty = WARM_PENALTY if forces_known else FIRST_PENALTY
    linearise(bodies, lists, workspace, friction, start, barrier, forces_known)
    if forces_known:
        for i in range(slot.shape[0]):
            for k in range(6):
                twist[i, k] = 0.0
    _begin(contacts)
    update, converged = 0, False
    while update < MAX_UPDATES and not converged:
        _set_penalties(contacts, penalty)
        taken = _minimise(bodies, workspace, barrier.dmin, eps)
        if taken < 0:
            return AugmentedOutcome(taken != FACTOR_FULL, False, steps, update)
        steps += taken
        update += 1
        converged = _update(contacts, barrier.dmin, eps)
        penalty = min(GROWTH * penalty, LAST_PENALTY)
    limit_rotation(slot, twist, LARGEST_ANGLE)
    copy_poses(workspace.iterate, workspace.trial)
    move(slot, workspace.iterate, twist, 1.0, workspace.trial)
    return AugmentedOutcome(True, converged, steps, update)


@jit_in_place
def _minimise(bodies, workspace, dmin, eps):
    """Newton's method with the present multipliers; its steps, or why there are none."""
    contacts, twist = workspace.linear_contacts, workspace.twist
    of, n, m = contacts.multipliers, contacts.count[0], bodies.owner.shape[0]
    slot, owner, system, factor = bodies.slot, bodies.owner, workspace.system, workspace.factor
    right = system.right
    set_places(contacts, twist)
    for step in range(MAX_STEPS):
        _evaluate(contacts, 0.0, dmin, eps, True)
        set_gradient(contacts, slot, owner, twist, system.gradient)
        n_linked = set_hessian(contacts, slot, m, system)
        if not prepare(factor, m, system.linked, n_linked):
            return FACTOR_FULL
        if factorise(factor, system.diagonal, system.off, n_linked, 0.0, 0.0) >= 0:
            return NOT_POSITIVE
        for k in range(m):
            for i in range(6):
                right[k, i] = -system.gradient[k, i]
        solve(factor, right)
        for k in range(m):
            for i in range(6):
                of.direction[owner[k], i] = right[k, i]
        set_rates(contacts, of.direction, of.rate)
        t = _search(contacts, owner, twist, system.gradient, dmin, eps)
        for k in range(m):
            for i in range(6):
                twist[owner[k], i] += t * right[k, i]
        for r in range(n):
            for which in range(3):
                of.place[r, which] += t * of.rate[r, which]
        if t >= FULL and _largest_change(contacts) <= INEXACT:
            return step + 1
    return MAX_STEPS


@jit_in_place
def _begin(contacts):
    """Limits of friction and proximal gaps to begin with."""
    of, force, mu = contacts.multipliers, contacts.force, contacts.mu
    for r in range(contacts.count[0]):
        of.limit[r] = mu[r] * force[r, NORMAL]
        of.gap[r] = 0.0


@jit_in_place
def _set_penalties(contacts, penalty):
    compliance, response = contacts.multipliers.compliance, contacts.response
    for r in range(contacts.count[0]):
        compliance[r, 0] = response[r, 0] / penalty
        compliance[r, 1] = response[r, 1] / penalty


@jit_in_place
def _evaluate(contacts, t, dmin, eps, differentiate):
    """Forces a step t along the rates from `place`; returns minus their work per t [kg m^2]."""
    of, force, mu = contacts.multipliers, contacts.force, contacts.mu
    place, rate, new, stiffness = of.place, of.rate, of.force, of.stiffness
    work = 0.0
    for r in range(contacts.count[0]):
        dhat, K, compliance = contacts.barrier[r, 0], contacts.barrier[r, 1], of.compliance[r, 0]
        g = place[r, NORMAL] + (t * rate[r, NORMAL] if t != 0.0 else 0.0)
        c = g - compliance * force[r, NORMAL]
        z, f, slope = proximal_gap(c, compliance, of.gap[r], K, dmin, dhat)
        of.gap[r], new[r, NORMAL] = z, f
        if t != 0.0:
            work -= f * rate[r, NORMAL]
        if differentiate:
            stiffness[r, ALONG_NORMAL] = -slope
            stiffness[r, ALONG_SLIP] = stiffness[r, ACROSS_SLIP] = 0.0
        if mu[r] == 0.0:
            continue
        compliance = of.compliance[r, 1]
        s1 = place[r, FIRST] + (t * rate[r, FIRST] if t != 0.0 else 0.0)
        s2 = place[r, SECOND] + (t * rate[r, SECOND] if t != 0.0 else 0.0)
        s1 -= compliance * force[r, FIRST]
        s2 -= compliance * force[r, SECOND]
        size = math.hypot(s1, s2)
        q, along, across = proximal_slip(size, of.limit[r], 1.0 / compliance, eps)
        c1, c2 = (s1 / size, s2 / size) if size > 0.0 else (1.0, 0.0)
        new[r, FIRST], new[r, SECOND] = -q * c1, -q * c2
        if t != 0.0:
            work -= new[r, FIRST] * rate[r, FIRST] + new[r, SECOND] * rate[r, SECOND]
        if differentiate:
            stiffness[r, ALONG_SLIP], stiffness[r, ACROSS_SLIP] = along, across
            stiffness[r, COSINE], stiffness[r, SINE] = c1, c2
    return work


@jit_in_place
def _largest_change(contacts):
    """The largest change of the gap of a contact that acts by the rates, of its dhat."""
    of, largest = contacts.multipliers, 0.0
    for r in range(contacts.count[0]):
        if of.force[r, NORMAL] > 0.0:
            largest = max(largest, abs(of.rate[r, NORMAL]) / contacts.barrier[r, 0])
    return largest


@jit_in_place
def _search(contacts, owner, twist, gradient, dmin, eps):
    """How far to follow the direction: to where its slope is level.

    The augmented Lagrangian is convex: its slope rises along the direction.
    """
    of, direction = contacts.multipliers, contacts.multipliers.direction
    first_slope, slope, bend = 0.0, 0.0, 0.0  # all, and what inertia has in it
    for k in range(owner.shape[0]):
        i = owner[k]
        for r in range(6):
            at, along = of.gradient[k, r], 0.0
            for c in range(6):
                at += of.inertia[k, r, c] * twist[i, c]
                along += of.inertia[k, r, c] * direction[i, c]
            first_slope += gradient[k, r] * direction[i, r]
            slope += at * direction[i, r]
            bend += along * direction[i, r]
    low, high, t, at_low, at_high = 0.0, math.inf, 1.0, first_slope, 0.0
    for _ in range(MAX_SEARCH):
        now = slope + t * bend + _evaluate(contacts, t, dmin, eps, False)
        if (now <= 0.0 and t >= 1.0) or abs(now) <= -LEVEL * first_slope:
            return t
        if now > 0.0:
            high, at_high = t, now
        else:
            low, at_low = t, now
        t = low - at_low * (high - low) / (at_high - at_low)
        t = min(max(t, low + 0.1 * (high - low)), high - 0.1 * (high - low))
    return low if low > 0.0 else t


@jit_in_place
def _update(contacts, dmin, eps):
    """Take the forces over; whether gaps and slips fit them."""
    of, mu, force = contacts.multipliers, contacts.mu, contacts.force
    _evaluate(contacts, 0.0, dmin, eps, False)
    fits, changed, total = True, 0.0, 0.0
    for r in range(contacts.count[0]):
        dhat = contacts.barrier[r, 0]
        misfit = of.compliance[r, 0] * abs(of.force[r, NORMAL] - force[r, NORMAL])
        slip = of.compliance[r, 1] * math.hypot(
            of.force[r, FIRST] - force[r, FIRST], of.force[r, SECOND] - force[r, SECOND]
        )
        if max(misfit, slip) > ACCURACY * dhat:
            fits = False
        for which in range(3):
            force[r, which] = of.force[r, which]
        limit = mu[r] * force[r, NORMAL]
        changed += abs(limit - of.limit[r])
        total += limit
        of.limit[r] = limit
    return fits and changed <= LIMIT_ACCURACY * total
