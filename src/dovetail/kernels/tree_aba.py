"""Articulated bodies: accelerations from efforts, linear in the number of bodies."""

from dovetail.kernels.jit import jit
from dovetail.kernels.tree_inertia import (
    about_point,
    full_times,
    load_full,
    load_symmetric,
    shifted_coupling,
    shifted_rotary,
    symmetric_times,
    transposed_times,
    turned_inertia,
    without_full,
    without_symmetric,
)
from dovetail.kernels.tree_motion import load6, move_body, place_body, store6
from dovetail.kernels.vec3 import (
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


@jit
def forward_dynamics(tree, scratch, gravity, q, v, tau, wrench, a):
    """a = M(q)^-1 (tau - h(q, v) + J^T wrench), without building M.

    Featherstone 2008, table 7.1. The coordinates of one joint are eliminated one after the other,
    as if massless bodies stood between them, so no matrix is inverted whatever the joint.
    gravity is a 3-tuple [m/s^2]; wrench (n + 1, 6): torque and force on each body at its centre
    of mass, world axes.
    """
    o, S, V, C, A = scratch.o, scratch.S, scratch.V, scratch.C, scratch.A
    I, F, U, D = scratch.I, scratch.F, scratch.U, scratch.D
    n = tree.parent.size
    for i in range(1, n):
        place_body(tree, i, q, scratch.R, o, S)
        move_body(tree, i, v, o, S, V, C)
        _rigid_inertia_and_bias(tree, i, scratch.R, V, wrench, I, F)
    for i in range(n - 1, 0, -1):
        _eliminate_joint(tree, i, tau, o, S, C, I, F, U, D)
    store6(A, 0, (0.0, 0.0, 0.0), (-gravity[0], -gravity[1], -gravity[2]))
    for i in range(1, n):
        _accelerate_body(tree, i, a, o, S, C, U, D, A)


@jit
def _rigid_inertia_and_bias(tree, i, R, V, wrench, I, F):
    """Inertia of body i at its origin, and the force its velocity needs less what acts on it."""
    mass = tree.mass[i]
    Ri = load33(R, i)
    c = matvec(Ri, load3(tree.com, i))
    Jc = turned_inertia(Ri, load_symmetric(tree.inertia, i, 0))
    w, u = load6(V, i)
    torque, force = load6(wrench, i)
    f = sub(scale(mass, cross(w, add(u, cross(w, c)))), force)
    m = add(sub(cross(w, symmetric_times(Jc, w)), torque), cross(c, f))
    store6(F, i, m, f)
    J = about_point(Jc, mass, c)
    for k in range(6):
        I[i, k] = J[k]
    x, y, z = mass * c[0], mass * c[1], mass * c[2]
    H = (0.0, -z, y, z, 0.0, -x, -y, x, 0.0)
    for k in range(9):
        I[i, 6 + k] = H[k]
    M = (mass, 0.0, 0.0, mass, 0.0, mass)
    for k in range(6):
        I[i, 15 + k] = M[k]


@jit
def _eliminate_joint(tree, i, tau, o, S, C, I, F, U, D):
    """Reduce body i's articulated inertia by its joint's freedoms and hand it to the parent."""
    J, H, M = load_symmetric(I, i, 0), load_full(I, i, 6), load_symmetric(I, i, 15)
    m, f = load6(F, i)
    cw, cv = load6(C, i)
    m = add(m, add(symmetric_times(J, cw), full_times(H, cv)))
    f = add(f, add(transposed_times(H, cw), symmetric_times(M, cv)))
    for k in range(tree.v_start[i + 1] - 1, tree.v_start[i] - 1, -1):
        sw, sv = load6(S, k)
        um = add(symmetric_times(J, sw), full_times(H, sv))
        uf = add(transposed_times(H, sw), symmetric_times(M, sv))
        inverse = 1.0 / (dot(sw, um) + dot(sv, uf))
        effort = tau[k] - dot(sw, m) - dot(sv, f)
        store6(U, k, um, uf)
        D[k, 0] = inverse
        D[k, 1] = effort
        J = without_symmetric(J, inverse, um)
        H = without_full(H, inverse, um, uf)
        M = without_symmetric(M, inverse, uf)
        m = add_scaled(m, inverse * effort, um)
        f = add_scaled(f, inverse * effort, uf)
    p = tree.parent[i]
    if p > 0:
        r = sub(load3(o, i), load3(o, p))
        K = shifted_coupling(H, M, r)
        J = shifted_rotary(J, H, K, r)
        for k in range(6):
            I[p, k] += J[k]
        for k in range(9):
            I[p, 6 + k] += K[k]
        for k in range(6):
            I[p, 15 + k] += M[k]
        mp, fp = load6(F, p)
        store6(F, p, add(add(mp, m), cross(r, f)), add(fp, f))


@jit
def _accelerate_body(tree, i, a, o, S, C, U, D, A):
    """Accelerations of joint i's coordinates and of body i, from the parent's."""
    p = tree.parent[i]
    alpha, acc = load6(A, p)
    acc = add(acc, cross(alpha, sub(load3(o, i), load3(o, p))))
    for k in range(tree.v_start[i], tree.v_start[i + 1]):
        um, uf = load6(U, k)
        a[k] = D[k, 0] * (D[k, 1] - dot(um, alpha) - dot(uf, acc))
        sw, sv = load6(S, k)
        alpha = add_scaled(alpha, a[k], sw)
        acc = add_scaled(acc, a[k], sv)
    cw, cv = load6(C, i)  # what it costs in force is already in the efforts left over
    store6(A, i, add(alpha, cw), add(acc, cv))
