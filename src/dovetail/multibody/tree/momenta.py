"""Momenta of a tree's coordinates, and how the kinetic energy depends on the configuration."""

import numpy as np

from dovetail.linalg.vec3 import (
    ZERO,
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load33,
    matvec,
    scale,
    sub,
)
from dovetail.model.joints.motions import BALL
from dovetail.multibody.tree.inertia import load_symmetric, rotated_inertia, symmetric_times
from dovetail.multibody.tree.kinematics import load6, store6
from dovetail.multibody.tree.records import CODE, MANY, V_INDEX, empty_tree, workspace_for
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.warmup import warm


@jit_in_place
def momenta(tree, workspace, v, wrench, tau, momentum, push):
    """momentum = dT/dv = M v;  push = dT/dq + J^T wrench + tau, without building M.

    With H the momentum of all that joint k carries and V the velocity of what carries it,
        momentum_k = S_k . H,   dT/dq_k = H . (V x S_k):
    a rotation of k by dq rotates all it carries, which sees V rotated back by S_k dq. For a ball or
    a free motion q means a small motion in the child's frame. Positions and velocities must be
    known; wrench (n + 1, 6): torque and force on each body at its centre of mass.
    """
    _own_momenta_and_forces(tree, workspace, wrench)
    parent, single, v_start = tree.parent, tree.single, tree.v_start
    start, motion, armature = tree.motion_start, tree.motion, tree.armature
    o, S, V, H, F = workspace.o, workspace.S, workspace.V, workspace.A, workspace.F
    for i in range(parent.size - 1, 0, -1):
        p = parent[i]
        r = sub(load3(o, i), load3(o, p))
        turning, line = load6(H, i)
        moment, force = load6(F, i)
        wp, vp = load6(V, p)
        vp = add(vp, cross(wp, r))
        if single[i] != MANY:
            for k in range(v_start[i], v_start[i + 1]):
                sw, sv = load6(S, k)
                momentum[k] = dot(sw, turning) + dot(sv, line) + armature[k] * v[k]
                carried = _carried(turning, line, wp, vp, sw, sv)
                push[k] = tau[k] + dot(sw, moment) + dot(sv, force) + carried
        else:
            for j in range(start[i], start[i + 1]):
                first = motion[j, V_INDEX]
                after = first + (3 if motion[j, CODE] == BALL else 1)
                for k in range(first, after):
                    sw, sv = load6(S, k)
                    momentum[k] = dot(sw, turning) + dot(sv, line) + armature[k] * v[k]
                    carried = _carried(turning, line, wp, vp, sw, sv)
                    push[k] = tau[k] + dot(sw, moment) + dot(sv, force) + carried
                for k in range(first, after):
                    sw, sv = load6(S, k)
                    wp = add_scaled(wp, v[k], sw)
                    vp = add_scaled(vp, v[k], sv)
        if p > 0:
            above, line_above = load6(H, p)
            store6(H, p, add(add(above, turning), cross(r, line)), add(line_above, line))
            above, force_above = load6(F, p)
            store6(F, p, add(add(above, moment), cross(r, force)), add(force_above, force))


@jit
def _carried(turning, line, w, u, sw, su):
    """H . (V x S) with H = (turning, line), V = (w, u), S = (sw, su)."""
    return dot(turning, cross(w, sw)) + dot(line, add(cross(w, su), cross(u, sw)))


@jit_in_place
def _own_momenta_and_forces(tree, workspace, wrench):
    """Of each body alone, at its origin: momentum in workspace.A, forces in workspace.F."""
    masses, coms, inertias = tree.mass, tree.com, tree.inertia
    R, V, H, F = workspace.R, workspace.V, workspace.A, workspace.F
    store6(H, 0, ZERO, ZERO)
    for i in range(1, masses.size):
        Ri = load33(R, i)
        c = matvec(Ri, load3(coms, i))
        J = rotated_inertia(Ri, load_symmetric(inertias, i, 0))
        w, u = load6(V, i)
        line = scale(masses[i], add(u, cross(w, c)))
        store6(H, i, add(symmetric_times(J, w), cross(c, line)), line)
        torque, force = load6(wrench, i)
        store6(F, i, add(torque, cross(c, force)), force)


_VECTOR = np.empty(0)
warm(
    momenta,
    empty_tree(),
    workspace_for(0, 0),
    _VECTOR,
    np.empty((0, 6)),
    _VECTOR,
    _VECTOR,
    _VECTOR,
)
