r"""Accelerations and multipliers at a given state: the index-1 form of the equations of motion.

    [ M  G^T ] [ u' ]   [ force - gyroscopic ]
    [ G   0  ] [ l  ] = [ -(G' u + d^2 phi/dt^2) ]
with u = (v, omega in body axes); also the velocities nearest to given ones (in the mass norm) that
the joints allow.
"""

from typing import Any

import numpy as np

from dovetail.kernels.constraint_rows import bias, evaluate, row_rate
from dovetail.kernels.jit import jit
from dovetail.kernels.joined_bodies import DAMPER, given_rate, push, wrenches
from dovetail.kernels.kkt_tree import OFF, factor, solve
from dovetail.kernels.position_stage import set_modes
from dovetail.kernels.vec3 import cross, load3, load33, mat_t_vec, matvec
from dovetail.kernels.velocity_stage import mass_blocks
from dovetail.kernels.variational_step import example, unpacked
from dovetail.kernels.warmup import warm


@jit
def all_wrenches(joined, tree, loads, rows, turned, motion, extra):
    """Rows and total wrenches, dampers included, at the state of `motion`."""
    evaluate(rows, motion.x, motion.R, turned, motion.phi, motion.angle, motion.G)
    wrenches(joined, tree, loads, rows, motion, extra)
    for r in range(joined.role.shape[0]):
        if joined.role[r] == DAMPER:
            pull = -joined.damping[r] * row_rate(rows, motion.G, r, motion.v, motion.omega)
            push(rows, tree.moves, motion.R, motion.G, r, pull, motion.force, motion.torque)


@jit
def gyroscopic(J, w, torque):
    """Torque - w x J w, body axes."""
    spun = cross(w, matvec(J, w))
    return (torque[0] - spun[0], torque[1] - spun[1], torque[2] - spun[2])


@jit
def solve_accelerations(joined, tree, rows, motion, carried, work, kkt):
    """Accelerations into work.u, multipliers into work.lam, at rows and wrenches known before.

    `carried` (n, 6) are the accelerations of bodies that move as told. Returns a body without
    solution, or -1.
    """
    set_modes(joined, kkt, motion.active, False, True, 1.0)
    mass_blocks(joined, tree, kkt)
    body = factor(tree, motion.G, motion.G, kkt, motion.keep, True)
    if body >= 0:
        return body
    bias(rows, motion.x, motion.R, motion.v, motion.omega, work.c)
    for r in range(joined.role.shape[0]):
        told = work.c[r] + joined.rate2[r]
        for side in range(2):
            i = rows.body[r, side]
            if i >= 0 and not tree.moves[i]:
                for k in range(6):
                    told += motion.G[r, side, k] * carried[i, k]
        work.c[r] = -told
    for i in tree.order:
        torque = mat_t_vec(load33(motion.R, i), load3(motion.torque, i))
        free = gyroscopic(load33(joined.inertia, i), load3(motion.omega, i), torque)
        for k in range(3):
            kkt.b[i, k] = motion.force[i, k]
            kkt.b[i, 3 + k] = free[k]
    solve(tree, motion.G, motion.G, kkt, work.c, work.u, work.lam)
    for r in range(joined.role.shape[0]):
        if kkt.mode[r] == OFF:
            work.lam[r] = 0.0
    return -1


@jit
def start(arrays):
    """Rows and wrenches of `now`, and its velocities made consistent; a body without solution, or -1.

    Minimises the kinetic energy of the change subject to G u + d phi/dt = 0.
    """
    joined, tree, loads, rows, now, _, work, kkt = unpacked(arrays)
    evaluate(rows, now.x, now.R, now.angle, now.phi, now.angle, now.G)
    for r in range(joined.role.shape[0]):
        now.keep[r] = True
        work.c[r] = -given_rate(rows, tree, now.G, r, now.v, now.omega, joined.rate[r])
    set_modes(joined, kkt, now.active, False, True, 1.0)
    mass_blocks(joined, tree, kkt)
    body = factor(tree, now.G, now.G, kkt, now.keep, True)
    if body >= 0:
        return body
    for i in tree.order:
        spun = matvec(load33(joined.inertia, i), load3(now.omega, i))
        for k in range(3):
            kkt.b[i, k] = joined.mass[i] * now.v[i, k]
            kkt.b[i, 3 + k] = spun[k]
    solve(tree, now.G, now.G, kkt, work.c, work.u, work.lam)
    for i in tree.order:
        for k in range(3):
            now.v[i, k] = work.u[i, k]
            now.omega[i, k] = work.u[i, 3 + k]
    set_momentum(joined, tree, now)
    all_wrenches(joined, tree, loads, rows, now.angle, now, work.extra)
    return -1


@jit
def set_momentum(joined, tree, motion):
    """Momenta m v and J omega (body axes) of the bodies that forces move."""
    for i in tree.order:
        spun = matvec(load33(joined.inertia, i), load3(motion.omega, i))
        for k in range(3):
            motion.momentum[i, k] = joined.mass[i] * motion.v[i, k]
            motion.momentum[i, 3 + k] = spun[k]


@jit
def reactions(arrays, carried):
    """Accelerations into work.u and multipliers into work.lam at `now`, its wrenches being known."""
    joined, tree, _, rows, now, _, work, kkt = unpacked(arrays)
    return solve_accelerations(joined, tree, rows, now, carried, work, kkt)


def _nothing() -> Any:
    return np.zeros((0, 6))


warm(start, example())
warm(reactions, example(), _nothing())
