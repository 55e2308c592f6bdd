"""The position stage of a variational step: where the bodies are at its end."""

import math

from dovetail.integrators.variational.chord import chord
from dovetail.integrators.variational.discrete_momentum import (
    momentum_jacobian,
    right_jacobian_row,
)
from dovetail.integrators.variational.stages import (
    DONE,
    NO_GAIN,
    NOISE,
    NOT_CONVERGED,
    NOT_FINITE,
    ROTATES_TOO_FAR,
    ROUND_OFF,
    SETTLED,
    SINGULAR,
    apply_correction,
    momentum_left,
    place,
    reach_of,
    release_pulling,
    set_modes,
    stop_at_limits,
    tangent,
)
from dovetail.linalg import stumpff
from dovetail.linalg.kkt.rows import HARD
from dovetail.linalg.kkt.tree import factor, set_block, solve
from dovetail.linalg.vec3 import ZERO, load33, norm
from dovetail.multibody.constraints.bodies import ARMATURE
from dovetail.multibody.constraints.joint_friction import ease_friction
from dovetail.multibody.constraints.rows import evaluate, row_rate
from dovetail.runtime.jit import jit

FREEZE = 1e-4  # relative correction after which the matrix is good enough for the next ones
STALLED, CLOSED = 1e-6, 1e-8  # correction and residual that will do where neither shrinks more
PATIENCE = 6  # iterations before that may be so
MAX_ITERATIONS = 40
MAX_STOPS = 20  # times in a step that limits are found to be passed


@jit
def per_rotation_vector(tree, delta, G):
    """Rotation columns g of rows G become J_r(f)^T g, their derivative with respect to f."""
    body, moves = tree.body, tree.moves
    for side in range(body.shape[1]):
        before, f, c2, c3 = -1, ZERO, 0.0, 0.0  # rows of a joint follow each other
        for r in range(G.shape[0]):
            i = body[r, side]
            if i < 0 or not moves[i]:
                continue
            if i != before:
                _, f = tangent(delta, i)
                before, c2, c3 = i, stumpff.c2(norm(f)), stumpff.c3(norm(f))
            g = right_jacobian_row(f, c2, c3, (G[r, side, 3], G[r, side, 4], G[r, side, 5]))
            for k in range(3):
                G[r, side, 3 + k] = g[k]


@jit
def _square(order, A, delta):
    """Squared norm of `delta`, that of the diagonal of A."""
    total = 0.0
    for i in order:
        for k in range(6):
            total += abs(A[i, k, k]) * delta[i, k] * delta[i, k]
    return total


@jit
def _blocks(rule, constants, order, delta, A):
    """A of the position stage at `delta`."""
    mass, inertia = constants.mass, constants.inertia
    for i in order:
        _, f = tangent(delta, i)
        set_block(A, i, mass[i], momentum_jacobian(rule, load33(inertia, i), f))


@jit
def _newton(h, rule, constants, tree, rows, now, after, work, kkt):
    """Solve the position stage; returns (code, body, iterations, last relative correction)."""
    order, delta, u, c, lam, G1 = tree.order, work.delta, work.u, work.c, work.lam, work.G
    x0, R0, G0, v, omega = now.x, now.R, now.G, now.v, now.omega
    x, R, phi, length, roles = after.x, after.R, after.phi, constants.length[0], constants.role
    for i in order:
        for k in range(3):
            delta[i, k] = h * v[i, k]
            delta[i, 3 + k] = h * omega[i, k]
    noise = NOISE * max(1.0, reach_of(order, x0) / length)
    size, body, best = math.inf, -1, math.inf
    for iteration in range(1, MAX_ITERATIONS + 1):
        body = place(order, x0, R0, delta, x, R)
        if body >= 0:
            return ROTATES_TOO_FAR, body, iteration, size
        frozen = iteration > 1 and size <= FREEZE
        evaluate(rows, x, R, now.angle, phi, after.angle, after.G if frozen else G1)
        if not frozen:
            per_rotation_vector(tree, delta, G1)
            _blocks(rule, constants, order, delta, kkt.A)
            body = factor(tree, G0, G1, kkt)
            if body >= 0:
                return SINGULAR, body, iteration, size
        momentum_left(h, rule, constants, order, now, delta, kkt.b)
        ease_friction(h, constants, tree, now, kkt.b)
        for r in range(c.shape[0]):
            c[r] = -phi[r]
            if roles[r] == ARMATURE:
                c[r] += now.phi[r] + h * row_rate(tree.body, G0, r, v, omega)
        kkt.corrected[0] = _square(order, kkt.A, delta)
        solve(tree, G0, G1, kkt, c, u, lam)
        before = size
        size, body = apply_correction(order, length, u, delta)
        if not math.isfinite(size):
            return NOT_FINITE, body, iteration, size
        stalled = iteration > PATIENCE and STALLED >= size > 0.5 * best
        best = min(best, size)
        if stalled and not _are_closed(phi, kkt.mode, length):
            return NOT_CONVERGED, body, iteration, size
        rate = size / before if frozen else size  # of convergence
        settled = size <= SETTLED and (rate * size <= ROUND_OFF or not frozen)
        noisy = frozen and ((size <= NOISE and rate > 0.05) or (size <= noise and rate > NO_GAIN))
        if settled or stalled or noisy:
            body = place(order, x0, R0, delta, x, R)
            return DONE if body < 0 else ROTATES_TOO_FAR, body, iteration, size
    return NOT_CONVERGED, body, MAX_ITERATIONS, size


@jit
def _are_closed(phi, mode, length):
    """Whether all rows that count are as good as closed.

    In a singular position errors of a row are as the square of the motion, so corrections cannot be
    more exact than the root of round-off.
    """
    for r in range(phi.shape[0]):
        if mode[r] == HARD and not abs(phi[r]) <= CLOSED * max(1.0, length):
            return False
    return True


@jit
def position_stage(h, rule, projects, constants, tree, rows, now, after, work, kkt):
    """Poses at the end of the step; it is redone where a limit would have to pull or is passed.

    Newton's method is for where the matrix of the start will not do, and for schemes that do not
    project, whose velocity stage leaves no factors of it.

    Limits that are reached together in a loop, each a little off, cannot all be met: the iteration
    stalls between them, and those that pull let go.
    """
    most, tries = 0, MAX_STOPS
    active, lam = now.active, work.lam
    while True:
        set_modes(constants, kkt, active, False, True, h)
        code, body, iterations, size = NOT_CONVERGED, -1, 0, math.inf
        if projects:
            code, body, iterations, size = chord(
                h, rule, constants, tree, rows, now, after, work, kkt
            )
            most += iterations
        if code != DONE:
            for i in tree.order:
                for k in range(6):
                    after.bend[i, k] = 0.0
            code, body, iterations, size = _newton(
                h, rule, constants, tree, rows, now, after, work, kkt
            )
            most += iterations
        undecided = code == NOT_CONVERGED and size <= STALLED
        if not (code == DONE or undecided):
            return code, body, most, size
        changed = release_pulling(constants, active, lam)
        if code == DONE and tries > 0 and stop_at_limits(constants, work.stops, active, after.phi):
            changed, tries = True, tries - 1
        if not changed:
            return code, body, most, size
