"""Friction lagging: solve, take the contacts of the solution, solve again.

Normals, normal forces and contact points are fixed in a solve (`friction.potential`); here they are
taken from its solution and it is solved again, until Newton's first direction is within the
tolerance: then the friction at the end of the step belongs to the contacts at the end of the step.
Where that does not converge by itself, new contacts are mixed with those before, with less of the
new ones as laggings go on, and the number of laggings is bounded: the speed that is left is
reported (card houses would never converge).
"""

import math

from dovetail.contact.ipc.first_iterate.begin import go_near_solution, has_guess
from dovetail.contact.ipc.friction.coefficients import any_friction
from dovetail.contact.ipc.friction.lagged_contacts import lag_at_iterate
from dovetail.contact.ipc.friction.presliding_update import update_presliding
from dovetail.contact.ipc.newton.minimise import MinimiseOutcome, minimise
from dovetail.contact.ipc.status import StepStatus
from dovetail.runtime.jit import jit_in_place

UNRELAXED, HALVED = 4, 8  # laggings that take new contacts as they are, and by half
LAST_SHARE = 0.25  # of new contacts after that
CONVERGING = 0.5  # of the lagging before, by its first direction: no need to mix yet


@jit_in_place
def share_of(lagging):
    """The part of new contacts in this lagging."""
    if lagging < UNRELAXED:
        return 1.0
    return 0.5 if lagging < HALVED else LAST_SHARE


@jit_in_place
def minimise_with_friction(
    bodies, lists, workspace, friction, start, barrier, h, tolerance, max_iterations
):  # fmt: skip
    """As `minimise`, with friction that belongs to the contacts of the solution."""
    n_contacts, report = friction.contacts.n_contacts, friction.report
    n_contacts[0] = 0
    has_friction, max_laggings = any_friction(friction.laws.laws), friction.settings.max_laggings[0]
    total, projected, lagging, unmixed, first_speed = 0, 0, 0, 0, math.inf
    if has_guess(bodies, workspace):
        status, total = go_near_solution(
            bodies, lists, workspace, friction, start, barrier, h, 0
        )
        if status != StepStatus.OK:
            return MinimiseOutcome(status, total, 0.0, 0.0, 0, projected, -1, 0.0)
    while True:
        share = share_of(unmixed)
        if has_friction:
            status = lag_at_iterate(
                bodies, lists, workspace, friction, start, barrier, h, share
            )
            if status != StepStatus.OK:
                return MinimiseOutcome(status, total, 0.0, 0.0, 0, projected, -1, 0.0)
        most = max_iterations - total
        solved = minimise(
            bodies, lists, workspace, friction, start, barrier, h, share * tolerance,
            most, total,
        )  # fmt: skip
        total += solved.iterations
        projected += solved.projected_iterations
        lagging += 1
        if not (share == 1.0 and solved.first_speed <= CONVERGING * first_speed):
            unmixed += 1
        first_speed = solved.first_speed
        untouched = n_contacts[0] == 0 and not solved.least_distance < barrier.dmin + barrier.dhat
        converged = solved.iterations <= 1 or untouched or not has_friction
        ended = solved.status != StepStatus.CONVERGED
        if ended or not has_friction or converged or lagging >= max_laggings:
            break
    report.n_laggings[0], report.converged[0] = lagging, 1 if converged else 0
    return MinimiseOutcome(
        solved.status, total, solved.speed, solved.least_distance, solved.contacts, projected,
        solved.limiting_pair, solved.first_speed,
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
