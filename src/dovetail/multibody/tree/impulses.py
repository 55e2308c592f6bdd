"""Impulses on the bodies of a mechanism at the end of a step, and how its motion responds.

A wrench that acts for a time changes the momenta by J^T wrench time; velocities follow through the
inverse mass matrix and the loops, whose factors the end of the step has left behind.
"""

import numpy as np

from dovetail.linalg.vec3 import ZERO, add, cross, dot, load3, load33, matvec, store3, sub
from dovetail.multibody.tree.bodies import body_motion
from dovetail.multibody.tree.kinematics import load6, store6, velocities
from dovetail.multibody.tree.records import empty_tree, workspace_for
from dovetail.runtime.jit import jit_in_place
from dovetail.runtime.warmup import warm


@jit_in_place
def add_impulses(tree, workspace, label, force, torque, time, p):
    """p += time J^T (force, torque): momenta (n_v,) of wrenches (n, 3) at the centres of mass.

    Positions must be known; workspace.F is used.
    """
    F, R, o, S, parent, v_start = (
        workspace.F,
        workspace.R,
        workspace.o,
        workspace.S,
        tree.parent,
        tree.v_start,
    )
    for i in range(parent.size):
        store6(F, i, ZERO, ZERO)
    for body in range(label.size):
        i = label[body]
        if i > 0:
            f = load3(force, body)
            arm = matvec(load33(R, i), load3(tree.com, i))
            store6(F, i, add(load3(torque, body), cross(arm, f)), f)
    for i in range(parent.size - 1, 0, -1):
        moment, f = load6(F, i)
        for k in range(v_start[i], v_start[i + 1]):
            sw, sv = load6(S, k)
            p[k] += time * (dot(sw, moment) + dot(sv, f))
        above = parent[i]
        if above > 0:
            r = sub(load3(o, i), load3(o, above))
            moment_above, f_above = load6(F, above)
            store6(F, above, add(add(moment_above, moment), cross(r, f)), add(f_above, f))


@jit_in_place
def unit_impulse(body, k, force, torque):
    """Wrenches (n, 3) of which only component k of one body's (force, torque) is 1."""
    for i in range(force.shape[0]):
        store3(force, i, ZERO)
        store3(torque, i, ZERO)
    if k < 3:
        force[body, k] = 1.0
    else:
        torque[body, k - 3] = 1.0


@jit_in_place
def read_responses(tree, workspace, frames, label, v, rows, bodies, responses, column):
    """Column of `responses` (6m, 6m): (v, spin) of the m `bodies` at joint velocities v (n_v,)."""
    velocities(tree, v, workspace)
    body_motion(tree, workspace, frames, label, rows)
    for place in range(bodies.size):
        i = bodies[place]
        spin = matvec(load33(rows.R, i), load3(rows.omega, i))
        for k in range(3):
            responses[6 * place + k, column] = rows.v[i, k]
            responses[6 * place + 3 + k, column] = spin[k]


_rows, _none = np.empty((0, 3)), np.empty(0)
_labels = np.empty(0, np.int64)
warm(add_impulses, empty_tree(), workspace_for(0, 0), _labels, _rows, _rows, 0.0, _none)
