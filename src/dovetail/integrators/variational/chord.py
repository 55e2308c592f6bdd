r"""The position stage with the matrix of its start, which the velocity stage before has factored.

With r the momenta that are left and phi the rows, both with the multipliers L so far,
    [ M    G_0^T ] [ d delta ]     [ r(delta) - G_0^T L ]
    [ G_0   -D   ] [ d L     ] = - [ phi(delta) - D L   ]
is repeated, one substitution each (the chord method: Kelley, Iterative Methods for Linear and
Nonlinear Equations, SIAM 1995, 5.4.1). Its error shrinks by O(h omega) per iteration. Since L is
kept and the right-hand side is exact, the slack of loop rows (`kkt.sparse`) needs no refinement of
its own. A step costs one factorisation where Newton's method with the velocity stage needs two.

The first guess has the multipliers of the velocity stage before. What it lacked in that step, of
O(h^3), is added to it: it is off by O(h^4) then. Multipliers themselves are not carried on, since
those of implied rows are not unique and would grow.
"""

import math

from dovetail.integrators.variational.stages import (
    DONE,
    NO_GAIN,
    NOISE,
    NOT_CONVERGED,
    ROUND_OFF,
    SETTLED,
    SINGULAR,
    apply_correction,
    mass_blocks,
    momentum_left,
    place,
    reach_of,
)
from dovetail.linalg.kkt.records import AT_NOW
from dovetail.linalg.kkt.rows import OFF
from dovetail.linalg.kkt.tree import correct, factor_at
from dovetail.linalg.vec3 import load33, solve
from dovetail.multibody.constraints.bodies import ARMATURE
from dovetail.multibody.constraints.joint_friction import ease_friction
from dovetail.multibody.constraints.rows import evaluate_values, row_rate
from dovetail.runtime.jit import jit

SLOW = 0.1  # of a correction that may be left by the next one
MAX_ITERATIONS = 12
FAST = 0.03  # [rad] of a body in a step, beyond which it is slow
UNSEEN = 4e-15  # correction that is round-off of what rows are made of
AHEAD = 4  # iterations to come for which Newton's method does not pay


@jit
def factor_at_start(constants, tree, now, kkt):
    """Factors of the matrix at `now`, unless they are there; a body without solution, or -1."""
    mode, factored = kkt.mode, kkt.factored_mode
    known = kkt.factors_of[0] == AT_NOW
    for r in range(mode.shape[0]):
        known = known and mode[r] == factored[r]
    if known:
        return -1
    mass_blocks(constants, tree.order, kkt.A)
    return factor_at(tree, now.x, now.R, now.G, kkt)


@jit
def _begin(h, rule, constants, tree, now, work, kkt):
    """The first guess: multipliers of the state, and the displacement of these and all forces."""
    order, delta, lam, b, mode = tree.order, work.delta, work.lam, kkt.b, kkt.mode
    guess, bend = work.guess, now.bend
    mass, inertia, v, omega, multiplier = (
        constants.mass, constants.inertia, now.v, now.omega, now.multiplier,
    )  # fmt: skip
    for i in order:
        for k in range(3):
            delta[i, k] = h * v[i, k]
            delta[i, 3 + k] = h * omega[i, k]
    for r in range(lam.shape[0]):
        lam[r] = 0.5 * h * h * multiplier[r] if mode[r] != OFF else 0.0
    momentum_left(h, rule, constants, order, now, delta, b)
    _take_multipliers(tree, now.G, mode, lam, b)
    for i in order:
        f = solve(load33(inertia, i), (b[i, 3], b[i, 4], b[i, 5]))
        for k in range(3):
            delta[i, k] += b[i, k] / mass[i]
            delta[i, 3 + k] += f[k]
        for k in range(6):
            guess[i, k] = delta[i, k]
            delta[i, k] += h * h * h * bend[i, k]


@jit
def _remember(h, order, delta, guess, bend):
    """What the guess has lacked."""
    for i in order:
        for k in range(6):
            bend[i, k] = (delta[i, k] - guess[i, k]) / (h * h * h)


@jit
def _take_multipliers(tree, G, mode, lam, b):
    """B -= G^T lam."""
    body, moves = tree.body, tree.moves
    for r in range(lam.shape[0]):
        if mode[r] != OFF and lam[r] != 0.0:
            for side in range(body.shape[1]):
                i = body[r, side]
                if i >= 0 and moves[i]:
                    for k in range(6):
                        b[i, k] -= G[r, side, k] * lam[r]


@jit
def _turns_far(h, order, omega):
    """Whether a body turns by more than FAST in the step."""
    for i in order:
        for k in range(3):
            if not abs(h * omega[i, k]) <= FAST:
                return True
    return False


@jit
def _is_slow(rate, size):
    """Whether corrections do not shrink, or more than AHEAD of them are to come."""
    return rate > SLOW or (size > SETTLED and size * rate**AHEAD > ROUND_OFF)


@jit
def chord(h, rule, constants, tree, rows, now, after, work, kkt):
    """(code, body, iterations, last relative correction); NOT_CONVERGED also where it is slow."""
    order, delta, u, c, lam, more = tree.order, work.delta, work.u, work.c, work.lam, work.more
    x0, R0, G0, v, omega = now.x, now.R, now.G, now.v, now.omega
    x, R, phi, length, roles = after.x, after.R, after.phi, constants.length[0], constants.role
    D, mode = kkt.D, kkt.mode
    if _turns_far(h, order, omega):
        return NOT_CONVERGED, -1, 0, math.inf
    body = factor_at_start(constants, tree, now, kkt)
    if body >= 0:
        return SINGULAR, body, 1, math.inf
    _begin(h, rule, constants, tree, now, work, kkt)
    noise = NOISE * max(1.0, reach_of(order, x0) / length)
    size = math.inf
    for iteration in range(1, MAX_ITERATIONS + 1):
        body = place(order, x0, R0, delta, x, R)
        if body >= 0:
            return NOT_CONVERGED, body, iteration, size
        evaluate_values(rows, x, R, now.angle, phi, after.angle)
        momentum_left(h, rule, constants, order, now, delta, kkt.b)
        ease_friction(h, constants, tree, now, kkt.b)
        _take_multipliers(tree, G0, mode, lam, kkt.b)
        for r in range(c.shape[0]):
            c[r] = 0.0 if mode[r] == OFF else D[r] * lam[r] - phi[r]
            if roles[r] == ARMATURE:
                c[r] += now.phi[r] + h * row_rate(tree.body, G0, r, v, omega)
        correct(tree, G0, kkt, c, u, more)
        for r in range(lam.shape[0]):
            if mode[r] != OFF:
                lam[r] += more[r]
        before = size
        size, body = apply_correction(order, length, u, delta)
        rate = size / before if math.isfinite(before) else 1.0
        nothing = size <= UNSEEN * noise / NOISE  # rows could not tell what a change of it does
        noisy = (size <= NOISE and rate > 0.05) or (size <= noise and rate > NO_GAIN)
        sure = size <= SETTLED and rate * size <= ROUND_OFF
        if nothing or sure or (iteration > 1 and noisy):
            _remember(h, order, delta, work.guess, after.bend)
            body = place(order, x0, R0, delta, x, R)
            return DONE if body < 0 else NOT_CONVERGED, body, iteration, size
        if not math.isfinite(size) or (iteration > 1 and _is_slow(rate, size)):
            return NOT_CONVERGED, body, iteration, size
    return NOT_CONVERGED, body, MAX_ITERATIONS, size
