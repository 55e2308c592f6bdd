r"""Dry friction along rows, a force -f r / sqrt(r^2 + eps^2) that opposes their rate r.

In a variational step the half at the end has the force a_1 of the velocities there, solved for
with them; the half at the start has the force found before, eased where the row sticks:
    a_1 - (1 - s^2) (a_1 - a_0) / 2 with s = a_1 / f.
A row that slides has its friction at both ends (second order). One that sticks is kept at zero
rate, which with a_1 itself would make the force oscillate about its mean; the mean of two
steps keeps what is steady and halves the square of what oscillates in every step.
"""

import math

from dovetail.linalg.kkt.rows import SOFT
from dovetail.linalg.kkt.tree import solve
from dovetail.multibody.constraints.bodies import given_rate, push
from dovetail.multibody.constraints.rows import row_rate
from dovetail.runtime.jit import jit

CLOSE = 1e-9  # of f, how well the force must fit the rate
FLATTEST = 1e-8  # of the secant, so that a row always responds
SMALLEST = 1e-200
SECANT_FROM = 20  # trials
MAX_TRIALS = 200


@jit
def friction_force(f, eps, rate):
    """The force [N or N m] that a rate meets."""
    root = math.sqrt(rate * rate + eps * eps)
    return f * rate / root if root > 0.0 else 0.0


@jit
def eased_force(f, force, before):
    """The force at the start of the next step, `before` being that of the step before."""
    part = force / f
    return force - 0.5 * (1.0 - part * part) * (force - before)


@jit
def friction_derivative(f, eps, rate, steep):
    """Change of the force with the rate: its tangent, or its secant from 0, which is steeper.

    Tangents converge fast near the solution; secants from wherever they start, since the force
    falls short of every line through 0 beyond the point where it was taken.
    """
    root = max(math.sqrt(rate * rate + eps * eps), SMALLEST)
    secant = f / root
    if steep:
        return secant
    part = eps / root
    return max(secant * part * part, FLATTEST * secant)


@jit
def add_friction(constants, tree, motion):
    """Add the force of every friction row at the state of `motion` to its wrenches."""
    v, omega, R, G, force, torque = (
        motion.v, motion.omega, motion.R, motion.G, motion.force, motion.torque,
    )  # fmt: skip
    body, moves, friction, eps = tree.body, tree.moves, constants.friction, constants.creep
    multiplier, eased = motion.multiplier, motion.eased
    for r in constants.frictions:
        rate = row_rate(body, G, r, v, omega)
        multiplier[r] = eased[r] = friction_force(friction[r], eps[r], rate)
        push(body, moves, R, G, r, -multiplier[r], force, torque)


@jit
def ease_friction(h, constants, tree, now, b):
    """Change momenta b (n, 6) of the position stage by what the eased forces are less."""
    body, moves, G, multiplier, eased = tree.body, tree.moves, now.G, now.multiplier, now.eased
    for r in constants.frictions:
        amount = 0.5 * h * h * (multiplier[r] - eased[r])
        for side in range(body.shape[1]):
            i = body[r, side]
            if i >= 0 and moves[i]:
                for k in range(6):
                    b[i, k] += amount * G[r, side, k]


@jit
def begin_friction(constants, tree, now, after, work):
    """The first guess of the rates: those before."""
    v, omega, G, body = now.v, now.omega, after.G, tree.body
    slip_rate, steep = work.slip_rate, work.steep
    for r in constants.frictions:
        slip_rate[r] = row_rate(body, G, r, v, omega)
        steep[r] = 1.0


@jit
def soften_friction(h, constants, tree, after, work, kkt):
    """Rows of the velocity stage, the force being a line through the guess of the rate."""
    body, moves, G, v, omega = tree.body, tree.moves, after.G, after.v, after.omega
    friction, eps = constants.friction, constants.creep
    slip_rate, steep, c, D, mode = work.slip_rate, work.steep, work.c, kkt.D, kkt.mode
    for r in constants.frictions:
        f, guess = friction[r], slip_rate[r]
        derivative = friction_derivative(f, eps[r], guess, steep[r] > 0.0)
        force = friction_force(f, eps[r], guess)
        mode[r] = SOFT
        D[r] = 2.0 / (h * derivative)
        c[r] = guess - force / derivative - given_rate(body, moves, G, r, v, omega, 0.0)


@jit
def friction_settled(h, trial, constants, tree, after, work):
    """Whether the forces solved for are those of the rates they lead to: the new guess."""
    body, moves, G, v, omega = tree.body, tree.moves, after.G, after.v, after.omega
    friction, eps = constants.friction, constants.creep
    slip_rate, steep, u, lam = work.slip_rate, work.steep, work.u, work.lam
    settled = True
    for r in constants.frictions:
        rate = given_rate(body, moves, G, r, v, omega, 0.0)
        for side in range(body.shape[1]):
            i = body[r, side]
            if i >= 0 and moves[i]:
                for k in range(6):
                    rate += G[r, side, k] * u[i, k]
        acting = 2.0 / h * lam[r]
        force = friction_force(friction[r], eps[r], rate)
        if not abs(force - acting) <= CLOSE * friction[r]:
            settled = False
        changes_sign = rate * slip_rate[r] < 0.0
        steep[r] = 1.0 if changes_sign or trial < 1 or trial >= SECANT_FROM else 0.0
        slip_rate[r] = rate
    return settled


@jit
def row_mobility(parts, r):
    """Rate of row r per impulse along it at `now` [1/kg or 1/(kg m^2)], by the factors at hand."""
    tree, work, kkt, G = parts.tree, parts.work, parts.kkt, parts.now.G
    body, moves, b, c, u, lam = tree.body, tree.moves, kkt.b, work.c, work.u, work.lam
    for i in tree.order:
        for k in range(6):
            b[i, k] = 0.0
    for q in range(c.shape[0]):
        c[q] = 0.0
    for side in range(body.shape[1]):
        i = body[r, side]
        if i >= 0 and moves[i]:
            for k in range(6):
                b[i, k] += G[r, side, k]
    solve(tree, G, G, kkt, c, u, lam)
    rate = 0.0
    for side in range(body.shape[1]):
        i = body[r, side]
        if i >= 0 and moves[i]:
            for k in range(6):
                rate += G[r, side, k] * u[i, k]
    return rate
