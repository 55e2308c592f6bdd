"""The line search: the longest of t, t/2, t/4, ... that does not raise the energy too much."""

import math
from typing import NamedTuple

from dovetail.collision.distance.derivatives import GRADIENT_ONLY
from dovetail.contact.ipc.candidates.distances import update_distances
from dovetail.contact.ipc.candidates.lists import update_body_pairs
from dovetail.contact.ipc.joints.energies import joint_energy, rounding_work
from dovetail.contact.ipc.joints.projection import project_to_joints
from dovetail.contact.ipc.joints.rows import any_rows
from dovetail.contact.ipc.line_search.step_size import MIN_GAP_FRACTION, collision_free_step_size
from dovetail.contact.ipc.newton.potential import differentiate, energy_at
from dovetail.contact.ipc.poses import copy_poses, move, set_path_lengths, twists_between
from dovetail.contact.ipc.records import Poses
from dovetail.runtime.jit import jit_in_place, when_called

MAX_HALVINGS = 60
RISES = 0.8  # of the slope at the start of a search step: the most that its end may rise by
FREE, BLOCKED, LISTS_FULL = range(3)  # outcomes of `_path_to_trial`


class SearchStep(NamedTuple):
    """The pose is in workspace.trial, with its distances."""

    t: float  # 0 where none lowers the energy, -1 where the lists are too small
    least_squared: float  # [m^2] least squared distance
    energy: float  # [kg m^2]


@jit_in_place
def _path_to_trial(bodies, lists, workspace, barrier):
    """Whether the direct path from the iterate to the trial pose is free of collisions.

    workspace.path_length is zero afterwards.
    """
    iterate, twist = workspace.iterate, workspace.joints.displacement
    slot, path_length = bodies.slot, workspace.path_length
    twists_between(slot, iterate, workspace.trial, twist)
    set_path_lengths(slot, bodies.geometry.core_radius, twist, path_length)
    fits = update_body_pairs(bodies, lists, iterate, path_length, barrier.dmin + barrier.dhat)
    for i in range(path_length.shape[0]):
        path_length[i] = 0.0
    if not fits:
        return LISTS_FULL
    t, _ = collision_free_step_size(
        bodies, lists, workspace, iterate, twist, barrier.dmin, 0.0, 0.5 * MIN_GAP_FRACTION
    )
    return FREE if t >= 1.0 else BLOCKED


@jit_in_place
def search(bodies, lists, workspace, friction, start, barrier, t, energy, increase, slope):
    """The first of t, t/2, t/4, ... that raises the energy by no more than `increase` [kg m^2].

    Where the slope of the energy along the twists, which is negative, is given, so that rounding
    hides what they gain, the slope at the end may be no more than RISES of its amount: of a
    parabola that is less energy (Hager and Zhang 2005, section 2).
    """
    allowed = energy + increase
    trial, path_length, joints = workspace.trial, workspace.path_length, workspace.joints
    for i in range(path_length.shape[0]):
        path_length[i] = 0.0
    jointed = any_rows(joints)
    if jointed:
        allowed += rounding_work(joints, workspace.iterate.x)
    for _ in range(MAX_HALVINGS):
        move(bodies.slot, workspace.iterate, workspace.twist, t, trial)
        if jointed:
            path = BLOCKED
            if project_to_joints(joints, bodies, workspace):
                path = _path_to_trial(bodies, lists, workspace, barrier)
            if path == LISTS_FULL:
                return SearchStep(-1.0, math.inf, 0.0)
            if path == BLOCKED:
                t *= 0.5
                continue
        fits, least = update_distances(
            bodies, lists, workspace, trial, barrier.dmin + barrier.dhat, barrier.dhat
        )
        if not fits:
            return SearchStep(-1.0, least, 0.0)
        there = energy_at(bodies, lists, workspace, friction, trial, start, barrier)
        if jointed:
            there += joint_energy(joints)
        if there <= allowed and (
            slope == 0.0
            or _slope_at_trial(bodies, lists, workspace, friction, start, barrier) <= -RISES * slope
        ):
            return SearchStep(t, least, there)
        t *= 0.5
    return SearchStep(0.0, math.inf, 0.0)


@when_called(0.0)
@jit_in_place
def _slope_at_trial(bodies, lists, workspace, friction, start, barrier):
    """dE/dt [kg m^2] at the trial pose, whose distances are known; overwrites the system."""
    iterate, trial, kept = workspace.iterate, workspace.trial, workspace.iterates
    twist, owner, gradient = workspace.twist, bodies.owner, workspace.system.gradient
    last = kept.x.shape[0] - 1
    before = Poses(kept.x[last], kept.R[last])
    copy_poses(iterate, before)
    copy_poses(trial, iterate)
    differentiate(bodies, lists, workspace, friction, start, barrier, GRADIENT_ONLY, False)
    copy_poses(before, iterate)
    slope = 0.0
    for k in range(owner.shape[0]):
        for r in range(6):
            slope += gradient[k, r] * twist[owner[k], r]
    return slope
