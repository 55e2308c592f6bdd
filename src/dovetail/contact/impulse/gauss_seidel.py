r"""Impulses of joints and frictional contacts by projected Gauss-Seidel with conjugate directions.

Find impulses \(\lambda\) with u = u_free + M^-1 J^T \(\lambda\) such that
    joints      J u + c + s lambda = 0          (s > 0: a damper; lambda >= 0: a limit)
    normals     0 <= lambda_N  _|_  J_N u + c >= 0
    tangents    lambda_T = argmax over mu lambda_N P of -lambda_T . J_T u   (maximal dissipation)
P being the unit disc (facets = 0) or the regular polygon with `facets` corners, one of them along
the slip: Stewart and Trinkle 1996; Anitescu and Potra 1997. The conjugate directions are those of
Silcowitz-Hansen, Niebe and Erleben 2010, "A nonsmooth nonlinear conjugate gradient method for
interactive contact force problems".
"""

import math

import numpy as np

from dovetail.contact.impulse.friction import onto_friction
from dovetail.contact.impulse.rows import kick, rate
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm

HOLD, PUSH, LET_GO = 0, 1, 2  # what a joint's row does: both ways, lambda >= 0 only, nothing


@jit
def _sweep(back, body, J, WJ, diagonal, c, n_joint, mode, soft, unit, mu, rho, on, facets, lam, u):
    """Once over all rows, from the last to the first if `back`; the largest change [m/s]."""
    worst = 0.0
    n_contacts = mu.shape[0]
    for step in range(n_joint + n_contacts):
        k = n_joint + n_contacts - 1 - step if back else step
        if k < n_joint:
            if mode[k] == LET_GO or not diagonal[k] > 0.0:
                continue
            left = rate(body, J, k, u) + c[k] + soft[k] * lam[k]
            value = lam[k] - left / (diagonal[k] + soft[k])
            if mode[k] == PUSH:
                value = max(0.0, value)
            change = value - lam[k]
            if change != 0.0:
                lam[k] = value
                kick(body, WJ, k, change, u)
                worst = max(worst, abs(change) * (diagonal[k] + soft[k]) * unit[k])
            continue
        k -= n_joint
        if not on[k]:
            continue
        r = n_joint + 3 * k
        if on[k] == 1 and diagonal[r] > 0.0:
            value = max(0.0, lam[r] - (rate(body, J, r, u) + c[r]) / diagonal[r])
            change = value - lam[r]
            if change != 0.0:
                lam[r] = value
                kick(body, WJ, r, change, u)
                worst = max(worst, abs(change) * diagonal[r])
        if mu[k] > 0.0 and rho[k] > 0.0:
            a = lam[r + 1] - rho[k] * (rate(body, J, r + 1, u) + c[r + 1])
            b = lam[r + 2] - rho[k] * (rate(body, J, r + 2, u) + c[r + 2])
            a, b = onto_friction(a, b, mu[k] * lam[r], facets)
            da, db = a - lam[r + 1], b - lam[r + 2]
            if da != 0.0 or db != 0.0:
                lam[r + 1], lam[r + 2] = a, b
                kick(body, WJ, r + 1, da, u)
                kick(body, WJ, r + 2, db, u)
                worst = max(worst, max(abs(da), abs(db)) / rho[k])
    return worst


@jit
def residual(body, J, diagonal, c, n_joint, mode, soft, unit, mu, rho, on, facets, lam, u):
    """(largest violation of any row's law [m/s], its row): what a projected step would change."""
    worst, where = 0.0, -1
    for k in range(n_joint):
        if mode[k] == LET_GO or not diagonal[k] > 0.0:
            continue
        left = rate(body, J, k, u) + c[k] + soft[k] * lam[k]
        if mode[k] == PUSH:
            left = lam[k] * diagonal[k] - max(0.0, lam[k] * diagonal[k] - left)
        left = abs(left) * unit[k]
        if not left <= worst:
            worst, where = left, k
    for k in range(mu.shape[0]):
        r = n_joint + 3 * k
        if not on[k]:
            continue
        if on[k] == 1 and diagonal[r] > 0.0:
            held = lam[r] * diagonal[r]
            left = abs(held - max(0.0, held - rate(body, J, r, u) - c[r]))
            if not left <= worst:
                worst, where = left, r
        if mu[k] > 0.0 and rho[k] > 0.0:
            a, b = lam[r + 1], lam[r + 2]
            at, bt = onto_friction(
                a - rho[k] * (rate(body, J, r + 1, u) + c[r + 1]),
                b - rho[k] * (rate(body, J, r + 2, u) + c[r + 2]), mu[k] * lam[r], facets,
            )  # fmt: skip
            left = max(abs(a - at), abs(b - bt)) / rho[k]
            if not left <= worst:
                worst, where = left, r + 1
    return worst, where


@jit
def solve(
    body, J, WJ, diagonal, c, n_joint, mode, soft, unit, mu, rho, on, facets, lam, u, before,
    direction, tolerance, most, slow,
):  # fmt: skip
    """Improve `lam`, with u its velocities, until the residual is at most `tolerance` [m/s].

    Ends too when sweeps forth and back leave more than `slow` of what those before changed.
    `before` and `direction` (rows,) are scratch. Returns (sweeps, residual, its row).
    """
    rows = n_joint + 3 * mu.shape[0]
    for r in range(rows):
        direction[r] = 0.0
    squares, sweeps, found, where, last = math.inf, 0, math.inf, -1, math.inf
    while sweeps < most:
        for r in range(rows):
            before[r] = lam[r]
        _sweep(False, body, J, WJ, diagonal, c, n_joint, mode, soft, unit, mu, rho, on, facets,
               lam, u)  # fmt: skip
        worst = _sweep(True, body, J, WJ, diagonal, c, n_joint, mode, soft, unit, mu, rho, on,
                       facets, lam, u)  # fmt: skip
        sweeps += 2
        ends = sweeps >= most or worst > slow * last
        last = worst
        if worst <= tolerance or ends:
            found, where = residual(body, J, diagonal, c, n_joint, mode, soft, unit, mu, rho, on,
                                    facets, lam, u)  # fmt: skip
            if found <= tolerance or ends:
                break
        total = 0.0
        for r in range(rows):
            change = lam[r] - before[r]
            total += change * change * diagonal[r]
        share = total / squares
        if share > 1.0:
            share = 0.0
        squares = total
        for r in range(rows):
            step = lam[r] - before[r]
            if share > 0.0 and direction[r] != 0.0:
                lam[r] += share * direction[r]
                kick(body, WJ, r, share * direction[r], u)
            direction[r] = share * direction[r] + step
    return sweeps, found, where


_f, _b, _w = np.zeros(0), np.zeros((0, 2), np.int32), np.zeros((0, 12))
_m, _u = np.zeros(0, np.int8), np.zeros((0, 6))
warm(solve, _b, _w, _w, _f, _f, 0, _m, _f, _f, _f, _f, _m, 0, _f, _u, _f, _f, 0.0, 0, 0.0)
warm(residual, _b, _w, _f, _f, 0, _m, _f, _f, _f, _f, _m, 0, _f, _u)
