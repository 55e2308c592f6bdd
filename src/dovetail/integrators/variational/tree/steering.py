"""Efforts, targets and gains that are set between two steps of a tree."""

import numpy as np

from dovetail.integrators.variational.tree.records import (
    bundle_forces,
    bundled,
    tree_forces,
    tree_holds,
    tree_step_workspace,
)
from dovetail.multibody.loads.wrenches import NO_LOADS
from dovetail.multibody.tree.records import empty_tree, workspace_for
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm, warm_later


@jit
def steer(parts, base, where, inputs, given, added, carried):
    """Let inputs (4, k) act along coordinates `where` (k,); whether any coordinate is damped.

    inputs: effort, pull, stiffness and damping, see `multibody.inputs`. `base` are the forces of
    the scene, given (n_v,) [N or N m] the efforts of its motors now; added (n_v,) becomes what
    inputs add to these. Efforts at the state change too unless they are `carried` by it.
    """
    forces, work = parts.forces, parts.work
    for j in range(where.size):
        k = where[j]
        stiffness = base.stiffness[k] + inputs[2, j]
        more = inputs[0, j] + inputs[1, j] - inputs[2, j] * base.rest[k]
        effort = given[k] + more
        if not carried:
            change = effort - forces.effort[k]
            if forces.q_index[k] >= 0:
                stretch = work.q[forces.q_index[k]] - base.rest[k]
                change -= (stiffness - forces.stiffness[k]) * stretch
            work.tau[k] += change
        forces.stiffness[k] = stiffness
        forces.damping[k] = base.damping[k] + inputs[3, j]
        forces.effort[k], added[k] = effort, more
    damped = False
    for k in range(forces.damping.size):
        damped = damped or forces.damping[k] != 0.0
    return damped


def _register() -> None:
    work = tree_step_workspace(np.zeros(0, np.int64), np.zeros((1, 3, 3)), 0, 0, 1)
    spaces = [workspace_for(0, 0), workspace_for(0, 0)]
    parts = bundled(empty_tree(), NO_LOADS, tree_forces(0), tree_holds(0), spaces, work)
    base, some, none = bundle_forces(*tree_forces(0)), np.zeros(0), np.zeros(0, np.int64)
    warm(steer, parts, base, none, np.zeros((4, 0)), some, some, False)


warm_later(_register)
