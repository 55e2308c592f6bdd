"""The velocity stage of a variational step: velocities and forces at its end."""

import math

from dovetail.kernels.constraint_rows import evaluate
from dovetail.kernels.discrete_momentum import momentum
from dovetail.kernels.jit import jit
from dovetail.kernels.joined_bodies import DAMPER, LIMIT, given_rate, push, wrenches
from dovetail.kernels.kkt_tree import OFF, SOFT, factor, set_block, solve
from dovetail.kernels.position_stage import (
    DONE,
    NOT_FINITE,
    SINGULAR,
    release_pulling,
    set_modes,
    tangent,
)
from dovetail.kernels.vec3 import load3, load33, mat_t_vec, matvec


@jit
def mass_blocks(joined, tree, kkt):
    """A = mass matrix."""
    for i in tree.order:
        set_block(kkt.A, i, joined.mass[i], load33(joined.inertia, i))


@jit
def _kicked(h, rule, joined, tree, after, work, kkt):
    """B = momentum after the turn plus the half kick."""
    for i in tree.order:
        dx, f = tangent(work.delta, i)
        end = momentum(rule, load33(joined.inertia, i), f, -1.0)
        torque = mat_t_vec(load33(after.R, i), load3(after.torque, i))
        for k in range(3):
            kkt.b[i, k] = joined.mass[i] * dx[k] / h + 0.5 * h * after.force[i, k]
            kkt.b[i, 3 + k] = end[k] / h + 0.5 * h * torque[k]


@jit
def add_row_impulses(tree, G, mode, off, factor_, multiplier, b):
    """Add factor * G^T multiplier of the rows that are (not) OFF to momenta b (n, 6)."""
    for r in range(multiplier.shape[0]):
        if (mode[r] == OFF) == off and multiplier[r] != 0.0:
            for side in range(2):
                i = tree.body[r, side]
                if i >= 0 and tree.moves[i]:
                    for k in range(6):
                        b[i, k] += factor_ * G[r, side, k] * multiplier[r]


@jit
def begin_rows(joined, tree, rows, now, after, work):
    """Which limits are reached and what rate each row must have."""
    for r in range(joined.role.shape[0]):
        reached = joined.role[r] == LIMIT and joined.side[r] * after.phi[r] >= 0.0
        after.active[r] = reached or now.active[r]
        after.keep[r] = True
        work.c[r] = -given_rate(rows, tree, after.G, r, after.v, after.omega, joined.rate[r])


@jit
def velocity_stage(h, rule, projects, joined, tree, loads, rows, now, after, work, kkt):
    """Velocities and total wrenches at the end of the step, its poses being known.

    Without projection the joints' multipliers are those of the position stage (`after.multiplier`)
    and only the dampers are solved for.
    """
    evaluate(rows, after.x, after.R, now.angle, after.phi, after.angle, after.G)
    wrenches(joined, tree, loads, rows, after, work.extra)
    begin_rows(joined, tree, rows, now, after, work)
    for _ in range(joined.role.shape[0] + 1):
        set_modes(joined, kkt, after.active, True, projects, h)
        mass_blocks(joined, tree, kkt)
        body = factor(tree, after.G, after.G, kkt, after.keep, True)
        if body >= 0:
            return SINGULAR, body
        _kicked(h, rule, joined, tree, after, work, kkt)
        if not projects:
            add_row_impulses(tree, after.G, kkt.mode, True, -0.5 * h, after.multiplier, kkt.b)
        solve(tree, after.G, after.G, kkt, work.c, work.u, work.lam)
        if not (projects and release_pulling(joined, after.active, work.lam)):
            break
    return finish(h, projects, joined, tree, rows, after, work, kkt)


@jit
def finish(h, projects, joined, tree, rows, after, work, kkt):
    """Velocities, momenta, multipliers and damper forces from the solution."""
    for i in tree.order:
        total = 0.0
        for k in range(3):
            after.v[i, k] = work.u[i, k]
            after.omega[i, k] = work.u[i, 3 + k]
            total += abs(work.u[i, k]) + abs(work.u[i, 3 + k]) + abs(after.x[i, k])
        if not math.isfinite(total):
            return NOT_FINITE, i
        spun = matvec(load33(joined.inertia, i), load3(after.omega, i))
        for k in range(3):
            after.momentum[i, k] = joined.mass[i] * after.v[i, k]
            after.momentum[i, 3 + k] = spun[k]
    if not projects:
        add_row_impulses(tree, after.G, kkt.mode, True, 0.5 * h, after.multiplier, after.momentum)
    for r in range(joined.role.shape[0]):
        if projects or kkt.mode[r] == SOFT:
            after.multiplier[r] = 2.0 / h * work.lam[r] if kkt.mode[r] != OFF else 0.0
        if joined.role[r] == DAMPER:
            push(
                rows, tree.moves, after.R, after.G, r, -after.multiplier[r],
                after.force, after.torque,
            )  # fmt: skip
    return DONE, -1
