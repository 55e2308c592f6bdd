"""The velocity stage of a variational step: velocities and forces at its end."""

import math

from dovetail.integrators.variational.discrete_momentum import momentum
from dovetail.integrators.variational.stages import (
    DONE,
    NOT_FINITE,
    SINGULAR,
    UNSETTLED,
    mass_blocks,
    set_modes,
    tangent,
)
from dovetail.linalg.kkt.records import AT_END, ELSEWHERE
from dovetail.linalg.kkt.rows import OFF, SOFT
from dovetail.linalg.kkt.tree import factor_at, solve_near
from dovetail.linalg.vec3 import load3, load33, mat_t_vec, matvec
from dovetail.multibody.constraints.bodies import (
    ARMATURE,
    DAMPER,
    FRICTION,
    LIMIT,
    given_rate,
    push,
    wrenches,
)
from dovetail.multibody.constraints.joint_friction import (
    MAX_TRIALS,
    begin_friction,
    eased_force,
    friction_force,
    friction_settled,
    soften_friction,
)
from dovetail.multibody.constraints.rows import evaluate
from dovetail.runtime.jit import jit, jit_in_place

ALONG = 1e-12  # difference of the rows of one coordinate


@jit
def _kicked(h, rule, constants, order, after, delta, b):
    """B = momentum after the rotation plus the half kick."""
    mass, inertia = constants.mass, constants.inertia
    R, forces, torques = after.R, after.force, after.torque
    for i in order:
        dx, f = tangent(delta, i)
        end = momentum(rule, load33(inertia, i), f, -1.0)
        torque = mat_t_vec(load33(R, i), load3(torques, i))
        for k in range(3):
            b[i, k] = mass[i] * dx[k] / h + 0.5 * h * forces[i, k]
            b[i, 3 + k] = end[k] / h + 0.5 * h * torque[k]


@jit
def _add_impulses_of_left_out_rows(tree, G, mode, share, multiplier, b):
    """Add share * G^T multiplier of the rows that are OFF to momenta b (n, 6)."""
    body, moves = tree.body, tree.moves
    for r in range(multiplier.shape[0]):
        if mode[r] == OFF and multiplier[r] != 0.0:
            for side in range(body.shape[1]):
                i = body[r, side]
                if i >= 0 and moves[i]:
                    for k in range(6):
                        b[i, k] += share * G[r, side, k] * multiplier[r]


@jit
def _begin_rows(h, constants, tree, now, after, c):
    """Which limits are reached and what rate each row must have."""
    role, side, rates = constants.role, constants.side, constants.rate
    body, moves = tree.body, tree.moves
    phi, G, v, omega = after.phi, after.G, after.v, after.omega
    before, active = now.active, after.active
    for r in range(role.shape[0]):
        active[r] = before[r] or (role[r] == LIMIT and side[r] * phi[r] >= 0.0)
        c[r] = -given_rate(body, moves, G, r, v, omega, rates[r])
        if role[r] == ARMATURE:
            c[r] += (phi[r] - now.phi[r]) / h


@jit
def _is_held(constants, active):
    """Whether a limit is reached."""
    role = constants.role
    for r in range(role.shape[0]):
        if role[r] == LIMIT and active[r]:
            return True
    return False


@jit
def _guess(h, order, delta, mode, now, u, lam):
    """Velocities and multipliers to begin with: carried on by the mean of the step, as they were.

    Those of implied rows are not unique: what is carried on of them would grow. They do not matter
    either, one substitution finds all that belongs to the velocities.
    """
    v, omega, multiplier = now.v, now.omega, now.multiplier
    for i in order:
        for k in range(3):
            u[i, k] = 2.0 * delta[i, k] / h - v[i, k]
            u[i, 3 + k] = 2.0 * delta[i, 3 + k] / h - omega[i, k]
    for r in range(lam.shape[0]):
        lam[r] = 0.5 * h * multiplier[r] if mode[r] != OFF else 0.0


@jit
def _release_pulling(constants, now, after, lam):
    """Let go of limits whose multiplier would pull; whether there were any.

    One that the step has brought back to its bound keeps its coordinate at rest there: the way
    back would become a rebound of up to the speed of arrival.
    """
    role, side, active = constants.role, constants.side, after.active
    released = False
    for r in range(role.shape[0]):
        if role[r] == LIMIT and active[r] and side[r] * lam[r] < 0.0:
            if not (now.active[r] and side[r] * (after.phi[r] - now.phi[r]) < 0.0):
                active[r] = False
                released = True
    return released


@jit
def velocity_stage(h, rule, projects, constants, tree, loads, rows, now, after, work, kkt):
    """Velocities and total wrenches at the end of the step, its poses being known.

    Without projection the joints' multipliers are those of the position stage (`after.multiplier`)
    and only the dampers are solved for, unless a limit is reached or joints have dry friction:
    these are no smooth forces that could be extended. work.projected says whether velocities fit
    the joints.
    """
    G, active, multiplier, order = after.G, after.active, after.multiplier, tree.order
    c, u, lam, b, mode = work.c, work.u, work.lam, kkt.b, kkt.mode
    evaluate(rows, after.x, after.R, now.angle, after.phi, after.angle, G)
    wrenches(constants, tree, loads, rows, after, work.extra)
    _begin_rows(h, constants, tree, now, after, c)
    projects = projects or _is_held(constants, active) or constants.frictions.shape[0] > 0
    work.projected[0] = projects
    begin_friction(constants, tree, now, after, work)
    trial = 0
    while True:
        set_modes(constants, kkt, active, True, projects, h)
        soften_friction(h, constants, tree, after, work, kkt)
        mass_blocks(constants, order, kkt.A)
        body = factor_at(tree, after.x, after.R, G, kkt)
        if body >= 0:
            return SINGULAR, body
        _kicked(h, rule, constants, order, after, work.delta, b)
        if not projects:
            _add_impulses_of_left_out_rows(tree, G, mode, -0.5 * h, multiplier, b)
        _guess(h, order, work.delta, mode, now, u, lam)
        solve_near(tree, G, kkt, c, u, lam)
        if not friction_settled(h, trial, constants, tree, after, work):
            trial += 1
            if trial == MAX_TRIALS:
                return UNSETTLED, order[0]
        elif not (projects and _release_pulling(constants, now, after, lam)):
            break
    body = take_velocities(constants, order, u, after)
    if body >= 0:
        return NOT_FINITE, body
    if not projects:
        _add_impulses_of_left_out_rows(tree, G, mode, 0.5 * h, multiplier, after.momentum)
    _finish_rows(h, projects, constants, tree, now, after, lam, mode, work.slip_rate)
    replaced = tree.parent_at.shape[0] > 0 and kkt.articulated.used[0] == 0
    kkt.factors_of[0] = ELSEWHERE if replaced else AT_END  # those of a fresh start are others
    for r in range(mode.shape[0]):
        kkt.factored_mode[r] = mode[r]
    return DONE, -1


@jit_in_place
def take_velocities(constants, order, u, motion):
    """Velocities and momenta from u (n, 6); the body where they are not finite, or -1."""
    mass, inertia = constants.mass, constants.inertia
    x, v, omega, P = motion.x, motion.v, motion.omega, motion.momentum
    for i in order:
        total = 0.0
        for k in range(3):
            v[i, k] = u[i, k]
            omega[i, k] = u[i, 3 + k]
            total += abs(u[i, k]) + abs(u[i, 3 + k]) + abs(x[i, k])
        if not math.isfinite(total):
            return i
        spun = matvec(load33(inertia, i), load3(omega, i))
        for k in range(3):
            P[i, k] = mass[i] * v[i, k]
            P[i, 3 + k] = spun[k]
    return -1


@jit
def _is_stopped(role, body, G, active, r):
    """Whether a limit holds the coordinate of row r: what rubbed there until then has ended."""
    for q in range(role.shape[0]):
        if role[q] == LIMIT and active[q] and body[q, 0] == body[r, 0] and body[q, 1] == body[r, 1]:
            apart = 0.0
            for side in range(2):
                for k in range(6):
                    apart = max(apart, abs(G[q, side, k] - G[r, side, k]))
            if apart <= ALONG:
                return True
    return False


@jit
def _finish_rows(h, projects, constants, tree, now, after, lam, mode, slip_rate):
    """Multipliers of the end of the step, and the dampers' forces."""
    role, body, moves = constants.role, tree.body, tree.moves
    friction, eps, eased, before = constants.friction, constants.creep, after.eased, now.multiplier
    R, G, force, torque, multiplier = (
        after.R, after.G, after.force, after.torque, after.multiplier,
    )  # fmt: skip
    held = _is_held(constants, after.active)
    for r in range(role.shape[0]):
        if role[r] == FRICTION:
            multiplier[r] = friction_force(friction[r], eps[r], slip_rate[r])
            eased[r] = eased_force(friction[r], multiplier[r], before[r])
            if held and _is_stopped(role, body, G, after.active, r):
                eased[r] = multiplier[r]
        elif projects or mode[r] == SOFT:
            multiplier[r] = 2.0 / h * lam[r] if mode[r] != OFF else 0.0
        if role[r] == DAMPER or role[r] == FRICTION:
            push(body, moves, R, G, r, -multiplier[r], force, torque)
