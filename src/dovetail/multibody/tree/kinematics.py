"""Where the bodies of a tree are and how they move, from joint coordinates q and velocities v.

Coordinates of a joint, child relative to parent, in the joint frame (z along the axis):
    revolute     q = turn about z                    v = q'
    prismatic    q = slide along z                   v = q'
    cylindrical  q = turn, slide                     v = q'
    universal    q = turn about z, then about x      v = q'
    screw        q = turn, with a slide of lead * q  v = q'
    planar       q = slides along x and y, turn      v = q'  (slides along the parent's x and y)
    spherical    q = quaternion (w, x, y, z)         v = angular velocity in the child's frame
    free         q = position, quaternion            v = linear, angular velocity of the child's
                                                         origin, both in the child's frame
"""

import math

import numpy as np

from dovetail.linalg.so3 import from_quaternion
from dovetail.linalg.vec3 import (
    ZERO,
    add,
    add_scaled,
    cross,
    load3,
    load33,
    matmul,
    matvec,
    scale,
    store3,
    store33,
    sub,
)
from dovetail.multibody.tree.records import (
    CYLINDRICAL,
    FREE,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    SCREW,
    SPHERICAL,
    UNIVERSAL,
    empty_tree,
    scratch_for,
)
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.warmup import warm


@jit
def load6(a, i):
    """Row i of an (n, 6) array as two vectors."""
    return (a[i, 0], a[i, 1], a[i, 2]), (a[i, 3], a[i, 4], a[i, 5])


@jit
def store6(a, i, first, second):
    """Row i of an (n, 6) array becomes two vectors."""
    a[i, 0] = first[0]
    a[i, 1] = first[1]
    a[i, 2] = first[2]
    a[i, 3] = second[0]
    a[i, 4] = second[1]
    a[i, 5] = second[2]


@jit
def column(A, j):
    """Column j of a matrix."""
    return (A[0][j], A[1][j], A[2][j])


@jit
def turned_about_z(R, angle):
    """R Rz(angle)."""
    c, s = math.cos(angle), math.sin(angle)
    a, b, d = R[0], R[1], R[2]
    return (
        (c * a[0] + s * a[1], c * a[1] - s * a[0], a[2]),
        (c * b[0] + s * b[1], c * b[1] - s * b[0], b[2]),
        (c * d[0] + s * d[1], c * d[1] - s * d[0], d[2]),
    )


@jit
def turned_about_x(R, angle):
    """R Rx(angle)."""
    c, s = math.cos(angle), math.sin(angle)
    a, b, d = R[0], R[1], R[2]
    return (
        (a[0], c * a[1] + s * a[2], c * a[2] - s * a[1]),
        (b[0], c * b[1] + s * b[2], c * b[2] - s * b[1]),
        (d[0], c * d[1] + s * d[2], c * d[2] - s * d[1]),
    )


@jit_in_place
def positions(tree, q, scratch):
    """Rotation R, origin o and motion subspace S of every body.

    Helpers that take arrays must be free of branches: Numba drops the reference counts of their
    arguments only in straight-line code, and keeping them triples the time.
    """
    parent, kind, q_start, v_start = tree.parent, tree.kind, tree.q_start, tree.v_start
    joint_axes, joint_point, leads = tree.joint_axes, tree.joint_point, tree.lead
    R, o, S = scratch.R, scratch.o, scratch.S
    for i in range(1, parent.size):
        a = q_start[i]
        k = v_start[i]
        Rp = load33(R, parent[i])
        base = matmul(Rp, load33(joint_axes, i))
        origin = add(load3(o, parent[i]), matvec(Rp, load3(joint_point, i)))
        turned = base
        z = column(base, 2)
        if kind[i] == REVOLUTE:
            turned = turned_about_z(base, q[a])
            store6(S, k, z, ZERO)
        elif kind[i] == PRISMATIC:
            origin = add_scaled(origin, q[a], z)
            store6(S, k, ZERO, z)
        elif kind[i] == CYLINDRICAL:
            turned = turned_about_z(base, q[a])
            origin = add_scaled(origin, q[a + 1], z)
            store6(S, k, z, ZERO)
            store6(S, k + 1, ZERO, z)
        elif kind[i] == SCREW:
            turned = turned_about_z(base, q[a])
            origin = add_scaled(origin, leads[i] * q[a], z)
            store6(S, k, z, scale(leads[i], z))
        elif kind[i] == UNIVERSAL:
            turned = turned_about_z(base, q[a])
            store6(S, k, z, ZERO)
            store6(S, k + 1, column(turned, 0), ZERO)
            turned = turned_about_x(turned, q[a + 1])
        elif kind[i] == PLANAR:
            x, y = column(base, 0), column(base, 1)
            origin = add_scaled(add_scaled(origin, q[a], x), q[a + 1], y)
            turned = turned_about_z(base, q[a + 2])
            store6(S, k, ZERO, x)
            store6(S, k + 1, ZERO, y)
            store6(S, k + 2, z, ZERO)
        elif kind[i] == SPHERICAL:
            turned = matmul(base, from_quaternion((q[a], q[a + 1], q[a + 2], q[a + 3])))
            store6(S, k, column(turned, 0), ZERO)
            store6(S, k + 1, column(turned, 1), ZERO)
            store6(S, k + 2, column(turned, 2), ZERO)
        elif kind[i] == FREE:
            origin = add(origin, matvec(base, (q[a], q[a + 1], q[a + 2])))
            turned = matmul(base, from_quaternion((q[a + 3], q[a + 4], q[a + 5], q[a + 6])))
            x, y, z = column(turned, 0), column(turned, 1), column(turned, 2)
            store6(S, k, ZERO, x)
            store6(S, k + 1, ZERO, y)
            store6(S, k + 2, ZERO, z)
            store6(S, k + 3, x, ZERO)
            store6(S, k + 4, y, ZERO)
            store6(S, k + 5, z, ZERO)
        store33(R, i, turned)
        store3(o, i, origin)


@jit_in_place
def velocities(tree, v, scratch):
    """Velocity V and velocity-caused acceleration C of every body; positions must be known.

    V_i = V_p + S v;  C_i = V_p x (S v) + S' v, with S' as seen in the frame S is constant in.
    """
    parent, kind, v_start = tree.parent, tree.kind, tree.v_start
    o, S, V, C = scratch.o, scratch.S, scratch.V, scratch.C
    for i in range(1, parent.size):
        r = sub(load3(o, i), load3(o, parent[i]))
        wp, vp = load6(V, parent[i])
        vp = add(vp, cross(wp, r))
        wj, vj = ZERO, ZERO
        k = v_start[i]
        for j in range(k, v_start[i + 1]):
            sw, sv = load6(S, j)
            wj = add_scaled(wj, v[j], sw)
            vj = add_scaled(vj, v[j], sv)
        cw = cross(wp, wj)
        cv = add(cross(wp, vj), cross(vp, wj))
        if kind[i] == UNIVERSAL:  # the second axis is carried round by the first turn
            cw = add_scaled(cw, v[k] * v[k + 1], cross(load6(S, k)[0], load6(S, k + 1)[0]))
        elif kind[i] == PLANAR:  # the child's frame turns under slides that stay in the parent's
            cv = add(cv, cross(vj, wj))
        store6(V, i, add(wp, wj), add(vp, vj))
        store6(C, i, cw, cv)


_TREE, _SCRATCH, _VECTOR = empty_tree(), scratch_for(0, 0), np.empty(0)
warm(positions, _TREE, _VECTOR, _SCRATCH)
warm(velocities, _TREE, _VECTOR, _SCRATCH)
