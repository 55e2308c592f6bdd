r"""Displacements of the bodies of a tree in a step, and the momenta they mean; nothing cancels.

Body i moves from its start by the rigid displacement y -> o_i + d_i + Q_i (y - o_i), in world axes,
with o_i the origin of its frame at the start. Along its joint these are composed,
    Q_i = Q_p q_J,    d_i = d_p + (Q_p - 1) (o_i - o_p) + Q_p j_J,
where q_J, j_J are the exponential of the joint's twist sum_k xi_k S_k at the start. Rotations are
unit quaternions (u, w) whose vector part is small with the step: their product and
    (Q - 1) r = 2 w u x r + 2 u x (u x r)
have full relative accuracy, where differences of poses would be off by round-off / step.
"""

import math

from dovetail.linalg import stumpff
from dovetail.linalg.vec3 import ZERO, add, add_scaled, cross, dot, load3, scale, store3, sub
from dovetail.model.joints.motions import BALL, FREE
from dovetail.multibody.tree.inertia import load_symmetric, symmetric_times
from dovetail.multibody.tree.integrate import SMALL, half_rotation
from dovetail.multibody.tree.kinematics import load6, store6
from dovetail.multibody.tree.records import CODE, V_INDEX
from dovetail.runtime.jit import jit, jit_in_place

SMALL_SINE = 0.02  # square of a sine below which the angle is a polynomial


@jit
def moved(u, w, r):
    """(Q - 1) r."""
    ur = cross(u, r)
    return add_scaled(scale(2.0 * w, ur), 2.0, cross(u, ur))


@jit
def _load4(a, i):
    return (a[i, 0], a[i, 1], a[i, 2]), a[i, 3]


@jit_in_place
def displacements(tree, workspace, xi, Q, d):
    """Q (n + 1, 4), d (n + 1, 3) of joint displacements xi (n_v,); S and o are those of the start.

    Returns a body that rotates by pi or more, or -1.
    """
    parent, start, motion = tree.parent, tree.motion_start, tree.motion
    o, S = workspace.o, workspace.S
    for i in range(1, parent.size):
        p = parent[i]
        u, w = _load4(Q, p)
        shift = load3(d, p)
        if p > 0:
            shift = add(shift, moved(u, w, sub(load3(o, i), load3(o, p))))
        for j in range(start[i], start[i + 1]):
            first = motion[j, V_INDEX]
            count = 1
            if motion[j, CODE] == BALL:
                count = 3
            elif motion[j, CODE] == FREE:
                count = 6
            rotation, line = ZERO, ZERO
            for k in range(first, first + count):
                sw, sv = load6(S, k)
                rotation = add_scaled(rotation, xi[k], sw)
                line = add_scaled(line, xi[k], sv)
            s = dot(rotation, rotation)
            if line != ZERO:
                if s > 0.0:
                    x = math.sqrt(s)
                    bent = cross(rotation, line)
                    line = add_scaled(line, stumpff.c2(x), bent)
                    line = add_scaled(line, stumpff.c3(x), cross(rotation, bent))
                shift = add(shift, add(line, moved(u, w, line)))
            if s > 0.0:
                sine, cosine = half_rotation(s)
                turn = scale(sine, rotation)
                product = add_scaled(add_scaled(cross(u, turn), cosine, u), w, turn)
                w = w * cosine - dot(u, turn)
                u = product
        if not w > 0.0:
            return i
        Q[i, 0] = u[0]
        Q[i, 1] = u[1]
        Q[i, 2] = u[2]
        Q[i, 3] = w
        store3(d, i, shift)
    return -1


@jit
def rotation_vector(u, w):
    """The rotation vector f of a unit quaternion, |f| < pi: 2 asin(|u|) / |u| u."""
    s = dot(u, u)
    if s < SMALL_SINE:
        t = 0.01396484375 + s * (0.01155180089613971 + s * 0.009761609529194078)
        t = 0.022372159090909092 + s * (0.01735276442307692 + s * t)
        t = 0.044642857142857144 + s * (0.030381944444444444 + s * t)
        t = 1.0 + s * (0.16666666666666666 + s * (0.075 + s * t))
        return scale(2.0 * t, u)
    sine = math.sqrt(s)
    return scale(2.0 * math.atan2(sine, w) / sine, u)


@jit
def tangent_coefficient(f):
    """(1 - |f|/2 cot(|f|/2)) / |f|^2, which is the sum of |B_2k| / (2k)! |f|^(2k-2)."""
    s = dot(f, f)
    if s < SMALL:
        t = 5.284190138687493e-10 + s * 1.3382536530684679e-11
        t = 2.08767569878681e-08 + s * t
        t = 8.267195767195768e-07 + s * t
        t = 3.306878306878307e-05 + s * t
        t = 0.001388888888888889 + s * t
        return 0.08333333333333333 + s * t
    half = 0.5 * math.sqrt(s)
    return (1.0 - half / math.tan(half)) / s


@jit_in_place
def momenta_left(h, tree, Q, d, arm, J, target, P, left):
    """What the displacements need of momenta beyond `target`; returns twice their kinetic energy.

    Of a body: m dx / h, and h Pi = J f + f x J f / 2 + k f x (f x J f) in world axes, which is the
    same at the end (Huang et al. 2022, eqs. 15-18). arm (n + 1, 3) [m] of the centre of mass and
    J (n + 1, 6) are those of the start. P, target (n + 1, 6) are about the centre of mass, `left`
    is about the origin of the body's frame.
    """
    mass = tree.mass
    inverse, size = 1.0 / h, 0.0
    for i in range(1, mass.size):
        u, w = _load4(Q, i)
        c = load3(arm, i)
        dx = add(load3(d, i), moved(u, w, c))
        line = scale(inverse * mass[i], dx)
        f = rotation_vector(u, w)
        Jf = symmetric_times(load_symmetric(J, i, 0), f)
        fJf = cross(f, Jf)
        turning = add_scaled(add_scaled(Jf, 0.5, fJf), tangent_coefficient(f), cross(f, fJf))
        turning = scale(inverse, turning)
        size += inverse * (dot(line, dx) + dot(turning, f))
        store6(P, i, turning, line)
        turning_target, line_target = load6(target, i)
        line = sub(line, line_target)
        store6(left, i, add(sub(turning, turning_target), cross(c, line)), line)
    return size
