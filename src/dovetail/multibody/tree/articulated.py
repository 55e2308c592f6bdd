"""Articulated inertias kept as factors of the mass matrix: M x = b at linear cost, many times."""

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
from dovetail.multibody.tree.kinematics import load6, store6
from dovetail.multibody.tree.records import empty_tree, workspace_for
from dovetail.runtime.jit import jit_in_place
from dovetail.runtime.warmup import warm


@jit_in_place
def articulated_factor(tree, workspace, extra):
    """Factors of M + diag(extra) into workspace.U and workspace.D[:, 0]; positions must be known.

    Featherstone 2008, table 7.1, the part that depends on the configuration alone. The coordinates
    of one joint are eliminated one after the other. Returns -1, or a coordinate without inertia.
    """
    parent, v_start = tree.parent, tree.v_start
    masses, coms, inertias = tree.mass, tree.com, tree.inertia
    R, o, S, I = workspace.R, workspace.o, workspace.S, workspace.I
    U, D, armature = workspace.U, workspace.D, tree.armature
    for i in range(1, parent.size):
        mass = masses[i]
        Ri = load33(R, i)
        c = matvec(Ri, load3(coms, i))
        Jc = rotated_inertia(Ri, load_symmetric(inertias, i, 0))
        store_rigid(I, i, mass, c, Jc)
    for i in range(parent.size - 1, 0, -1):
        J, H, M = load_symmetric(I, i, 0), load_full(I, i, 6), load_symmetric(I, i, 15)
        for k in range(v_start[i + 1] - 1, v_start[i] - 1, -1):
            sw, sv = load6(S, k)
            um = add(symmetric_times(J, sw), full_times(H, sv))
            uf = add(transposed_times(H, sw), symmetric_times(M, sv))
            diagonal = dot(sw, um) + dot(sv, uf) + armature[k] + extra[k]
            if not diagonal > 0.0:
                return k
            inverse = 1.0 / diagonal
            store6(U, k, um, uf)
            D[k, 0] = inverse
            J = without_symmetric(J, inverse, um)
            H = without_full(H, inverse, um, uf)
            M = without_symmetric(M, inverse, uf)
        p = parent[i]
        if p > 0:
            r = sub(load3(o, i), load3(o, p))
            add_to_parent(I, p, J, H, M, r)
    return -1


@jit_in_place
def articulated_solve(tree, workspace, wrench, b, x):
    """x = (M + diag(extra))^-1 (N^T wrench + b) by the factors of `articulated_factor`.

    wrench (n + 1, 6): moment about the origin of each body, and force. They are passed on from body
    to body without what the joints take, and never summed: in a chain of n links sums over all that
    a joint carries would lose a factor n^2 of accuracy. workspace.A becomes N x; x may be b itself.
    """
    parent, v_start = tree.parent, tree.v_start
    o, S, A, F = workspace.o, workspace.S, workspace.A, workspace.F
    U, D = workspace.U, workspace.D
    for i in range(1, parent.size):
        moment, force = load6(wrench, i)
        store6(F, i, scale(-1.0, moment), scale(-1.0, force))
    for i in range(parent.size - 1, 0, -1):
        m, f = load6(F, i)
        for k in range(v_start[i + 1] - 1, v_start[i] - 1, -1):
            sw, sv = load6(S, k)
            left = b[k] - dot(sw, m) - dot(sv, f)
            D[k, 1] = left
            um, uf = load6(U, k)
            m = add_scaled(m, D[k, 0] * left, um)
            f = add_scaled(f, D[k, 0] * left, uf)
        p = parent[i]
        if p > 0:
            r = sub(load3(o, i), load3(o, p))
            mp, fp = load6(F, p)
            store6(F, p, add(add(mp, m), cross(r, f)), add(fp, f))
    store6(A, 0, ZERO, ZERO)
    for i in range(1, parent.size):
        alpha, acc = load6(A, parent[i])
        acc = add(acc, cross(alpha, sub(load3(o, i), load3(o, parent[i]))))
        for k in range(v_start[i], v_start[i + 1]):
            um, uf = load6(U, k)
            x[k] = D[k, 0] * (D[k, 1] - dot(um, alpha) - dot(uf, acc))
            sw, sv = load6(S, k)
            alpha = add_scaled(alpha, x[k], sw)
            acc = add_scaled(acc, x[k], sv)
        store6(A, i, alpha, acc)


_VECTOR = np.empty(0)
warm(articulated_factor, empty_tree(), workspace_for(0, 0), _VECTOR)
warm(articulated_solve, empty_tree(), workspace_for(0, 0), np.empty((1, 6)), _VECTOR, _VECTOR)
