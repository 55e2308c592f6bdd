"""Articulated bodies: accelerations from efforts, linear in the number of bodies."""

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
from dovetail.multibody.tree.inertia import (
    add_to_parent,
    full_times,
    load_full,
    load_symmetric,
    rotated_inertia,
    store_rigid,
    symmetric_times,
    transposed_times,
    without_full,
    without_symmetric,
)
from dovetail.multibody.tree.kinematics import load6, positions, store6, velocities
from dovetail.multibody.tree.records import empty_tree, workspace_for
from dovetail.runtime.jit import jit_in_place
from dovetail.runtime.warmup import warm


@jit_in_place
def forward_dynamics(tree, workspace, gravity, q, v, tau, wrench, a):
    """a = M(q)^-1 (tau - h(q, v) + J^T wrench), without building M.

    Featherstone 2008, table 7.1. The coordinates of one joint are eliminated one after the other,
    as if massless bodies stood between them, so no matrix is inverted whatever the joint.
    gravity is a 3-tuple [m/s^2]; wrench (n + 1, 6): torque and force on each body at its centre
    of mass, world axes.
    """
    positions(tree, q, workspace)
    velocities(tree, v, workspace)
    _rigid_inertias_and_biases(tree, workspace, wrench)
    _eliminate_joints(tree, workspace, tau)
    _accelerate_bodies(tree, workspace, gravity, a)


@jit_in_place
def _rigid_inertias_and_biases(tree, workspace, wrench):
    """Inertia of each body at its origin, and the force its velocity needs less what acts on it."""
    masses, coms, inertias = tree.mass, tree.com, tree.inertia
    R, V, I, F = workspace.R, workspace.V, workspace.I, workspace.F
    for i in range(1, masses.size):
        mass = masses[i]
        Ri = load33(R, i)
        c = matvec(Ri, load3(coms, i))
        Jc = rotated_inertia(Ri, load_symmetric(inertias, i, 0))
        w, u = load6(V, i)
        torque, force = load6(wrench, i)
        f = sub(scale(mass, cross(w, add(u, cross(w, c)))), force)
        m = add(sub(cross(w, symmetric_times(Jc, w)), torque), cross(c, f))
        store6(F, i, m, f)
        store_rigid(I, i, mass, c, Jc)


@jit_in_place
def _eliminate_joints(tree, workspace, tau):
    """Reduce each articulated inertia by its joint's freedoms and hand it to the parent."""
    parent, v_start = tree.parent, tree.v_start
    o, S, C, I, F = workspace.o, workspace.S, workspace.C, workspace.I, workspace.F
    U, D, armature = workspace.U, workspace.D, tree.armature
    for i in range(parent.size - 1, 0, -1):
        J, H, M = load_symmetric(I, i, 0), load_full(I, i, 6), load_symmetric(I, i, 15)
        m, f = load6(F, i)
        cw, cv = load6(C, i)
        m = add(m, add(symmetric_times(J, cw), full_times(H, cv)))
        f = add(f, add(transposed_times(H, cw), symmetric_times(M, cv)))
        for k in range(v_start[i + 1] - 1, v_start[i] - 1, -1):
            sw, sv = load6(S, k)
            um = add(symmetric_times(J, sw), full_times(H, sv))
            uf = add(transposed_times(H, sw), symmetric_times(M, sv))
            inverse = 1.0 / (dot(sw, um) + dot(sv, uf) + armature[k])
            effort = tau[k] - dot(sw, m) - dot(sv, f)
            store6(U, k, um, uf)
            D[k, 0] = inverse
            D[k, 1] = effort
            J = without_symmetric(J, inverse, um)
            H = without_full(H, inverse, um, uf)
            M = without_symmetric(M, inverse, uf)
            m = add_scaled(m, inverse * effort, um)
            f = add_scaled(f, inverse * effort, uf)
        p = parent[i]
        if p > 0:
            r = sub(load3(o, i), load3(o, p))
            add_to_parent(I, p, J, H, M, r)
            mp, fp = load6(F, p)
            store6(F, p, add(add(mp, m), cross(r, f)), add(fp, f))


@jit_in_place
def _accelerate_bodies(tree, workspace, gravity, a):
    """Accelerations of each joint's coordinates and of its body, from the parent's."""
    parent, v_start = tree.parent, tree.v_start
    o, S, C, A = workspace.o, workspace.S, workspace.C, workspace.A
    U, D = workspace.U, workspace.D
    store6(A, 0, ZERO, (-gravity[0], -gravity[1], -gravity[2]))
    for i in range(1, parent.size):
        alpha, acc = load6(A, parent[i])
        acc = add(acc, cross(alpha, sub(load3(o, i), load3(o, parent[i]))))
        for k in range(v_start[i], v_start[i + 1]):
            um, uf = load6(U, k)
            a[k] = D[k, 0] * (D[k, 1] - dot(um, alpha) - dot(uf, acc))
            sw, sv = load6(S, k)
            alpha = add_scaled(alpha, a[k], sw)
            acc = add_scaled(acc, a[k], sv)
        cw, cv = load6(C, i)  # what it costs in force is already in the efforts left over
        store6(A, i, add(alpha, cw), add(acc, cv))


_VECTOR, _WRENCH = np.empty(0), np.empty((0, 6))
warm(
    forward_dynamics,
    empty_tree(),
    workspace_for(0, 0),
    (0.0, 0.0, 0.0),
    _VECTOR,
    _VECTOR,
    _VECTOR,
    _WRENCH,
    _VECTOR,
)
