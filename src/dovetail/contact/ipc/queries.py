"""The compiled functions of intersection-free contact that Python calls, one per question.

`step.step` advances the motion; here are the others. Each takes all records as one bundle, since
every bundle that Python passes costs a microsecond.
"""

from typing import NamedTuple

from dovetail.contact.ipc.barrier.balanced_start import begin_run
from dovetail.contact.ipc.candidates.records import CandidateLists
from dovetail.contact.ipc.friction.records import FrictionArrays
from dovetail.contact.ipc.islands.settled import activate_all
from dovetail.contact.ipc.line_search.path import choose_waypoints, direct_path_is_free
from dovetail.contact.ipc.poses import copy_poses
from dovetail.contact.ipc.records import IpcBodies, IpcMotion, Poses
from dovetail.contact.ipc.report import report
from dovetail.contact.ipc.status import StepStatus
from dovetail.contact.ipc.workspace import StepWorkspace
from dovetail.runtime.jit import jit
from dovetail.runtime.records import bundler


class IpcParts(NamedTuple):
    """All records of a run; each field is a bundle."""

    bodies: IpcBodies  # constants
    lists: CandidateLists
    workspace: StepWorkspace
    motion: IpcMotion  # input and output
    friction: FrictionArrays


bundle_parts = bundler(IpcParts)


class ContactsFound(NamedTuple):
    """Contacts of a pose; their rows are in workspace.report."""

    status: StepStatus
    n_contacts: int
    energy: float  # [kg m^2] sum of h^2 K m B
    least_distance: float  # [m], inf where nothing is near


class PathCheck(NamedTuple):
    """Whether a direct path is free of collisions, and the iterates to pass where it is not."""

    status: StepStatus
    free: bool
    n_waypoints: int  # in workspace.iterates.chosen


@jit
def _status(fits):
    return StepStatus.OK if fits else StepStatus.LISTS_FULL


@jit
def find_contacts(parts, barrier):
    """Contacts within dmin + dhat at the motion's pose."""
    activate_all(parts.workspace)
    motion = parts.motion
    found = report(
        parts.bodies, parts.lists, parts.workspace, parts.friction, Poses(motion.x, motion.R),
        barrier,
    )  # fmt: skip
    return ContactsFound(_status(found.fits), found.n_contacts, found.energy, found.least_distance)


class RunBegun(NamedTuple):
    """Whether the barriers of the first pose are set."""

    status: StepStatus


@jit
def begin(parts, barrier):
    """Set the barriers of pairs that begin within dhat of each other (`barrier.balanced_start`)."""
    activate_all(parts.workspace)
    return RunBegun(
        _status(begin_run(parts.bodies, parts.lists, parts.workspace, parts.motion, barrier))
    )


@jit
def check_path(parts, iterations, dmin):
    """The direct path of the last step, from iterate to iterate where it is not free.

    With 0 iterations that from workspace.iterate to the motion's pose. One function for both: it
    is optimised with all that it calls, an eighth of what is compiled before the first step.
    """
    bodies, lists, workspace, motion = parts.bodies, parts.lists, parts.workspace, parts.motion
    activate_all(workspace)
    if iterations > 0:
        count = choose_waypoints(bodies, lists, workspace, iterations, dmin)
        return PathCheck(_status(count >= 0), count == 0, count)
    copy_poses(workspace.iterate, workspace.trial)
    fits, free = direct_path_is_free(
        bodies, lists, workspace, workspace.trial, Poses(motion.x, motion.R), dmin
    )
    return PathCheck(_status(fits), free, 0)
