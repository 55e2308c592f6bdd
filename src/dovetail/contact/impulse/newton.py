r"""Impulses of joints and contacts by Newton's method in the velocities of the bodies.

Coulomb's law is that of a convex cone if the slip, times mu, is added to the normal velocity
(De Saxce and Feng 1998; for a polygon the slip is the largest of -v_T . p over its corners p):
    (lambda_N, lambda_T) in K   _|_   (v_N + c + mu slip, v_T) in K*.
With that slip held, and impulses l known so far,
    lambda(u) = P_K(l - w (J u + c)),     M (u - u_free) = J^T lambda(u)
is the minimum of a convex function, found by Newton's method with the matrix M + J^T w P_K' J and
a search along each step. Then l and the slip are taken anew, and w grows tenfold: the method of
multipliers (Rockafellar 1976). Contacts that hold the same motion twice do no harm, and one
factorisation does what hundreds of sweeps do in a high stack.
"""

from typing import Any, NamedTuple

import numpy as np

from dovetail.contact.impulse.cone import (
    follow_slip,
    impulses_at,
    power_along,
    set_slip,
    set_weights,
)
from dovetail.contact.impulse.gauss_seidel import residual
from dovetail.contact.impulse.rows import kick_all, rate, rates
from dovetail.contact.impulse.system import assemble, free_rows, gradient, mass_blocks
from dovetail.linalg.block_cholesky.factor import factorise, room_for_factor, solve
from dovetail.multibody.body_arrays import NO_BODIES
from dovetail.runtime.jit import jit_in_place
from dovetail.runtime.warmup import warm

HEAVIEST = 1e6  # largest w, times the inertia that a row feels
GROWTH = 10.0
SETTLED = 0.1  # of what the multipliers still change: how well velocities are solved before
FLAT = 0.1  # of the slope at the start of a step: where the search along it ends
SLIP = 0.1  # of the change of mu slip: where the multipliers' is less, w does not grow
MOST_SEARCHES = 20
MOST_STEPS = 20  # with the same impulses held
MOST_STALLS = 5  # times that new impulses are hardly better


class NewtonRoom(NamedTuple):
    """Scratch for n bodies, r rows, k joints and contacts, m pairs of bodies."""

    mass: Any  # (n, 6, 6)
    J: Any  # (r, 12) rows without held directions
    free: Any  # (n, 6) velocities without impulses
    at: Any  # (n, 6) velocities that the impulses follow
    ends: Any  # (n, 6) velocities that the impulses make
    step: Any  # (n, 6) gradient, then Newton's step
    y: Any  # (r,) l - w (J u + c)
    trial: Any  # (r,) lambda(u)
    anchor: Any  # (r,) l
    weight: Any  # (r,) w
    keep: Any  # (r,) share of l that y has: 1 but for soft rows
    bias: Any  # (r,) c + mu slip
    slip: Any  # (r,) change of the bias that is left
    rate: Any  # (r,) J step
    best: Any  # (r,) the best impulses so far
    slope: Any  # (k, 6) w P'
    HJ: Any  # (3, 12)
    diagonal: Any  # (n, 6, 6)
    block: Any  # (m, 6, 6)


def newton_room(bodies: int, rows: int, stiff: int, pairs: int) -> NewtonRoom:
    """Arrays for so many bodies, rows, joints and contacts, and pairs of bodies."""
    square = (bodies, 6, 6)
    velocities: list[Any] = [np.empty((bodies, 6)) for _ in range(4)]
    by_row: list[Any] = [np.empty(rows) for _ in range(9)]
    slope, HJ = np.zeros((stiff, 6)), np.empty((3, 12))
    return NewtonRoom._make(
        [np.empty(square), np.empty((rows, 12)), *velocities, *by_row, slope, HJ,
         np.empty(square), np.empty((pairs, 6, 6))]
    )  # fmt: skip


@jit_in_place
def _follow(body, rows, J, n_joint, mode, on, mu, facets, room):
    """Impulses and their slopes at the velocities room.at."""
    for r in range(rows):
        room.y[r] = room.keep[r] * room.anchor[r]
        if room.weight[r] > 0.0:
            room.y[r] -= room.weight[r] * (rate(body, J, r, room.at) + room.bias[r])
    impulses_at(n_joint, mode, on, mu, facets, room.y, room.weight, room.trial, room.slope)


@jit_in_place
def _share(at_low, n_joint, mode, on, mu, facets, room):
    """How much of the step to go: where the slope of the convex function is small.

    `at_low` is its slope at the start.
    """
    start, bent = 0.0, 0.0  # of the kinetic part, and its growth
    for i in range(room.step.shape[0]):
        for r in range(6):
            total = 0.0
            for c in range(6):
                total += room.mass[i, r, c] * room.step[i, c]
            start += total * (room.at[i, r] - room.free[i, r])
            bent += total * room.step[i, r]
    low, high = 0.0, 1.0
    at_high = start + bent - power_along(n_joint, mode, on, mu, facets, room, 1.0)
    flat = FLAT * abs(at_low)
    if at_high <= flat:
        return 1.0
    share = 1.0
    for k in range(MOST_SEARCHES):
        share = low - at_low * (high - low) / (at_high - at_low)
        if k % 3 == 2:
            share = 0.5 * (low + high)
        slope = start + share * bent - power_along(n_joint, mode, on, mu, facets, room, share)
        if abs(slope) <= flat:
            break
        if slope < 0.0:
            low, at_low = share, slope
        else:
            high, at_high = share, slope
    return share


@jit_in_place
def newton(
    bodies, R, body, J, WJ, diagonal, c, n_joint, mode, soft, unit, mu, rho, on, facets, lam, u,
    room, factor, pair, turned, n_pairs, heavy, tolerance, most,
):  # fmt: skip
    """Improve `lam`, with u its velocities, until the residual is at most `tolerance` [m/s].

    `heavy` is the first w. pair (joints + contacts,) and `turned` tell the block of the matrix
    that each adds to, as `assemble` wants them; `factor` is prepared for the n_pairs pairs.
    Returns (factorisations, residual, its row); `lam` is the best that was found.
    """
    n, n_contacts = u.shape[0], on.shape[0]
    rows = n_joint + 3 * n_contacts
    mass_blocks(bodies, R, room.mass)
    free_rows(bodies, body, J, rows, room.J)
    for i in range(n):
        for m in range(6):
            room.free[i, m] = room.at[i, m] = u[i, m]
    kick_all(body, WJ, rows, -1.0, lam, room.free)
    for r in range(rows):
        room.anchor[r] = room.best[r] = lam[r]
    set_slip(body, J, n_joint, mu, facets, c, u, room.bias)
    set_weights(n_joint, mode, soft, diagonal, rho, on, heavy, room.weight, room.keep)
    best, where, last = np.inf, -1, np.inf
    steps, since, stalls, gone = 0, 0, 0, 0.0
    while True:
        _follow(body, rows, J, n_joint, mode, on, mu, facets, room)
        for i in range(n):
            for m in range(6):
                room.ends[i, m] = room.free[i, m]
        kick_all(body, WJ, rows, 1.0, room.trial, room.ends)
        left, row = residual(body, J, diagonal, c, n_joint, mode, soft, unit, mu, rho, on, facets,
                             room.trial, room.ends)  # fmt: skip
        if left < best:
            best, where = left, row
            for r in range(rows):
                room.best[r] = room.trial[r]
        if best <= tolerance or steps >= most:
            break
        for i in range(n):
            for m in range(6):
                room.step[i, m] = room.ends[i, m] - room.at[i, m]
        off, change = 0.0, 0.0
        for r in range(rows):
            if room.weight[r] > 0.0:
                off = max(off, abs(rate(body, J, r, room.step)))
                change = max(change, abs(room.trial[r] - room.anchor[r]) / room.weight[r])
        settled = off <= SETTLED * max(change, tolerance)
        if settled:
            stalls = stalls + 1 if left > 0.5 * last else 0
            last = min(last, left)
            if stalls > MOST_STALLS:
                break
            for r in range(rows):
                room.anchor[r] = room.trial[r]
            slip, gone = follow_slip(body, J, n_joint, mu, facets, c, room.ends, room.trial, gone,
                                     room.slip, room.bias)  # fmt: skip
            if change > SLIP * slip:
                heavy = min(heavy * GROWTH, HEAVIEST)
        elif since >= MOST_STEPS:
            stalls += 1
            if stalls > MOST_STALLS:
                break
            heavy = max(heavy / GROWTH, 1.0)
        if settled or since >= MOST_STEPS:
            since = 0
            set_weights(n_joint, mode, soft, diagonal, rho, on, heavy, room.weight, room.keep)
            _follow(body, rows, J, n_joint, mode, on, mu, facets, room)
        gradient(body, room.J, rows, room.mass, room.free, room.at, room.trial, room.step)
        assemble(bodies.dynamic, n_joint, n_contacts, body, room.J, room.mass, room.slope, pair,
                 turned, n_pairs, room.HJ, room.diagonal, room.block)  # fmt: skip
        if factorise(factor, room.diagonal, room.block, n_pairs, 0.0, 0.0) >= 0:
            break
        for i in range(n):
            for m in range(6):
                room.ends[i, m] = room.step[i, m]
        solve(factor, room.step)
        downhill = 0.0
        for i in range(n):
            for m in range(6):
                downhill -= room.ends[i, m] * room.step[i, m]
        rates(body, J, rows, room.step, room.rate)
        share = _share(downhill, n_joint, mode, on, mu, facets, room)
        for i in range(n):
            for m in range(6):
                room.at[i, m] += share * room.step[i, m]
        steps += 1
        since += 1
    for r in range(rows):
        lam[r] = room.best[r]
    for i in range(n):
        for m in range(6):
            u[i, m] = room.free[i, m]
    kick_all(body, WJ, rows, 1.0, lam, u)
    return steps, best, where


_f, _b, _w = np.zeros(0), np.zeros((0, 2), np.int32), np.zeros((0, 12))
_m, _u, _R = np.zeros(0, np.int8), np.zeros((0, 6)), np.zeros((0, 3, 3))
warm(
    newton, NO_BODIES, _R, _b, _w, _w, _f, _f, 0, _m, _f, _f, _f, _f, _m, 0, _f, _u,
    newton_room(0, 0, 0, 0), room_for_factor(0, 0), np.zeros(0, np.int64), np.zeros(0, np.bool_),
    0, 1.0, 0.0, 0,
)  # fmt: skip
