"""Residuals, Jacobian and velocity terms of loop closures, in joint coordinates."""

import math

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
from dovetail.model.joints.equations import COUPLING, DOT, HELIX
from dovetail.multibody.coupling_terms import term_bend, term_value
from dovetail.multibody.loops.records import no_loops
from dovetail.multibody.tree.kinematics import load6, store6
from dovetail.multibody.tree.records import empty_tree, workspace_for
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.warmup import warm


@jit
def of_end(a, row, end):
    """Vector of one end of a row in an (m, ends, 3) array."""
    return (a[row, end, 0], a[row, end, 1], a[row, end, 2])


@jit
def helix_angle(x_a, y_a, x_b, advance, lead):
    """Angle of x_b from x_a, with the number of whole revolutions nearest to the advance."""
    angle = math.atan2(dot(y_a, x_b), dot(x_a, x_b))
    if lead == 0.0:
        return angle
    return angle + 2.0 * math.pi * math.floor((advance / lead - angle) / (2.0 * math.pi) + 0.5)


@jit
def coupled_value(loops, row, q):
    """Sum of the terms of a COUPLING."""
    total = 0.0
    for k in range(loops.term_start[row], loops.term_start[row + 1]):
        total += term_value(loops.term_factor, k, q[loops.term_q[k]])[0]
    return total


@jit_in_place
def residuals(loops, workspace, q, e):
    """How far each equation is from closed; positions of the bodies must be known."""
    R, o = workspace.R, workspace.o
    for row in range(loops.kind.size):
        if loops.kind[row] == COUPLING:
            e[row] = coupled_value(loops, row, q) - loops.offset[row]
            continue
        a, b = loops.bodies[row, 0], loops.bodies[row, 1]
        Ra, Rb = load33(R, a), load33(R, b)
        d_a = matvec(Ra, of_end(loops.directions, row, 0))
        if loops.kind[row] == DOT:
            e[row] = dot(d_a, matvec(Rb, of_end(loops.directions, row, 1)))
            continue
        p_a = matvec(Ra, of_end(loops.points, row, 0))
        p_b = matvec(Rb, of_end(loops.points, row, 1))
        gap = add(sub(load3(o, b), load3(o, a)), sub(p_b, p_a))
        e[row] = dot(d_a, gap)
        if loops.kind[row] == HELIX:
            x_a = matvec(Ra, of_end(loops.sides, row, 0))
            y_a = matvec(Ra, of_end(loops.sides, row, 1))
            x_b = matvec(Rb, of_end(loops.sides, row, 2))
            e[row] -= loops.lead[row] * helix_angle(x_a, y_a, x_b, e[row], loops.lead[row])


@jit_in_place
def jacobian(tree, loops, workspace, q, first, J):
    """J (first + m, n_v) from row `first` on: rates of the residuals per joint velocity.

    A row is the wrench (moment n, force d) at p_b that the equation's multiplier puts on body b,
    and its opposite on a; joints above both bodies feel nothing. Positions must be known.
    """
    parent, v_start = tree.parent, tree.v_start
    R, o, S = workspace.R, workspace.o, workspace.S
    for row in range(loops.kind.size):
        for k in range(J.shape[1]):
            J[first + row, k] = 0.0
        if loops.kind[row] == COUPLING:
            for k in range(loops.term_start[row], loops.term_start[row + 1]):
                _, slope = term_value(loops.term_factor, k, q[loops.term_q[k]])
                J[first + row, loops.term_v[k]] += slope
            continue
        a, b = loops.bodies[row, 0], loops.bodies[row, 1]
        Ra, Rb = load33(R, a), load33(R, b)
        d_a = matvec(Ra, of_end(loops.directions, row, 0))
        point = add(load3(o, b), matvec(Rb, of_end(loops.points, row, 1)))
        n, d = ZERO, d_a
        if loops.kind[row] == DOT:
            n, d = cross(matvec(Rb, of_end(loops.directions, row, 1)), d_a), ZERO
        elif loops.kind[row] == HELIX:
            n = scale(-loops.lead[row], d_a)
        while a != b:
            i, sign = b, 1.0
            if a > b:
                i, sign = a, -1.0
            moment = add(n, cross(sub(point, load3(o, i)), d))
            for k in range(v_start[i], v_start[i + 1]):
                sw, sv = load6(S, k)
                J[first + row, k] += sign * (dot(sw, moment) + dot(sv, d))
            if a > b:
                a = parent[a]
            else:
                b = parent[b]


@jit_in_place
def biases(tree, loops, workspace, q, v, bias):
    """Second rates of the residuals when no joint accelerates; velocities must be known."""
    _bias_accelerations(tree, workspace)
    R, o, V, A = workspace.R, workspace.o, workspace.V, workspace.A
    for row in range(loops.kind.size):
        if loops.kind[row] == COUPLING:
            bias[row] = 0.0
            for k in range(loops.term_start[row], loops.term_start[row + 1]):
                speed = v[loops.term_v[k]]
                bias[row] += term_bend(loops.term_factor, k, q[loops.term_q[k]]) * speed * speed
            continue
        a, b = loops.bodies[row, 0], loops.bodies[row, 1]
        Ra, Rb = load33(R, a), load33(R, b)
        wa, va = load6(V, a)
        wb, vb = load6(V, b)
        alpha_a, acc_a = load6(A, a)
        alpha_b, acc_b = load6(A, b)
        d_a = matvec(Ra, of_end(loops.directions, row, 0))
        rate_a = cross(wa, d_a)
        second_a = add(cross(alpha_a, d_a), cross(wa, rate_a))
        if loops.kind[row] == DOT:
            d_b = matvec(Rb, of_end(loops.directions, row, 1))
            rate_b = cross(wb, d_b)
            second_b = add(cross(alpha_b, d_b), cross(wb, rate_b))
            bias[row] = dot(second_a, d_b) + 2.0 * dot(rate_a, rate_b) + dot(d_a, second_b)
            continue
        p_a = matvec(Ra, of_end(loops.points, row, 0))
        p_b = matvec(Rb, of_end(loops.points, row, 1))
        gap = add(sub(load3(o, b), load3(o, a)), sub(p_b, p_a))
        opening = sub(add(vb, cross(wb, p_b)), add(va, cross(wa, p_a)))
        parting = sub(
            _point_acceleration(wb, vb, alpha_b, acc_b, p_b),
            _point_acceleration(wa, va, alpha_a, acc_a, p_a),
        )
        bias[row] = dot(d_a, parting) + 2.0 * dot(rate_a, opening) + dot(second_a, gap)
        if loops.kind[row] == HELIX:
            angular = dot(d_a, sub(alpha_b, alpha_a)) + dot(rate_a, sub(wb, wa))
            bias[row] -= loops.lead[row] * angular


@jit
def _point_acceleration(w, v, alpha, acc, r):
    """Of a point at r from the origin, from the spatial acceleration (alpha, acc) there."""
    return add(add(acc, cross(w, v)), add(cross(alpha, r), cross(w, cross(w, r))))


@jit_in_place
def _bias_accelerations(tree, workspace):
    """Spatial accelerations of all bodies when no joint accelerates, without gravity."""
    parent, o, C, A = tree.parent, workspace.o, workspace.C, workspace.A
    store6(A, 0, ZERO, ZERO)
    for i in range(1, parent.size):
        alpha, acc = load6(A, parent[i])
        acc = add(acc, cross(alpha, sub(load3(o, i), load3(o, parent[i]))))
        cw, cv = load6(C, i)
        store6(A, i, add(alpha, cw), add_scaled(acc, 1.0, cv))


_TREE, _LOOPS, _WORKSPACE, _VECTOR = empty_tree(), no_loops(), workspace_for(0, 0), np.empty(0)
warm(residuals, _LOOPS, _WORKSPACE, _VECTOR, _VECTOR)
warm(jacobian, _TREE, _LOOPS, _WORKSPACE, _VECTOR, 0, np.empty((0, 0)))
warm(biases, _TREE, _LOOPS, _WORKSPACE, _VECTOR, _VECTOR, _VECTOR)
