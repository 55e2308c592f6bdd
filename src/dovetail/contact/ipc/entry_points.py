"""The one compiled function of intersection-free contact; what it does is told by a number.

One function, since what its tasks share (lists, distances, CCD) would be compiled for each of them.
"""

import math
from typing import Any, NamedTuple

from dovetail.contact.ipc.islands.settled import pass_over_nobody
from dovetail.contact.ipc.line_search.path import straight_is_free, waypoints
from dovetail.contact.ipc.newton.minimise import DONE, NO_ROOM
from dovetail.contact.ipc.poses import copy_poses
from dovetail.contact.ipc.report import report
from dovetail.contact.ipc.step import step
from dovetail.runtime.jit import jit
from dovetail.runtime.records import bundler

STEP, REPORT, WAYPOINTS, STRAIGHT, STEP_GIVEN = range(5)


class IpcParts(NamedTuple):
    """All that the function works on, as one: each bundle it is given costs a microsecond."""

    bodies: Any  # bundle of `ipc.records.IpcBodies`
    lists: Any  # of `ipc.records.IpcLists`
    room: Any  # of `ipc.records.IpcRoom`
    motion: Any  # of `ipc.step.IpcMotion`
    friction: Any  # of `friction.records.FrictionArrays`


bundle_parts = bundler(IpcParts)


@jit
def perform(task, parts, h, dmin, dhat, weight, tolerance, part, most):
    """Do one task; all return (code, count, speed, W or energy, distance, contacts, ...).

    STEP        advance the motion by h: what `newton.minimise.minimise` returns, and the tolerance;
                `weight` is that of the step before.
    REPORT      contacts at the motion's pose into room.seen: count, energy, least distance.
    WAYPOINTS   of the last step, `most` its iterations, into room.kept: count.
    STEP_GIVEN  as STEP, to where room.x_hat, room.R_hat and contact lead; velocities stay.
    STRAIGHT    from room.x, room.R to the motion's pose: count is 1 where the way is free.
    """
    bodies, lists, room = parts.bodies, parts.lists, parts.room
    motion, friction = parts.motion, parts.friction
    if task == STEP or task == STEP_GIVEN:
        return step(
            bodies, lists, room, motion, friction, h, dmin, dhat, weight, tolerance, part, most,
            task == STEP_GIVEN,
        )  # fmt: skip
    pass_over_nobody(room)
    code, count, energy, least = DONE, 0, 0.0, math.inf
    if task == REPORT:
        fits, count, energy, least = report(
            bodies, lists, room, friction, motion.x, motion.R, dmin, dhat, weight, motion.load
        )
        code = DONE if fits else NO_ROOM
    elif task == WAYPOINTS:
        count = waypoints(bodies, lists, room, most, dmin)
        code = DONE if count >= 0 else NO_ROOM
    else:
        copy_poses(room.x, room.R, room.x_try, room.R_try)
        fits, free = straight_is_free(
            bodies, lists, room, room.x_try, room.R_try, motion.x, motion.R, dmin
        )
        code, count = DONE if fits else NO_ROOM, 1 if free else 0
    return code, count, 0.0, energy, least, 0, 0, -1, 0.0
