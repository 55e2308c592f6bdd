"""Friction lagging: solve, take the contacts of the solution, solve again.

Normals, normal forces and contact points are fixed in a solve (`friction.potential`); here they are
taken from its solution and it is solved again, until Newton's first direction is within the
tolerance: then the friction at the end of the step belongs to the contacts at the end of the step.
Where that does not converge by itself, new contacts are mixed with those before, with less of the
new ones as laggings go on, and the number of laggings is bounded: the speed that is left is
reported (card houses would never converge).
"""

from dovetail.contact.ipc.candidates.distances import stand
from dovetail.contact.ipc.friction.lagged_contacts import lag_contacts
from dovetail.contact.ipc.friction.presliding_state import update_presliding
from dovetail.contact.ipc.newton.minimise import DONE, NO_FRICTION_ROOM, NO_ROOM, minimise
from dovetail.runtime.jit import jit

UNRELAXED, HALVED = 4, 8  # laggings that take new contacts as they are, and by half
LAST_SHARE = 0.25  # of new contacts after that


@jit
def share_of(lagging):
    """The part of new contacts in this lagging."""
    if lagging < UNRELAXED:
        return 1.0
    return 0.5 if lagging < HALVED else LAST_SHARE


@jit
def any_friction(laws):
    """Whether there is friction between any two bodies; `laws` (m, 4)."""
    for k in range(laws.shape[0]):
        if laws[k, 0] > 0.0:
            return True
    return False


@jit
def lag_at_iterate(bodies, lists, room, friction, x_0, R_0, h, dmin, dhat, weight, share):
    """Lag the contacts of the iterate; DONE, or a code for missing memory."""
    path = room.path
    for i in range(path.shape[0]):
        path[i] = 0.0
    fits, _ = stand(bodies, lists, room, room.x, room.R, path, dmin + dhat, dhat)
    if not fits:
        return NO_ROOM
    fits = lag_contacts(bodies, lists, room, friction, x_0, R_0, h, dmin, dhat, weight, share)
    return DONE if fits else NO_FRICTION_ROOM


@jit
def minimise_with_friction(
    bodies, lists, room, friction, x_0, R_0, h, dmin, dhat, weight, tolerance, most
):  # fmt: skip
    """As `minimise`, with friction that belongs to the contacts of the solution."""
    n_contacts, report = friction.contacts.n_contacts, friction.report
    n_contacts[0] = 0
    rubs, max_laggings = any_friction(friction.laws.laws), friction.settings.max_laggings[0]
    total, careful, lagging = 0, 0, 0
    while True:
        share = share_of(lagging)
        if rubs:
            code = lag_at_iterate(
                bodies, lists, room, friction, x_0, R_0, h, dmin, dhat, weight, share
            )
            if code != DONE:
                return code, total, 0.0, weight, 0.0, 0, careful, -1
        code, iterations, speed, weight, least, contacts, doubts, by = minimise(
            bodies, lists, room, friction, x_0, R_0, h, dmin, dhat, weight, share * tolerance,
            most - total, total,
        )  # fmt: skip
        total += iterations
        careful += doubts
        lagging += 1
        untouched = n_contacts[0] == 0 and not least < dmin + dhat
        converged = iterations <= 1 or untouched or not rubs
        if code != DONE or not rubs or converged or lagging >= max_laggings:
            break
    report.n_laggings[0], report.converged[0] = lagging, 1 if converged else 0
    return code, total, speed, weight, least, contacts, careful, by


@jit
def report_no_friction(report):
    """The report of a step without any motion."""
    report.sticking_speed[0] = report.slipping_speed[0] = 0.0
    report.n_laggings[0], report.converged[0] = 0, 1


@jit
def end_friction(bodies, lists, room, friction, x_0, R_0, h, dmin, dhat, weight):
    """Presliding state of the step's end, for the next step; DONE, or what memory is missing."""
    if not any_friction(friction.laws.laws):
        return DONE
    code = lag_at_iterate(bodies, lists, room, friction, x_0, R_0, h, dmin, dhat, weight, 1.0)
    if code == DONE:
        update_presliding(bodies, lists, room, friction, x_0, R_0, h)
    return code
