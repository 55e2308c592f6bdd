r"""Impulses of joints and frictional contacts by projected Gauss-Seidel with conjugate directions.

Find impulses \(\lambda\) with u = u_free + M^-1 J^T \(\lambda\) such that
    joints      J u + c + s lambda = 0          (s > 0: a damper; lambda >= 0: a limit)
    normals     0 <= lambda_N  _|_  J_N u + c >= 0
    tangents    lambda_T = argmax over mu lambda_N P of -lambda_T . J_T u   (maximal dissipation)
P being the unit disc (facets = 0) or the regular polygon with `facets` corners, one of them along
the slip: Stewart and Trinkle 1996; Anitescu and Potra 1997. The conjugate directions are those of
Silcowitz-Hansen, Niebe and Erleben 2010, "A nonsmooth nonlinear conjugate gradient method for
interactive contact force problems".

Unlike `linalg.lcp.gauss_seidel`, which sweeps over the rows of a given matrix A, this never forms
A = J M^-1 J^T: a changed impulse changes the velocities u of two bodies.
"""

import math

import numpy as np

from dovetail.contact.impulse.friction_cone import project_friction
from dovetail.contact.impulse.records import ACTIVE, RELEASED, UNILATERAL, no_system
from dovetail.contact.impulse.rows import apply_impulse, rate
from dovetail.contact.impulse.workspace import sweep_workspace
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm


@jit
def _sweep(backward, system, lam, u):
    """Once over all rows, from the last to the first if `backward`; the largest change [m/s]."""
    body, J, WJ, diagonal = system.rows.body, system.rows.J, system.rows.WJ, system.rows.diagonal
    c, n_joint, mode, softness = system.c, system.n_joint, system.mode, system.softness
    unit, mu, rho, active, facets = system.unit, system.mu, system.rho, system.active, system.facets
    largest = 0.0
    n_contacts = mu.shape[0]
    for step in range(n_joint + n_contacts):
        k = n_joint + n_contacts - 1 - step if backward else step
        if k < n_joint:
            if mode[k] == RELEASED or not diagonal[k] > 0.0:
                continue
            left = rate(body, J, k, u) + c[k] + softness[k] * lam[k]
            value = lam[k] - left / (diagonal[k] + softness[k])
            if mode[k] == UNILATERAL:
                value = max(0.0, value)
            change = value - lam[k]
            if change != 0.0:
                lam[k] = value
                apply_impulse(body, WJ, k, change, u)
                largest = max(largest, abs(change) * (diagonal[k] + softness[k]) * unit[k])
            continue
        k -= n_joint
        if not active[k]:
            continue
        r = n_joint + 3 * k
        if active[k] == ACTIVE and diagonal[r] > 0.0:
            value = max(0.0, lam[r] - (rate(body, J, r, u) + c[r]) / diagonal[r])
            change = value - lam[r]
            if change != 0.0:
                lam[r] = value
                apply_impulse(body, WJ, r, change, u)
                largest = max(largest, abs(change) * diagonal[r])
        if mu[k] > 0.0 and rho[k] > 0.0:
            a = lam[r + 1] - rho[k] * (rate(body, J, r + 1, u) + c[r + 1])
            b = lam[r + 2] - rho[k] * (rate(body, J, r + 2, u) + c[r + 2])
            a, b = project_friction(a, b, mu[k] * lam[r], facets)
            da, db = a - lam[r + 1], b - lam[r + 2]
            if da != 0.0 or db != 0.0:
                lam[r + 1], lam[r + 2] = a, b
                apply_impulse(body, WJ, r + 1, da, u)
                apply_impulse(body, WJ, r + 2, db, u)
                largest = max(largest, max(abs(da), abs(db)) / rho[k])
    return largest


@jit
def residual(system, lam, u):
    """(largest violation of any row's law [m/s], its row): the change of a projected step."""
    body, J, diagonal = system.rows.body, system.rows.J, system.rows.diagonal
    c, n_joint, mode, softness = system.c, system.n_joint, system.mode, system.softness
    unit, mu, rho, active, facets = system.unit, system.mu, system.rho, system.active, system.facets
    largest, row = 0.0, -1
    for k in range(n_joint):
        if mode[k] == RELEASED or not diagonal[k] > 0.0:
            continue
        left = rate(body, J, k, u) + c[k] + softness[k] * lam[k]
        if mode[k] == UNILATERAL:
            left = lam[k] * diagonal[k] - max(0.0, lam[k] * diagonal[k] - left)
        left = abs(left) * unit[k]
        if not left <= largest:
            largest, row = left, k
    for k in range(mu.shape[0]):
        r = n_joint + 3 * k
        if not active[k]:
            continue
        if active[k] == ACTIVE and diagonal[r] > 0.0:
            pressing = lam[r] * diagonal[r]
            left = abs(pressing - max(0.0, pressing - rate(body, J, r, u) - c[r]))
            if not left <= largest:
                largest, row = left, r
        if mu[k] > 0.0 and rho[k] > 0.0:
            a, b = lam[r + 1], lam[r + 2]
            at, bt = project_friction(
                a - rho[k] * (rate(body, J, r + 1, u) + c[r + 1]),
                b - rho[k] * (rate(body, J, r + 2, u) + c[r + 2]), mu[k] * lam[r], facets,
            )  # fmt: skip
            left = max(abs(a - at), abs(b - bt)) / rho[k]
            if not left <= largest:
                largest, row = left, r + 1
    return largest, row


@jit
def gauss_seidel(system, lam, u, workspace, tolerance, max_sweeps, stall_ratio):
    """Improve `lam`, with u its velocities, until the residual is at most `tolerance` [m/s].

    Ends too when a forward and a backward sweep leave more than `stall_ratio` of what those before
    changed. Returns the fields of an `Outcome`.
    """
    body, WJ, diagonal = system.rows.body, system.rows.WJ, system.rows.diagonal
    previous, direction = workspace.previous, workspace.direction
    rows = system.n_joint + 3 * system.mu.shape[0]
    for r in range(rows):
        direction[r] = 0.0
    squares, sweeps, found, row, last = math.inf, 0, math.inf, -1, math.inf
    while sweeps < max_sweeps:
        for r in range(rows):
            previous[r] = lam[r]
        _sweep(False, system, lam, u)
        largest = _sweep(True, system, lam, u)
        sweeps += 2
        ends = sweeps >= max_sweeps or largest > stall_ratio * last
        last = largest
        if largest <= tolerance or ends:
            found, row = residual(system, lam, u)
            if found <= tolerance or ends:
                break
        total = 0.0
        for r in range(rows):
            change = lam[r] - previous[r]
            total += change * change * diagonal[r]
        beta = total / squares
        if beta > 1.0:
            beta = 0.0
        squares = total
        for r in range(rows):
            step = lam[r] - previous[r]
            if beta > 0.0 and direction[r] != 0.0:
                lam[r] += beta * direction[r]
                apply_impulse(body, WJ, r, beta * direction[r], u)
            direction[r] = beta * direction[r] + step
    return sweeps, found, row


_f, _u = np.zeros(0), np.zeros((0, 6))
warm(gauss_seidel, no_system(), _f, _u, sweep_workspace(0), 0.0, 0, 0.0)
warm(residual, no_system(), _f, _u)
