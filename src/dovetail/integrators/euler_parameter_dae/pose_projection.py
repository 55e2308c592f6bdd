"""Projection of poses onto the constraints of joints, by the smallest motion in the mass norm."""

import math

from dovetail.integrators.variational.position_stage import MAX_ITERATIONS
from dovetail.integrators.variational.stages import (
    DONE,
    NOT_CONVERGED,
    NOT_FINITE,
    ROTATES_TOO_FAR,
    SINGULAR,
    mass_blocks,
    place,
    set_modes,
)
from dovetail.linalg.kkt.tree import factor, solve
from dovetail.multibody.constraints.bodies import ARMATURE
from dovetail.multibody.constraints.rows import evaluate
from dovetail.runtime.jit import jit

CONVERGED = 1e-8  # relative correction; G is exact, so the next would be its square


@jit
def project_poses(constants, tree, rows, before, motion, work, kkt):
    """Move the poses of `motion` to phi = 0; (code, body, iterations, size).

    M d + G^T l = 0, G d = -phi, then q exp(d) for q, until d is small. `before` has the active
    rows and the previous angles.
    """
    order, u, c, lam, G = tree.order, work.u, work.c, work.lam, work.G
    x, R, phi, length, b = motion.x, motion.R, motion.phi, constants.length[0], kkt.b
    size, body = math.inf, -1
    for iteration in range(1, MAX_ITERATIONS + 1):
        evaluate(rows, x, R, before.angle, phi, motion.angle, G)
        set_modes(constants, kkt, before.active, False, True, 1.0)
        mass_blocks(constants, order, kkt.A)
        body = factor(tree, G, G, kkt)
        if body >= 0:
            return SINGULAR, body, iteration, size
        for i in order:
            for k in range(6):
                b[i, k] = 0.0
        for r in range(c.shape[0]):
            c[r] = -phi[r] if constants.role[r] != ARMATURE else 0.0
        solve(tree, G, G, kkt, c, u, lam)
        size = 0.0
        for i in order:
            for k in range(6):
                part = abs(u[i, k]) / (length if k < 3 else 1.0)
                if not part <= 1e300:
                    return NOT_FINITE, i, iteration, part
                if part > size:
                    size, body = part, i
        rotated_too_far = place(order, x, R, u, x, R)
        if rotated_too_far >= 0:
            return ROTATES_TOO_FAR, rotated_too_far, iteration, size
        if size <= CONVERGED:
            return DONE, -1, iteration, size
    return NOT_CONVERGED, body, MAX_ITERATIONS, size
