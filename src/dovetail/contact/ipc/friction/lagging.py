"""Friction lagging: solve, take the contacts of the solution, solve again.

Normals, normal forces and contact points are fixed in a solve (`friction.potential`); here they are
taken from its solution and it is solved again, until Newton's first direction is within the
tolerance: then the friction at the end of the step belongs to the contacts at the end of the step.
That a solve moved no vertex by more is not enough: laggings that converge slowly are far from
their limit then. Where they do not converge by themselves, new contacts are mixed with those
before, with less of the new ones as laggings go on, and the number of laggings is bounded: the
speed that is left is reported (card houses would never converge).

Linearised contacts (`first_iterate.begin`) lead heaps to where friction belongs to normal forces;
laggings confirm it. Where that was given up the iterate is far from the solution: many contacts
stick, slip or open yet. Each of these changes is a kink, the sharper the less a contact is sheared
before it slips. So there contacts are sheared by more at first, by less from lagging to lagging,
and by the usual length in the end; and while friction changes, a solve is as accurate as a part of
what the one before moved. Both are over before laggings may end.
"""

import math

from dovetail.contact.ipc.first_iterate.begin import CLOSE, PATIENCE, go_near_solution, has_guess
from dovetail.contact.ipc.friction.lagged_contacts import lag_at_iterate
from dovetail.contact.ipc.friction.presliding_update import update_presliding
from dovetail.contact.ipc.newton.minimise import MinimiseOutcome, minimise
from dovetail.contact.ipc.status import StepStatus
from dovetail.runtime.jit import jit_in_place

UNRELAXED, HALVED = 4, 8  # laggings that take new contacts as they are, and by half
LAST_SHARE = 0.25  # of new contacts after that
CONVERGING = 0.5  # of what the lagging before moved: no need to mix yet
SHEARED, LESS = 1e-2, 0.1  # of dhat: at first, and by how much less from lagging to lagging
FORCING = 0.03  # of the speed by which a solve changed those of before: tolerance of the next


@jit_in_place
def share_of(lagging):
    """The part of new contacts in this lagging."""
    if lagging < UNRELAXED:
        return 1.0
    return 0.5 if lagging < HALVED else LAST_SHARE


@jit_in_place
def any_friction(laws):
    """Whether there is friction between any two bodies; `laws` (m, 4)."""
    for k in range(laws.shape[0]):
        if laws[k, 0] > 0.0:
            return True
    return False


@jit_in_place
def moved_since(bodies, workspace, number):
    """[m] by how much vertices moved since iterate `number`, at most."""
    slot, radius, largest = bodies.slot, bodies.geometry.core_radius, 0.0
    iterate, iterates = workspace.iterate, workspace.iterates
    x, R, x_then, R_then = iterate.x, iterate.R, iterates.x, iterates.R
    for i in range(slot.shape[0]):
        if slot[i] < 0:
            continue
        squared, turned = 0.0, 0.0
        for r in range(3):
            squared += (x[i, r] - x_then[number, i, r]) ** 2
            for c in range(3):
                turned += (R[i, r, c] - R_then[number, i, r, c]) ** 2
        largest = max(largest, math.sqrt(squared) + math.sqrt(0.5 * turned) * radius[i])
    return largest


@jit_in_place
def minimise_with_friction(
    bodies, lists, workspace, friction, start, barrier, h, tolerance, max_iterations
):  # fmt: skip
    """As `minimise`, with friction that belongs to the contacts of the solution."""
    eps = friction.settings.eps[0]
    solved = _solve_and_lag(
        bodies, lists, workspace, friction, start, barrier, h, tolerance, max_iterations
    )
    friction.settings.eps[0] = eps
    return solved


@jit_in_place
def _solve_and_lag(
    bodies, lists, workspace, friction, start, barrier, h, tolerance, max_iterations
):  # fmt: skip
    """As `minimise_with_friction`; settings.eps is that of the last lagging."""
    n_contacts, report, settings = friction.contacts.n_contacts, friction.report, friction.settings
    n_contacts[0] = 0
    has_friction, max_laggings = any_friction(friction.laws.laws), settings.max_laggings[0]
    total, projected, lagging, unmixed, moved = 0, 0, 0, 0, math.inf
    patient = has_guess(bodies, workspace)
    eps, sheared, inexact = settings.eps[0], 0.0, 0.0
    while True:
        share = share_of(unmixed)
        if lagging >= max_laggings - 1:
            sheared = inexact = 0.0
        settings.eps[0] = max(eps, sheared)
        if has_friction:
            status = lag_at_iterate(bodies, lists, workspace, friction, start, barrier, h, share)
            if status != StepStatus.OK:
                return MinimiseOutcome(status, total, 0.0, 0.0, 0, projected, -1)
        began, most = total, max_iterations - total
        solved = minimise(
            bodies, lists, workspace, friction, start, barrier, h,
            max(share * tolerance, inexact), min(most, PATIENCE) if patient else most, total,
        )  # fmt: skip
        total += solved.iterations
        projected += solved.projected_iterations
        unfinished = patient and solved.status == StepStatus.TOO_MANY_ITERATIONS
        if unfinished and h * solved.speed <= CLOSE * barrier.dhat:
            patient = False  # the contacts are those of the solution
            continue
        if unfinished and most > PATIENCE:
            settings.eps[0] = eps
            status, moves, near = go_near_solution(
                bodies, lists, workspace, friction, start, barrier, h, has_friction, total
            )
            if status != StepStatus.OK:
                return MinimiseOutcome(status, total, 0.0, 0.0, 0, projected, -1)
            if has_friction and not near:
                sheared = SHEARED * barrier.dhat
                inexact = FORCING * moved_since(bodies, workspace, 0) / h
            total += moves
            patient = False
            continue
        patient = False
        lagging += 1
        before, moved = moved, moved_since(bodies, workspace, began) / h
        if not (share == 1.0 and moved <= CONVERGING * before):
            unmixed += 1
        exact = sheared <= eps and inexact <= tolerance
        still = workspace.progress[0].directions <= 1  # the first was within the tolerance
        untouched = n_contacts[0] == 0 and not solved.least_distance < barrier.dmin + barrier.dhat
        converged = (exact and still) or untouched or not has_friction
        ended = solved.status != StepStatus.CONVERGED
        if ended or not has_friction or converged or lagging >= max_laggings:
            break
        sheared = LESS * sheared if LESS * sheared > 2.0 * eps else 0.0
        inexact = FORCING * moved if inexact > tolerance else 0.0
    report.n_laggings[0], report.converged[0] = lagging, 1 if converged else 0
    return MinimiseOutcome(
        solved.status, total, solved.speed, solved.least_distance, solved.contacts, projected,
        solved.limiting_pair,
    )  # fmt: skip


@jit_in_place
def report_no_friction(report):
    """The report of a step without any motion."""
    report.sticking_speed[0] = report.slipping_speed[0] = 0.0
    report.n_laggings[0], report.converged[0] = 0, 1


@jit_in_place
def end_friction(bodies, lists, workspace, friction, start, barrier, h):
    """Presliding state of the step's end, for the next step; what memory is missing, if any."""
    if not any_friction(friction.laws.laws):
        return StepStatus.OK
    status = lag_at_iterate(bodies, lists, workspace, friction, start, barrier, h, 1.0)
    if status == StepStatus.OK:
        update_presliding(bodies, lists, workspace, friction, start, h)
    return status
