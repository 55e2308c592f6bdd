r"""Coordinates of a tree that are held: by a limit, by a motor that prescribes them, by friction.

LOCKED  A coordinate whose motion is known leaves the equations: the articulated inertias are those
    of bodies that it joins rigidly (an inverse diagonal of 0 in `articulated_factor`), and
        tau = S^T (I A + F) - b
    is what holds it there. A step that would pass a limit ends at it; the limit keeps its
    coordinate at the bound, without rate, in the steps after, and lets go where tau would have to
    pull. A step that passed it and came back would give other bodies the energy of the way back.
FRICTION  along a coordinate is -f r / sqrt(r^2 + eps^2), solved for with the velocities at the end
    of a step; see `multibody.constraints.joint_friction`, whose law and easing this is.
YIELDING  A limit that gives, passed by d, has the effort -(k d + c d' + m d''), never pulling. It
    is a spring, a damper at the end of the step, and an inertia that moves along like a rotor: what
    it has of momentum where it is reached does not change the velocity.
No multipliers are solved for, so a step costs what it costs without.
"""

import numpy as np

from dovetail.integrators.variational.tree.forces import about_origins
from dovetail.integrators.variational.tree.records import LIMITS, PRESCRIBED, YIELDING
from dovetail.linalg.vec3 import add, add_scaled, cross, dot, load3, scale, sub
from dovetail.multibody.constraints.joint_friction import (
    CLOSE,
    SECANT_FROM,
    friction_derivative,
    friction_force,
)
from dovetail.multibody.tree.articulated import articulated_solve
from dovetail.multibody.tree.inertia import load_symmetric, symmetric_times
from dovetail.multibody.tree.kinematics import load6, store6, velocities
from dovetail.runtime.jit import jit_in_place


@jit_in_place
def aim(parts):
    """work.xi of the coordinates that are locked: to their bound, or where a motor wants them."""
    held, forces, work = parts.held, parts.forces, parts.work
    if not held.some[LIMITS] and not held.some[PRESCRIBED]:
        return
    for k in range(work.xi.size):
        if held.prescribed[k]:
            work.xi[k] = held.goal[k] - work.q[forces.q_index[k]]
        elif held.active[k] < 0:
            work.xi[k] = held.lower[k] - work.q[forces.q_index[k]]
        elif held.active[k] > 0:
            work.xi[k] = held.upper[k] - work.q[forces.q_index[k]]


@jit_in_place
def reach_limits(parts):
    """Lock the coordinates that are at their limits or beyond."""
    held, forces, work = parts.held, parts.forces, parts.work
    if not held.some[LIMITS]:
        return
    for k in range(held.active.size):
        if forces.q_index[k] >= 0 and not held.prescribed[k] and held.give[k, 0] == 0.0:
            value = work.q[forces.q_index[k]]
            if held.active[k] == 0 and value <= held.lower[k]:
                held.active[k] = -1
            elif held.active[k] == 0 and value >= held.upper[k]:
                held.active[k] = 1
            held.lock[k] = 0.0 if held.active[k] == 0 else np.inf


@jit_in_place
def stop_at_limits(parts):
    """Lock the coordinates that work.xi would take past a limit; whether there were any."""
    held, forces, work = parts.held, parts.forces, parts.work
    stopped = False
    for k in range(held.active.size):
        free = held.active[k] == 0 and not held.prescribed[k] and held.give[k, 0] == 0.0
        if forces.q_index[k] >= 0 and free and held.stops[k]:
            value = work.q[forces.q_index[k]] + work.xi[k]
            if value < held.lower[k]:
                held.active[k] = -1
            elif value > held.upper[k]:
                held.active[k] = 1
            if held.active[k] != 0:
                held.lock[k] = np.inf
                stopped = True
    return stopped


@jit_in_place
def _passed_by(parts, k):
    """How far coordinate k is beyond the limit that it presses [m or rad], with its sign."""
    held = parts.held
    bound = held.upper[k] if held.pressed[k] > 0 else held.lower[k]
    return parts.work.q[parts.forces.q_index[k]] - bound


@jit_in_place
def press_limits(parts):
    """Which limits that give are passed at work.q."""
    tree, held, forces, work = parts.tree, parts.held, parts.forces, parts.work
    if not held.some[YIELDING]:
        return
    for k in range(held.pressed.size):
        if held.give[k, 0] > 0.0 and not held.prescribed[k]:
            value = work.q[forces.q_index[k]]
            held.pressed[k] = (1 if value > held.upper[k] else 0) - (
                1 if value < held.lower[k] else 0
            )
            held.lock[k] = held.give[k, 2] if held.pressed[k] != 0 else 0.0
            held.rotor[k] = tree.armature[k] + held.lock[k]


@jit_in_place
def add_pressure(parts):
    """Add the springs of the limits that are pressed to work.tau."""
    held, work = parts.held, parts.work
    if held.some[YIELDING]:
        for k in range(held.pressed.size):
            if held.pressed[k] != 0:
                work.tau[k] -= held.give[k, 0] * _passed_by(parts, k)


@jit_in_place
def yielding_damping(parts, k):
    """[N s/m or N m s/rad] of the limit that coordinate k presses."""
    return parts.held.give[k, 1] if parts.held.pressed[k] != 0 else 0.0


@jit_in_place
def pressing_effort(parts, k):
    """[N or N m] of spring and damper of the limit that coordinate k presses."""
    if parts.held.pressed[k] == 0:
        return 0.0
    give = parts.held.give
    return give[k, 0] * _passed_by(parts, k) + give[k, 1] * parts.work.eta[k]


@jit_in_place
def release_yielding(h, parts):
    """Let go of limits that give and would pull; whether there were any.

    Their springs and momenta are taken out of work.tau and work.kick.
    """
    tree, held, work = parts.tree, parts.held, parts.work
    released = False
    for k in range(held.pressed.size):
        if held.pressed[k] == 0:
            continue
        spring, inertia = held.give[k, 0] * _passed_by(parts, k), held.give[k, 2]
        faster = 2.0 / h * (work.eta[k] - work.xi[k] / h)  # in the half step that ends here
        if held.pressed[k] * (spring + held.give[k, 1] * work.eta[k] + inertia * faster) <= 0.0:
            work.tau[k] += spring
            work.kick[k] += 0.5 * h * spring - inertia * work.xi[k] / h
            held.pressed[k], held.lock[k], held.rotor[k] = 0, 0.0, tree.armature[k]
            released = True
    return released


@jit_in_place
def lock_impulses(parts, x):
    """held.impulse of what the last solve with `factors` has left, x being its result."""
    tree, factors, held = parts.tree, parts.factors, parts.held
    parent, v_start = tree.parent, tree.v_start
    o, S, A, U, D = factors.o, factors.S, factors.A, factors.U, factors.D
    for i in range(1, parent.size):
        alpha, acc = load6(A, parent[i])
        acc = add(acc, cross(alpha, sub(load3(o, i), load3(o, parent[i]))))
        for k in range(v_start[i], v_start[i + 1]):
            held.impulse[k] = 0.0
            if held.lock[k] == np.inf:
                um, uf = load6(U, k)
                held.impulse[k] = dot(um, alpha) + dot(uf, acc) - D[k, 1]
            else:
                sw, sv = load6(S, k)
                alpha = add_scaled(alpha, x[k], sw)
                acc = add_scaled(acc, x[k], sv)


@jit_in_place
def release_pulling(parts, sign):
    """Let go of limits that would pull, held.impulse times `sign` being theirs; whether any did.

    In the velocity stage, sign 1, a limit that the step has brought back to its bound keeps its
    coordinate at rest there: the way back would become a rebound of up to the speed of arrival.
    """
    held, xi = parts.held, parts.work.xi
    released = False
    for k in range(held.active.size):
        brought_back = sign > 0.0 and held.active[k] * xi[k] < 0.0
        if held.active[k] * sign * held.impulse[k] > 0.0 and not brought_back:
            held.active[k], held.lock[k] = 0, 0.0
            released = True
    return released


@jit_in_place
def solve_velocities(parts, b):
    """work.eta of the momenta, b (n_v,) along coordinates, locked ones having their given rates.

    `factors` must be those at the state. held.impulse becomes what holds the locked ones.
    """
    tree, workspace, work, held = parts.tree, parts.workspace, parts.work, parts.held
    moved = held.some[PRESCRIBED]
    about_origins(parts, 0.0, work.kicked, work.left)
    if moved:
        velocities(tree, held.rate, workspace)
        for i in range(1, work.left.shape[0]):
            w, u = load6(workspace.V, i)
            arm = load3(work.arm, i)
            line = scale(tree.mass[i], add(u, cross(w, arm)))
            turning = symmetric_times(load_symmetric(work.inertia, i, 0), w)
            m, f = load6(work.left, i)
            store6(work.left, i, sub(sub(m, turning), cross(arm, line)), sub(f, line))
        for k in range(b.size):
            b[k] -= tree.armature[k] * held.rate[k]
    articulated_solve(tree, parts.factors, work.left, b, work.eta)
    if moved or held.some[LIMITS]:
        lock_impulses(parts, work.eta)
    if moved:
        for k in range(b.size):
            if held.prescribed[k]:
                work.eta[k] = held.rate[k]


@jit_in_place
def begin_friction(parts):
    """The first guess of the rates: those before."""
    held, eta = parts.held, parts.work.eta
    for k in range(eta.size):
        held.guess[k], held.steep[k] = eta[k], True


@jit_in_place
def friction_line(h, parts, k):
    """Force at the rate 0 of a line through the guess of coordinate k, and its slope."""
    held = parts.held
    f, eps, guess = held.friction[k], held.creep[k] * abs(h), held.guess[k]
    if f == 0.0:
        return 0.0, 0.0
    slope = friction_derivative(f, eps, guess, held.steep[k])
    return friction_force(f, eps, guess) - slope * guess, slope


@jit_in_place
def friction_settled(h, trial, parts):
    """Whether the forces solved for are those of the rates they lead to: the new guess."""
    held, eta = parts.held, parts.work.eta
    settled = True
    for k in range(eta.size):
        if held.friction[k] > 0.0:
            base, slope = friction_line(h, parts, k)
            force = friction_force(held.friction[k], held.creep[k] * abs(h), eta[k])
            if not abs(force - base - slope * eta[k]) <= CLOSE * held.friction[k]:
                settled = False
            changes_sign = eta[k] * held.guess[k] < 0.0
            held.steep[k] = changes_sign or trial < 1 or trial >= SECANT_FROM
            held.acting[k] = base + slope * eta[k]
            held.guess[k] = eta[k]
    return settled
