"""Velocities at the end of a step under compliant contacts and joints.

    M (u - u_free) = J^T lambda(u),
where a contact with the gap g and the relative velocity (v_N, v_T) has
    lambda_N = h k (-g - (h + tau) v_N)_+^n,     lambda_T = -mu lambda_N v_T / sqrt(v_T^2 + e^2)
(semi-analytic primal solver, Castro et al. 2021, with the friction bound mu lambda_N of the last
iterate, Castro et al. 2023). With that bound fixed it is the minimum of a convex function, found by
Newton's method with an exact line search. Of an open gap tau is 0: damping needs touch. Joint rows
J u + c + s lambda = 0 have the multipliers of the method of multipliers (Rockafellar 1976).
"""

import math

import numpy as np

from dovetail.collision.field_contacts.rows import empty_contacts
from dovetail.contact.penalty.compliant.contact_impulse import (
    contact_scale,
    creep_speed,
    friction_parts,
    normal_impulse,
)
from dovetail.contact.penalty.compliant.matrix import assemble
from dovetail.contact.penalty.compliant.records import N_COMPLIANT
from dovetail.contact.penalty.compliant.workspace import (
    DRY,
    RELEASED,
    UNILATERAL,
    coupling,
    no_joints,
    solve_workspace,
)
from dovetail.linalg.block_cholesky.factor import factor_workspace, factorise, solve
from dovetail.linalg.vec3 import add, add_scaled, cross, dot, load3, norm, scale, store3, sub
from dovetail.multibody.body_arrays import NO_BODIES, velocity_change
from dovetail.multibody.mass_blocks import free_direction, mass_blocks
from dovetail.runtime.jit import apart, jit, jit_in_place
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm

PENALTY = 1e6  # weight of a joint row, times the inertia that it feels
FLAT = 0.05  # of the slope at the start: where the line search ends
MAX_LINE_SEARCH = 30
EAGER = 12  # iterations in each of which friction bounds and multipliers are updated
MAX_PASSES = 5  # after that: updates, each after the minimum with the ones before is found
MAX_BOUND_PASSES = 40  # the same while a friction bound is far off mu lambda_N
MAX_INNER = 30  # iterations of one pass
INNER = 1e-4  # of the first change of a pass: where it ends
LOOSE = 1e4  # tolerances: changes by an update at which passes end
FAR = 0.1  # of mu lambda_N: friction may be more by as much
FOLLOW, AVERAGE, KEEP = 0, 1, 2  # what becomes of the friction bounds
MISMATCH = 1e2  # tolerances that the velocities by impulses may be off the iterate


@jit_in_place
def _relative(contacts, c, x, u):
    """Velocity of the point body relative to the field body at contact c."""
    i, j, p = contacts.point_body[c], contacts.field_body[c], load3(contacts.point, c)
    a = add((u[i, 0], u[i, 1], u[i, 2]), cross((u[i, 3], u[i, 4], u[i, 5]), sub(p, load3(x, i))))
    b = add((u[j, 0], u[j, 1], u[j, 2]), cross((u[j, 3], u[j, 4], u[j, 5]), sub(p, load3(x, j))))
    return sub(a, b)


@jit_in_place
def _row_rate(joints, r, u):
    """J u of joint row r."""
    total = 0.0
    for side in range(joints.body.shape[1]):
        i = joints.body[r, side]
        if i >= 0:
            for m in range(6):
                total += joints.J[r, 6 * side + m] * u[i, m]
    return total


@jit_in_place
def _joint_impulse(joints, r, rate):
    """(lambda, -d lambda / d rate) of a row at J u = rate."""
    mode = joints.mode[r]
    if mode == RELEASED:
        return 0.0, 0.0
    if mode == DRY:
        per_rate, along, _ = friction_parts(
            abs(rate), joints.bound[r], creep_speed(joints.bound[r], joints.weight[r], math.inf)
        )
        return -per_rate * rate, along
    y = joints.multiplier[r] - joints.weight[r] * (rate + joints.c[r])
    if mode == UNILATERAL and y <= 0.0:
        return 0.0, 0.0
    return y, joints.weight[r]


@jit_in_place
def _begin(h, bodies, x, R, u, contacts, count, laws, mu, joints, w):
    """Weights of joints, scales of contacts, the first friction bounds."""
    mass_blocks(bodies, R, w.mass)
    for r in range(joints.c.shape[0]):
        soft = joints.softness[r]
        if soft > 0.0:
            joints.weight[r], joints.multiplier[r] = 1.0 / soft, 0.0
        else:
            diagonal = 0.0
            for side in range(joints.body.shape[1]):
                i = joints.body[r, side]
                if i >= 0 and bodies.dynamic[i]:
                    k = 6 * side
                    J = joints.J
                    dv, dspin = velocity_change(
                        bodies, R, i, (J[r, k], J[r, k + 1], J[r, k + 2]),
                        (J[r, k + 3], J[r, k + 4], J[r, k + 5]),
                    )  # fmt: skip
                    for m in range(3):
                        diagonal += J[r, k + m] * dv[m] + J[r, k + 3 + m] * dspin[m]
            joints.weight[r] = PENALTY / diagonal if diagonal > 0.0 else 0.0
            if joints.mode[r] == DRY:
                joints.weight[r], joints.multiplier[r] = diagonal, 0.0
    for c in range(count):
        w.scale[c] = contact_scale(bodies, contacts, c, x, R)
        v = _relative(contacts, c, x, u)
        gap, n = -contacts.depth[c], load3(contacts.gradient, c)
        w.bound[c] = mu[c] * normal_impulse(laws, contacts.pair[c], h, gap, dot(v, n))[0]


@jit_in_place
def _slope(h, contacts, count, laws, joints, w, size, kinetic, curvature):
    """Derivative of the convex function along the step at `size` of it."""
    total = kinetic + size * curvature
    for c in range(count):
        n, dv = load3(contacts.gradient, c), load3(w.change, c)
        v = add_scaled(load3(w.velocity, c), size, dv)
        rate = dot(v, n)
        push, _ = normal_impulse(laws, contacts.pair[c], h, -contacts.depth[c], rate)
        slip = add_scaled(v, -rate, n)
        small = creep_speed(w.bound[c], w.scale[c], w.creep[0])
        per_speed, _, _ = friction_parts(norm(slip), w.bound[c], small)
        total -= push * dot(n, dv) - per_speed * dot(slip, dv)
    for r in range(joints.c.shape[0]):
        lam, _ = _joint_impulse(joints, r, joints.rate[r] + size * joints.change[r])
        total -= lam * joints.change[r]
    return total


@jit_in_place
def _step_size(h, contacts, count, laws, joints, w, descent, kinetic, curvature):
    """Line search: the size of the step at which the slope is small."""
    at_low = descent
    at_high = _slope(h, contacts, count, laws, joints, w, 1.0, kinetic, curvature)
    flat = FLAT * abs(at_low)
    if at_high <= flat:
        return 1.0
    low, high, size = 0.0, 1.0, 1.0
    for k in range(MAX_LINE_SEARCH):
        size = low - at_low * (high - low) / (at_high - at_low)
        if k % 3 == 2:
            size = 0.5 * (low + high)
        slope = _slope(h, contacts, count, laws, joints, w, size, kinetic, curvature)
        if abs(slope) <= flat:
            break
        if slope < 0.0:
            low, at_low = size, slope
        else:
            high, at_high = size, slope
    return size


@jit_in_place
def _impulses(h, x, contacts, count, laws, mu, joints, w, update, secant):
    """Impulses and their derivatives at w.u; friction bounds FOLLOW the normal impulses or not.

    Returns the largest speed [m/s] that friction above (1 + FAR) mu lambda_N gives. A contact that
    its own friction opens sticks with any bound, so that nothing changes while it is too large.
    """
    off = 0.0
    for i in range(w.impulse.shape[0]):
        for m in range(6):
            w.impulse[i, m] = 0.0
    for c in range(count):
        n = load3(contacts.gradient, c)
        v = _relative(contacts, c, x, w.u)
        store3(w.velocity, c, v)
        rate = dot(v, n)
        push, stiffness = normal_impulse(laws, contacts.pair[c], h, -contacts.depth[c], rate)
        if update == FOLLOW:
            w.bound[c] = mu[c] * push
        elif update == AVERAGE:
            w.bound[c] = 0.5 * (w.bound[c] + mu[c] * push)
        slip = add_scaled(v, -rate, n)
        speed = norm(slip)
        small = creep_speed(w.bound[c], w.scale[c], w.creep[0])
        per_speed, along, across = friction_parts(speed, w.bound[c], small)
        off = max(off, (per_speed * speed - (1.0 + FAR) * mu[c] * push) * w.scale[c])
        lam = add_scaled(scale(push, n), -per_speed, slip)
        store3(w.lam, c, lam)
        if secant:
            along = across
        w.derivative[c, 0], w.derivative[c, 1], w.derivative[c, 2] = stiffness, along, across
        direction = scale(1.0 / speed, slip) if speed > 0.0 else (0.0, 0.0, 0.0)
        store3(w.direction, c, direction)
        p = load3(contacts.point, c)
        for side in range(2):
            i = contacts.point_body[c] if side == 0 else contacts.field_body[c]
            sign = 1.0 if side == 0 else -1.0
            moment = cross(sub(p, load3(x, i)), lam)
            for m in range(3):
                w.impulse[i, m] += sign * lam[m]
                w.impulse[i, 3 + m] += sign * moment[m]
    for r in range(joints.c.shape[0]):
        joints.rate[r] = _row_rate(joints, r, w.u)
        lam, joints.derivative[r] = _joint_impulse(joints, r, joints.rate[r])
        joints.lam[r] = lam
        for side in range(joints.body.shape[1]):
            i = joints.body[r, side]
            if i >= 0:
                for m in range(6):
                    w.impulse[i, m] += joints.J[r, 6 * side + m] * lam
    return off


@jit_in_place
def _end_velocities(bodies, R, w):
    """w.u_end = u_free + M^-1 impulse; returns how far it is from w.u [m/s]."""
    furthest = 0.0
    for i in range(w.u.shape[0]):
        for m in range(6):
            w.u_end[i, m] = w.u_free[i, m]
        if bodies.dynamic[i]:
            f, g = w.impulse, w.u_end
            dv, dspin = velocity_change(
                bodies, R, i, (f[i, 0], f[i, 1], f[i, 2]), (f[i, 3], f[i, 4], f[i, 5])
            )
            linear, angular = 0.0, 0.0
            for m in range(3):
                g[i, m] += dv[m]
                g[i, 3 + m] += dspin[m]
                linear += (g[i, m] - w.u[i, m]) ** 2
                angular += (g[i, 3 + m] - w.u[i, 3 + m]) ** 2
            furthest = max(furthest, math.sqrt(linear) + w.radius[i] * math.sqrt(angular))
    return furthest


@apart
@jit
def solve_velocities(h, bodies, x, R, contacts, count, laws, mu, joints, coupled, w, factor, u,
                     tolerance):  # fmt: skip
    """u (n, 6), given as those without impulses, becomes the velocities at the end of the step.

    w.u holds the first iterate; mu (count,) are friction coefficients; `tolerance` [m/s]. Returns
    (iterations, last change [m/s]).
    """
    n = u.shape[0]
    for i in range(n):
        for m in range(6):
            w.u_free[i, m] = u[i, m]
            if not bodies.dynamic[i]:
                w.u[i, m] = u[i, m]
    _begin(h, bodies, x, R, w.u, contacts, count, laws, mu, joints, w)
    change, iterations, passes, inner, enough, bounded = np.inf, 0, 0, 0, 0.0, True
    while True:
        eager, fresh = iterations < EAGER, False
        update = FOLLOW if eager else KEEP
        if not eager and (inner == 0 or change <= enough or inner > MAX_INNER):
            if passes >= (MAX_PASSES if bounded else MAX_BOUND_PASSES):
                break
            passes, inner, fresh = passes + 1, 0, True
            update = AVERAGE if passes > 1 else FOLLOW
        off = _impulses(h, x, contacts, count, laws, mu, joints, w, update, iterations % 3 != 2)
        bounded = off <= LOOSE * tolerance
        if change <= tolerance and bounded and (eager or fresh):
            if _end_velocities(bodies, R, w) <= MISMATCH * tolerance:
                break
        if passes > 1 and inner == 1 and bounded and change <= LOOSE * tolerance:
            break
        for i in range(n):
            moved = free_direction(bodies, i, w.impulse, i, 0)
            for r in range(6):
                total = moved[r]
                for c in range(6):
                    total += w.mass[i, r, c] * (w.u_free[i, c] - w.u[i, c])
                w.step[i, r] = w.negative_gradient[i, r] = total
        assemble(bodies, x, contacts, count, joints, coupled, w)
        if factorise(factor, w.diagonal, w.block, coupled.count[0], 0.0, 0.0) >= 0:
            break
        solve(factor, w.step)
        descent, kinetic, curvature, change = 0.0, 0.0, 0.0, 0.0
        for i in range(n):
            far = w.radius[i]
            linear, angular = 0.0, 0.0
            for r in range(6):
                descent -= w.negative_gradient[i, r] * w.step[i, r]
                total = 0.0
                for c in range(6):
                    total += w.mass[i, r, c] * w.step[i, c]
                kinetic += total * (w.u[i, r] - w.u_free[i, r])
                curvature += total * w.step[i, r]
                if r < 3:
                    linear += w.step[i, r] ** 2
                else:
                    angular += w.step[i, r] ** 2
            change = max(change, math.sqrt(linear) + far * math.sqrt(angular))
        for c in range(count):
            store3(w.change, c, _relative(contacts, c, x, w.step))
        for r in range(joints.c.shape[0]):
            joints.change[r] = _row_rate(joints, r, w.step)
        size = _step_size(h, contacts, count, laws, joints, w, descent, kinetic, curvature)
        for i in range(n):
            for m in range(6):
                w.u[i, m] += size * w.step[i, m]
        violation = 0.0
        for r in range(joints.c.shape[0]):
            lam, _ = _joint_impulse(joints, r, joints.rate[r] + size * joints.change[r])
            if joints.softness[r] == 0.0 and joints.mode[r] != DRY:
                if joints.weight[r] > 0.0:
                    error = abs(lam - joints.multiplier[r]) / joints.weight[r]
                    violation = max(violation, error * joints.unit[r])
                if eager or change <= enough:
                    joints.multiplier[r] = lam
        if fresh:
            enough = max(INNER * change, tolerance)
        if eager or change <= enough:
            change = max(change, violation)
        iterations += 1
        inner += 0 if eager else 1
    _impulses(h, x, contacts, count, laws, mu, joints, w, KEEP, False)
    exact = _end_velocities(bodies, R, w) <= MISMATCH * tolerance
    for i in range(n):
        for m in range(6):
            u[i, m] = w.u_end[i, m] if exact else w.u[i, m]
    return iterations, change


_x, _R, _u = np.zeros((0, 3)), np.zeros((0, 3, 3)), np.zeros((0, 6))
warm(
    solve_velocities, 1.0, NO_BODIES, _x, _R, empty_contacts(0), 0,
    read_only(np.zeros((0, N_COMPLIANT))), np.zeros(0), no_joints(), coupling(0, 0, 0),
    solve_workspace(0, 0, 0), factor_workspace(0, 0), _u, 0.0,
)  # fmt: skip
