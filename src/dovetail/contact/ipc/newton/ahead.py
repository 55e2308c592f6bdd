"""A direction that stops short of contacts to come.

With the model of Newton's method, g^T d + 1/2 d^T H d, and the contacts that CCD finds along d
(`line_search.impacts_ahead`), frozen at their points and normals:
    minimise  g^T d + 1/2 d^T H d + sum k/2 min(0, c + J d - left)^2,
with the gap c now, its derivative J in the twists of both bodies, left = LEFT min(dhat, c) and
k = STIFF times the lighter mass: impacts become inelastic collisions that the model knows of. The
sum is zero at d = 0, so the minimum is below zero and g^T d < 0: it is a direction of descent of
the same energy, and the minimiser of the step stays what it is. The minimum is found by active
sets, each with one factorisation. Contacts act for some iterations after they were found, then the
barrier knows of them; near the end there are none.
"""

import math

from dovetail.contact.ipc.islands.state import SETTLED
from dovetail.contact.ipc.line_search.impacts_ahead import (
    DHAT,
    N_AHEAD,
    NORMAL,
    POINT_A,
    POINT_B,
    keep_row,
)
from dovetail.contact.ipc.status import StepStatus
from dovetail.linalg.block_cholesky.factor import factorise, prepare, solve
from dovetail.linalg.vec3 import cross, dot, load3, load33, matvec, sub
from dovetail.runtime.jit import jit_in_place, jit_within

LEFT = 0.5  # of dhat, or of the gap where that is less: what a direction leaves
STIFF = 1000.0  # times the lighter mass
LIFE = 3  # iterations that a contact acts after it was found
MAX_SETS = 4  # active sets that are tried


@jit_in_place
def forget_impacts(ahead):
    """None is known."""
    ahead.counts[N_AHEAD] = 0


@jit_in_place
def age_impacts(ahead):
    """After an iteration: drop contacts that were found too long ago."""
    kept = 0
    for c in range(ahead.counts[N_AHEAD]):
        ahead.age[c] += 1
        if ahead.age[c] <= LIFE:
            keep_row(ahead, c, kept)
            kept += 1
    ahead.counts[N_AHEAD] = kept


@jit_within
def _vector(rows, i, column):
    return (rows[i, column], rows[i, column + 1], rows[i, column + 2])


@jit_in_place
def _linearise(bodies, lists, workspace, dmin):
    """Gaps and their derivatives at the iterate."""
    ahead, x, R = workspace.ahead, workspace.iterate.x, workspace.iterate.R
    slot, free, state = bodies.slot, bodies.free, workspace.islands.state
    rows, J, left, mass = ahead.rows, ahead.jacobian, ahead.left, lists.scales.mass
    for c in range(ahead.counts[N_AHEAD]):
        a, b = ahead.bodies[c, 0], ahead.bodies[c, 1]
        n = _vector(rows, c, NORMAL)
        r_a = matvec(load33(R, a), _vector(rows, c, POINT_A))
        r_b = matvec(load33(R, b), _vector(rows, c, POINT_B))
        apart = sub(load3(x, a), load3(x, b))
        gap = dot(n, apart) + dot(n, r_a) - dot(n, r_b) - dmin
        turn_a, turn_b = cross(r_a, n), cross(r_b, n)
        for k in range(3):
            J[c, k], J[c, 3 + k] = n[k], turn_a[k]
            J[c, 6 + k], J[c, 9 + k] = -n[k], -turn_b[k]
        for k in range(6):
            if slot[a] < 0 or state[a] == SETTLED or free[a, k] == 0:
                J[c, k] = 0.0
            if slot[b] < 0 or state[b] == SETTLED or free[b, k] == 0:
                J[c, 6 + k] = 0.0
        left[c, 0] = gap - LEFT * min(rows[c, DHAT], gap)
        left[c, 1] = STIFF * min(mass[a], mass[b])
        ahead.active[c] = 0
        if not gap > 0.0 or not left[c, 1] < math.inf:
            left[c, 1] = 0.0


@jit_within
def _approach(ahead, twist, c):
    """-J d [m]."""
    a, b, J, total = ahead.bodies[c, 0], ahead.bodies[c, 1], ahead.jacobian, 0.0
    for k in range(6):
        total -= J[c, k] * twist[a, k] + J[c, 6 + k] * twist[b, k]
    return total


@jit_in_place
def _update_active(ahead, twist):
    """Contacts that the direction comes too close to are active; returns how many changed."""
    changed = 0
    for c in range(ahead.counts[N_AHEAD]):
        acts = 1 if ahead.left[c, 1] > 0.0 and _approach(ahead, twist, c) > ahead.left[c, 0] else 0
        changed += 1 if acts != ahead.active[c] else 0
        ahead.active[c] = acts
    return changed


@jit_in_place
def _add_active(ahead, slot, system, n_linked, sign):
    """Add the active contacts to the Hessian, times `sign`; returns the blocks off the diagonal."""
    diagonal, off, linked, J = system.diagonal, system.off, system.linked, ahead.jacobian
    count = n_linked
    for c in range(ahead.counts[N_AHEAD]):
        a, b = slot[ahead.bodies[c, 0]], slot[ahead.bodies[c, 1]]
        k = sign * ahead.left[c, 1] * ahead.active[c]
        both = a >= 0 and b >= 0
        if both and not (
            count > n_linked and linked[count - 1, 0] == a and linked[count - 1, 1] == b
        ):
            linked[count, 0], linked[count, 1] = a, b
            for r in range(6):
                for s in range(6):
                    off[count, r, s] = 0.0
            count += 1
        if k == 0.0:
            continue
        for r in range(6):
            for s in range(6):
                if a >= 0:
                    diagonal[a, r, s] += k * J[c, r] * J[c, s]
                if b >= 0:
                    diagonal[b, r, s] += k * J[c, 6 + r] * J[c, 6 + s]
                if both:
                    off[count - 1, r, s] += k * J[c, r] * J[c, 6 + s]
    return count


@jit_in_place
def _solve(ahead, bodies, workspace):
    """The direction of the present factor; returns g^T d."""
    system, slot, owner, twist = workspace.system, bodies.slot, bodies.owner, workspace.twist
    gradient, right, J = system.gradient, system.right, ahead.jacobian
    for k in range(owner.shape[0]):
        for r in range(6):
            right[k, r] = -gradient[k, r]
    for c in range(ahead.counts[N_AHEAD]):
        if ahead.active[c] == 0:
            continue
        a, b = slot[ahead.bodies[c, 0]], slot[ahead.bodies[c, 1]]
        pull = ahead.left[c, 0] * ahead.left[c, 1]
        for r in range(6):
            if a >= 0:
                right[a, r] -= pull * J[c, r]
            if b >= 0:
                right[b, r] -= pull * J[c, 6 + r]
    solve(workspace.factor, right)
    descent = 0.0
    for k in range(owner.shape[0]):
        for r in range(6):
            descent += gradient[k, r] * right[k, r]
            twist[owner[k], r] = right[k, r]
    return descent


@jit_in_place
def stop_short(bodies, lists, workspace, dmin, n_linked, shift, least_pivot, descent):
    """Change workspace.twist so that it stops short of the impacts ahead.

    The system is that of Newton's direction, whose descent is `descent`, and is the same
    afterwards. Returns (status, descent); the twists stay where there is nothing to stop short of.
    """
    ahead, system, factor, twist = (
        workspace.ahead,
        workspace.system,
        workspace.factor,
        workspace.twist,
    )
    m, newton = bodies.owner.shape[0], ahead.newton
    _linearise(bodies, lists, workspace, dmin)
    if _update_active(ahead, twist) == 0:
        return StepStatus.OK, descent
    for i in range(twist.shape[0]):
        for k in range(6):
            newton[i, k] = twist[i, k]
    status, found = StepStatus.OK, math.inf
    for _ in range(MAX_SETS):
        count = _add_active(ahead, bodies.slot, system, n_linked, 1.0)
        failed = False
        if not prepare(factor, m, system.linked, count):
            status, failed = StepStatus.FACTOR_FULL, True
        elif factorise(factor, system.diagonal, system.off, count, shift, least_pivot) >= 0:
            failed = True
        else:
            found = _solve(ahead, bodies, workspace)
        _add_active(ahead, bodies.slot, system, n_linked, -1.0)
        if failed or not found < 0.0 or _update_active(ahead, twist) == 0:
            break
    if status == StepStatus.OK and found < 0.0:
        return status, found
    for i in range(twist.shape[0]):
        for k in range(6):
            twist[i, k] = newton[i, k]
    return status, descent
