"""The position stage of a variational step: where the bodies are at its end."""

import math

from dovetail.kernels.constraint_rows import evaluate
from dovetail.kernels.discrete_momentum import (
    momentum,
    momentum_jacobian,
    right_jacobian_transposed,
)
from dovetail.kernels.free_rotation import LARGEST_TURN, orthogonalised
from dovetail.kernels.jit import jit
from dovetail.kernels.joined_bodies import DAMPER, EFFORT, LIMIT
from dovetail.kernels.kkt_tree import HARD, OFF, SOFT, factor, set_block, solve
from dovetail.kernels.so3 import exp
from dovetail.kernels.vec3 import add, load3, load33, mat_t_vec, matmul, norm, store3, store33

DONE, NOT_CONVERGED, TURNS_TOO_FAR, SINGULAR, NOT_FINITE = 0, 1, 2, 3, 4
SETTLED = 1e-9  # relative correction after which quadratic convergence has reached round-off
MOST_ITERATIONS = 40


@jit
def set_modes(joined, room, active, velocity_stage, projects, h):
    """Which rows count in a stage."""
    for r in range(joined.role.shape[0]):
        role = joined.role[r]
        room.D[r] = 0.0
        room.mode[r] = HARD
        if role == EFFORT:
            room.mode[r] = OFF
        elif role == DAMPER:
            room.mode[r] = SOFT if velocity_stage and joined.damping[r] > 0.0 else OFF
            if room.mode[r] == SOFT:
                room.D[r] = 2.0 / (h * joined.damping[r])
        elif (role == LIMIT and not active[r]) or (velocity_stage and not projects):
            room.mode[r] = OFF


@jit
def tangent(delta, i):
    """The translation and the turn of body i in a step."""
    return (delta[i, 0], delta[i, 1], delta[i, 2]), (delta[i, 3], delta[i, 4], delta[i, 5])


@jit
def _place(tree, now, after, room):
    """Poses after the step `room.delta`; returns the body that turns too far, or -1."""
    for i in tree.order:
        dx, f = tangent(room.delta, i)
        if not norm(f) < LARGEST_TURN:
            return i
        store3(after.x, i, add(load3(now.x, i), dx))
        store33(after.R, i, orthogonalised(matmul(load33(now.R, i), exp(f))))
    return -1


@jit
def in_terms_of_the_turn(tree, delta, G):
    """Turn columns g of rows G become J_r(f)^T g, their derivative with respect to f."""
    for r in range(G.shape[0]):
        for side in range(2):
            i = tree.body[r, side]
            if i >= 0 and tree.moves[i]:
                _, f = tangent(delta, i)
                g = right_jacobian_transposed(f, (G[r, side, 3], G[r, side, 4], G[r, side, 5]))
                for k in range(3):
                    G[r, side, 3 + k] = g[k]


@jit
def _blocks(rule, joined, tree, work, kkt):
    """A of the position stage at `work.delta`."""
    for i in tree.order:
        _, f = tangent(work.delta, i)
        set_block(kkt.A, i, joined.mass[i], momentum_jacobian(rule, load33(joined.inertia, i), f))


@jit
def _residual(h, rule, joined, tree, now, work, kkt):
    """B = -(what is left of the momentum equations without multipliers) at `work.delta`."""
    for i in tree.order:
        dx, f = tangent(work.delta, i)
        has = momentum(rule, load33(joined.inertia, i), f, 1.0)
        torque = mat_t_vec(load33(now.R, i), load3(now.torque, i))
        for k in range(3):
            kick = h * now.momentum[i, k] + 0.5 * h * h * now.force[i, k]
            kkt.b[i, k] = kick - joined.mass[i] * dx[k]
            twist = h * now.momentum[i, 3 + k] + 0.5 * h * h * torque[k]
            kkt.b[i, 3 + k] = twist - has[k]


@jit
def _newton(h, rule, joined, tree, rows, now, after, work, kkt):
    """Solve the position stage; returns (code, body, iterations, last relative correction)."""
    for i in tree.order:
        for k in range(3):
            work.delta[i, k] = h * now.v[i, k]
            work.delta[i, 3 + k] = h * now.omega[i, k]
    size, body = math.inf, -1
    for iteration in range(1, MOST_ITERATIONS + 1):
        body = _place(tree, now, after, work)
        if body >= 0:
            return TURNS_TOO_FAR, body, iteration, size
        evaluate(rows, after.x, after.R, now.angle, after.phi, after.angle, work.G)
        in_terms_of_the_turn(tree, work.delta, work.G)
        _blocks(rule, joined, tree, work, kkt)
        body = factor(tree, now.G, work.G, kkt, now.keep, False)
        if body >= 0:
            return SINGULAR, body, iteration, size
        _residual(h, rule, joined, tree, now, work, kkt)
        for r in range(work.c.shape[0]):
            work.c[r] = -after.phi[r]
        solve(tree, now.G, work.G, kkt, work.c, work.u, work.lam)
        size = 0.0
        for i in tree.order:
            change = 0.0
            for k in range(6):
                work.delta[i, k] += work.u[i, k]
                part = abs(work.u[i, k]) / joined.length[0] if k < 3 else abs(work.u[i, k])
                change = max(change, part)
                if not math.isfinite(part):
                    return NOT_FINITE, i, iteration, part
            if change >= size:
                size, body = change, i
        if size <= SETTLED:
            body = _place(tree, now, after, work)
            if body >= 0:
                return TURNS_TOO_FAR, body, iteration, size
            return DONE, -1, iteration, size
    return NOT_CONVERGED, body, MOST_ITERATIONS, size


@jit
def release_pulling(joined, active, lam):
    """Let go of limits whose multiplier would pull; whether there were any."""
    released = False
    for r in range(joined.role.shape[0]):
        if joined.role[r] == LIMIT and active[r] and joined.side[r] * lam[r] < 0.0:
            active[r] = False
            released = True
    return released


@jit
def position_stage(h, rule, joined, tree, rows, now, after, work, kkt):
    """Poses at the end of the step; a limit that would have to pull lets go and it is redone."""
    most = 0
    for _ in range(joined.role.shape[0] + 1):
        set_modes(joined, kkt, now.active, False, True, h)
        code, body, iterations, size = _newton(
            h, rule, joined, tree, rows, now, after, work, kkt
        )
        most += iterations
        if code != DONE or not release_pulling(joined, now.active, work.lam):
            return code, body, most, size
    return code, body, most, size
