"""Recursive Newton-Euler: the efforts that a motion needs, linear in the number of bodies."""

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
from dovetail.multibody.tree.inertia import load_symmetric, rotated_inertia, symmetric_times
from dovetail.multibody.tree.kinematics import load6, positions, store6, velocities
from dovetail.multibody.tree.records import empty_tree, workspace_for
from dovetail.runtime.jit import jit_in_place
from dovetail.runtime.warmup import warm


@jit_in_place
def inverse_dynamics(tree, workspace, gravity, q, v, a, wrench, tau):
    """tau = M(q) a + h(q, v) - J^T wrench.

    Luh, Walker, Paul 1980; Featherstone 2008, table 5.1. gravity is a 3-tuple [m/s^2];
    wrench (n + 1, 6): torque and force on each body at its centre of mass, world axes.
    """
    positions(tree, q, workspace)
    velocities(tree, v, workspace)
    _forces_of_motion(tree, workspace, gravity, a, wrench)
    parent, v_start = tree.parent, tree.v_start
    o, S, F, armature = workspace.o, workspace.S, workspace.F, tree.armature
    for i in range(parent.size - 1, 0, -1):
        m, f = load6(F, i)
        for k in range(v_start[i], v_start[i + 1]):
            sw, sv = load6(S, k)
            tau[k] = dot(sw, m) + dot(sv, f) + armature[k] * a[k]
        if parent[i] > 0:
            mp, fp = load6(F, parent[i])
            r = sub(load3(o, i), load3(o, parent[i]))
            store6(F, parent[i], add(add(mp, m), cross(r, f)), add(fp, f))


@jit_in_place
def _forces_of_motion(tree, workspace, gravity, a, wrench):
    """Acceleration of every body, and the force it takes less what acts on it."""
    parent, v_start, masses = tree.parent, tree.v_start, tree.mass
    coms, inertias = tree.com, tree.inertia
    R, o, S = workspace.R, workspace.o, workspace.S
    V, C, A, F = workspace.V, workspace.C, workspace.A, workspace.F
    store6(A, 0, ZERO, (-gravity[0], -gravity[1], -gravity[2]))
    for i in range(1, parent.size):
        alpha, acc = load6(A, parent[i])
        acc = add(acc, cross(alpha, sub(load3(o, i), load3(o, parent[i]))))
        cw, cv = load6(C, i)
        alpha, acc = add(alpha, cw), add(acc, cv)
        for k in range(v_start[i], v_start[i + 1]):
            sw, sv = load6(S, k)
            alpha = add_scaled(alpha, a[k], sw)
            acc = add_scaled(acc, a[k], sv)
        store6(A, i, alpha, acc)

        w, u = load6(V, i)
        Ri = load33(R, i)
        c = matvec(Ri, load3(coms, i))
        J = rotated_inertia(Ri, load_symmetric(inertias, i, 0))
        # Newton and Euler at the centre of mass; spatial plus w x v is the usual acceleration
        u = add(u, cross(w, c))
        torque, force = load6(wrench, i)
        f = scale(masses[i], add(add(acc, cross(alpha, c)), cross(w, u)))
        f = sub(f, force)
        m = add(symmetric_times(J, alpha), cross(w, symmetric_times(J, w)))
        m = add(sub(m, torque), cross(c, f))
        store6(F, i, m, f)


_VECTOR, _WRENCH = np.empty(0), np.empty((0, 6))
warm(
    inverse_dynamics,
    empty_tree(),
    workspace_for(0, 0),
    (0.0, 0.0, 0.0),
    _VECTOR,
    _VECTOR,
    _VECTOR,
    _WRENCH,
    _VECTOR,
)
