"""Bringing poses back to where the joints hold, by the smallest motion in the mass norm."""

import math

from dovetail.kernels.constraint_rows import evaluate
from dovetail.kernels.jit import jit
from dovetail.kernels.kkt_tree import factor, solve
from dovetail.kernels.position_stage import (
    DONE,
    MOST_ITERATIONS,
    NOT_CONVERGED,
    SINGULAR,
    TURNS_TOO_FAR,
    apply_correction,
    in_terms_of_the_turn,
    place,
    set_modes,
)
from dovetail.kernels.velocity_stage import mass_blocks

SETTLED = 1e-12  # relative correction; convergence is at least linear at the size of phi


@jit
def project_poses(joined, tree, rows, start, motion, work, kkt):
    """Poses of `motion` near those of `start` with phi = 0; (code, body, iterations, size).

    M d + G_0^T l = 0, phi(q_0 exp(d)) = 0, with G_0 at `start`.
    """
    order, delta, u, c, lam, G1 = tree.order, work.delta, work.u, work.c, work.lam, work.G
    x0, R0, G0, x, R = start.x, start.R, start.G, motion.x, motion.R
    phi, length, b = motion.phi, joined.length[0], kkt.b
    for i in order:
        for k in range(6):
            delta[i, k] = 0.0
    size, body = math.inf, -1
    for iteration in range(1, MOST_ITERATIONS + 1):
        body = place(order, x0, R0, delta, x, R)
        if body >= 0:
            return TURNS_TOO_FAR, body, iteration, size
        evaluate(rows, x, R, start.angle, phi, motion.angle, G1)
        if size <= SETTLED:
            return DONE, -1, iteration, size
        in_terms_of_the_turn(tree, delta, G1)
        set_modes(joined, kkt, start.active, False, True, 1.0)
        mass_blocks(joined, order, kkt.A)
        body = factor(tree, G0, G1, kkt, start.keep, False)
        if body >= 0:
            return SINGULAR, body, iteration, size
        _pull_back(joined, order, delta, b)
        for r in range(c.shape[0]):
            c[r] = -phi[r]
        solve(tree, G0, G1, kkt, c, u, lam)
        size, body = apply_correction(order, length, u, delta)
    return NOT_CONVERGED, body, MOST_ITERATIONS, size


@jit
def _pull_back(joined, order, delta, b):
    """B = -M delta."""
    mass, inertia = joined.mass, joined.inertia
    for i in order:
        for k in range(3):
            b[i, k] = -mass[i] * delta[i, k]
            b[i, 3 + k] = 0.0
            for j in range(3):
                b[i, 3 + k] -= inertia[i, k, j] * delta[i, 3 + j]
