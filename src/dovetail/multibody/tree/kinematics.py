"""Where the bodies of a tree are and how they move, from joint coordinates q and velocities v.

A joint is a list of elementary motions from parent to child (`model.joints.motions`, which says
what q and v mean for each). Every motion moves the frame that the ones before it have left:
    ROTATION     frame <- frame R_k(q)                            S = (e_k, 0)
    TRANSLATION  origin <- origin + q e_k                         S = (0, e_k)
    HELIX        both, with an advance of lead q                  S = (e_k, lead e_k)
    BALL         frame <- frame R(q), q a quaternion              S = (child's axes, 0)
    FREE         origin and frame, q = (position, quaternion)     S = child's axes, linear first
with e_k the k-th axis of the frame just before the motion. A joint whose first body is the child
has its motions in reverse order and with the opposite sign; its coordinates keep their places.
A joint of one motion has z along it and skips the loop over motions, which costs registers.
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
from dovetail.model.joints.motions import BALL, FREE, HELIX, ROTATION, TRANSLATION
from dovetail.multibody.tree.records import (
    ANGULAR,
    AXIS,
    CODE,
    LINEAR,
    Q_INDEX,
    V_INDEX,
    empty_tree,
    workspace_for,
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
def axis_of(A, k):
    """Column k of a matrix, for k known only when it runs."""
    if k == 2:
        return column(A, 2)
    if k == 0:
        return column(A, 0)
    return column(A, 1)


@jit
def rotated(R, k, angle):
    """R R_k(angle): a frame rotated about its own axis k."""
    c, s = math.cos(angle), math.sin(angle)
    a, b, d = R[0], R[1], R[2]
    if k == 2:
        return (
            (c * a[0] + s * a[1], c * a[1] - s * a[0], a[2]),
            (c * b[0] + s * b[1], c * b[1] - s * b[0], b[2]),
            (c * d[0] + s * d[1], c * d[1] - s * d[0], d[2]),
        )
    if k == 0:
        return (
            (a[0], c * a[1] + s * a[2], c * a[2] - s * a[1]),
            (b[0], c * b[1] + s * b[2], c * b[2] - s * b[1]),
            (d[0], c * d[1] + s * d[2], c * d[2] - s * d[1]),
        )
    return (
        (c * a[0] - s * a[2], a[1], c * a[2] + s * a[0]),
        (c * b[0] - s * b[2], b[1], c * b[2] + s * b[0]),
        (c * d[0] - s * d[2], d[1], c * d[2] + s * d[0]),
    )


@jit_in_place
def positions(tree, q, workspace):
    """Rotation R, origin o and motion subspace S of every body.

    Helpers that take arrays must be free of branches: Numba drops the reference counts of their
    arguments only in straight-line code, and keeping them triples the time.
    """
    parent, single, q_start, v_start = tree.parent, tree.single, tree.q_start, tree.v_start
    start, motion, signs = tree.motion_start, tree.motion, tree.motion_sign
    joint_axes, joint_point, leads = tree.joint_axes, tree.joint_point, tree.lead
    R, o, S = workspace.R, workspace.o, workspace.S
    for i in range(1, parent.size):
        Rp = load33(R, parent[i])
        frame = matmul(Rp, load33(joint_axes, i))
        origin = add(load3(o, parent[i]), matvec(Rp, load3(joint_point, i)))
        a, k = q_start[i], v_start[i]
        z = column(frame, 2)
        if single[i] == ROTATION:
            frame = rotated(frame, 2, q[a])
            store6(S, k, z, ZERO)
        elif single[i] == TRANSLATION:
            origin = add_scaled(origin, q[a], z)
            store6(S, k, ZERO, z)
        elif single[i] == HELIX:
            frame = rotated(frame, 2, q[a])
            origin = add_scaled(origin, leads[i] * q[a], z)
            store6(S, k, z, scale(leads[i], z))
        elif single[i] == BALL:
            frame = matmul(frame, from_quaternion((q[a], q[a + 1], q[a + 2], q[a + 3])))
            store6(S, k, column(frame, 0), ZERO)
            store6(S, k + 1, column(frame, 1), ZERO)
            store6(S, k + 2, column(frame, 2), ZERO)
        elif single[i] == FREE:
            origin = add(origin, matvec(frame, (q[a], q[a + 1], q[a + 2])))
            frame = matmul(frame, from_quaternion((q[a + 3], q[a + 4], q[a + 5], q[a + 6])))
            x, y, z = column(frame, 0), column(frame, 1), column(frame, 2)
            store6(S, k, ZERO, x)
            store6(S, k + 1, ZERO, y)
            store6(S, k + 2, ZERO, z)
            store6(S, k + 3, x, ZERO)
            store6(S, k + 4, y, ZERO)
            store6(S, k + 5, z, ZERO)
        else:
            for j in range(start[i], start[i + 1]):
                code, a, k = motion[j, CODE], motion[j, Q_INDEX], motion[j, V_INDEX]
                along = scale(signs[j], axis_of(frame, motion[j, AXIS]))
                if code == ROTATION:
                    frame = rotated(frame, motion[j, AXIS], signs[j] * q[a])
                    store6(S, k, along, ZERO)
                elif code == TRANSLATION:
                    origin = add_scaled(origin, q[a], along)
                    store6(S, k, ZERO, along)
                elif code == HELIX:
                    frame = rotated(frame, motion[j, AXIS], signs[j] * q[a])
                    origin = add_scaled(origin, leads[i] * q[a], along)
                    store6(S, k, along, scale(leads[i], along))
                elif code == BALL:
                    frame = matmul(frame, from_quaternion((q[a], q[a + 1], q[a + 2], q[a + 3])))
                    store6(S, k, column(frame, 0), ZERO)
                    store6(S, k + 1, column(frame, 1), ZERO)
                    store6(S, k + 2, column(frame, 2), ZERO)
        store33(R, i, frame)
        store3(o, i, origin)
        if tree.carries[i] == 1:
            _refer_to_end(start, motion, i, q, S)


@jit_in_place
def _refer_to_end(start, motion, i, q, S):
    """Refer the rotations in S to the origin of body i, to which later motions have led."""
    left = ZERO  # from the end of motion j to the end of the last one
    for j in range(start[i + 1] - 1, start[i] - 1, -1):
        k = motion[j, V_INDEX]
        if motion[j, CODE] == TRANSLATION:
            left = add_scaled(left, q[motion[j, Q_INDEX]], load6(S, k)[1])
        else:
            for column_ in range(k, k + _columns(motion[j, CODE])):
                sw, sv = load6(S, column_)
                store6(S, column_, sw, add(sv, cross(sw, left)))
                if motion[j, CODE] == HELIX:
                    left = add_scaled(left, q[motion[j, Q_INDEX]], sv)


@jit_in_place
def velocities(tree, v, workspace):
    """Velocity V and velocity-caused acceleration C of every body; positions must be known.

    V_i = V_p + S v;  C_i = V_p x (S v) + sum_j (sum_{i<j} S_i v_i) x (S_j v_j) over its motions,
    with x the spatial cross product: every motion is carried by the ones before it. Featherstone
    2008, eq. 3.55. Where all motions of a joint commute the sum is zero and left out.
    """
    parent, v_start, couples = tree.parent, tree.v_start, tree.couples
    o, S, V, C = workspace.o, workspace.S, workspace.V, workspace.C
    for i in range(1, parent.size):
        r = sub(load3(o, i), load3(o, parent[i]))
        wp, vp = load6(V, parent[i])
        vp = add(vp, cross(wp, r))
        wj, vj = ZERO, ZERO
        for j in range(v_start[i], v_start[i + 1]):
            sw, sv = load6(S, j)
            wj = add_scaled(wj, v[j], sw)
            vj = add_scaled(vj, v[j], sv)
        store6(V, i, add(wp, wj), add(vp, vj))
        store6(C, i, cross(wp, wj), add(cross(wp, vj), cross(vp, wj)))
        if couples[i] & ANGULAR:
            _add_carried_rotations(tree, i, v, workspace)
        if couples[i] & LINEAR:
            _add_carried_translations(tree, i, v, workspace)


@jit_in_place
def _add_carried_rotations(tree, i, v, workspace):
    """Add the angular part of the sum for joint i to C_i."""
    start, motion, S = tree.motion_start, tree.motion, workspace.S
    cw, cv = load6(workspace.C, i)
    for j in range(start[i] + 1, start[i + 1]):
        for k in range(motion[j, V_INDEX], motion[j, V_INDEX] + _columns(motion[j, CODE])):
            sw = load6(S, k)[0]
            for before in range(start[i], j):
                first = motion[before, V_INDEX]
                for m in range(first, first + _columns(motion[before, CODE])):
                    cw = add_scaled(cw, v[m] * v[k], cross(load6(S, m)[0], sw))
    store6(workspace.C, i, cw, cv)


@jit_in_place
def _add_carried_translations(tree, i, v, workspace):
    """Add the linear part of the sum for joint i to C_i."""
    start, motion, S = tree.motion_start, tree.motion, workspace.S
    cw, cv = load6(workspace.C, i)
    w, u = ZERO, ZERO  # velocity of the motions before j
    for j in range(start[i], start[i + 1]):
        wj, uj = ZERO, ZERO
        for k in range(motion[j, V_INDEX], motion[j, V_INDEX] + _columns(motion[j, CODE])):
            sw, su = load6(S, k)
            wj, uj = add_scaled(wj, v[k], sw), add_scaled(uj, v[k], su)
        cv = add(cv, add(cross(u, wj), cross(w, uj)))
        w, u = add(w, wj), add(u, uj)
    store6(workspace.C, i, cw, cv)


@jit
def _columns(code):
    """Velocities of a motion that is one of several in its joint."""
    return 3 if code == BALL else 1


_TREE, _WORKSPACE, _VECTOR = empty_tree(), workspace_for(0, 0), np.empty(0)
warm(positions, _TREE, _VECTOR, _WORKSPACE)
warm(velocities, _TREE, _VECTOR, _WORKSPACE)
