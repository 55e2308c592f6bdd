r"""Impulses of joints and frictional contacts by projected Gauss-Seidel with conjugate directions.

Find impulses \(\lambda\) with u = u_free + M^-1 J^T \(\lambda\) such that
    joints      J u + c + s lambda = 0          (s > 0: a damper; lambda >= 0: a limit;
                                                 |lambda| <= bound: dry friction)
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
from dovetail.contact.impulse.records import ACTIVE, BOUNDED, RELEASED, UNILATERAL, no_system
from dovetail.contact.impulse.rows import apply_impulse, rate
from dovetail.contact.impulse.workspace import sweep_workspace
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm


@jit
def _relax_joint(system, k, lam, u):
    """The new impulse of joint row k; the change of its rate [m/s]."""
    rows, mode, softness = system.rows, system.mode[k], system.softness[k]
    diagonal = rows.diagonal[k]
    if mode == RELEASED or not diagonal > 0.0:
        return 0.0
    left = rate(rows.body, rows.J, k, u) + system.c[k] + softness * lam[k]
    value = lam[k] - left / (diagonal + softness)
    if mode == UNILATERAL:
        value = max(0.0, value)
    elif mode == BOUNDED:
        value = min(system.bound[k], max(-system.bound[k], value))
    change = value - lam[k]
    if change != 0.0:
        lam[k] = value
        apply_impulse(rows.body, rows.WJ, k, change, u)
    return abs(change) * (diagonal + softness) * system.unit[k]


@jit
def _sweep_contacts(backward, system, lam, u):
    """Once over all contacts, first the normal, then friction; the largest change [m/s]."""
    rows, first, active, facets = system.rows, system.n_joint, system.active, system.facets
    body, J, WJ, diagonal, coupling = rows.body, rows.J, rows.WJ, rows.diagonal, rows.coupling
    c, mu, rho = system.c, system.mu, system.rho
    largest, count = 0.0, mu.shape[0]
    for step in range(count):
        k = count - 1 - step if backward else step
        if not active[k]:
            continue
        r = first + 3 * k
        a, b = body[r, 0], body[r, 1]
        n, s, t = c[r], c[r + 1], c[r + 2]
        if a >= 0:
            for m in range(6):
                v = u[a, m]
                n += J[r, m] * v
                s += J[r + 1, m] * v
                t += J[r + 2, m] * v
        if b >= 0:
            for m in range(6):
                v = u[b, m]
                n += J[r, 6 + m] * v
                s += J[r + 1, 6 + m] * v
                t += J[r + 2, 6 + m] * v
        dn, ds, dt = 0.0, 0.0, 0.0
        if active[k] == ACTIVE and diagonal[r] > 0.0:
            dn = max(0.0, lam[r] - n / diagonal[r]) - lam[r]
            lam[r] += dn
            largest = max(largest, abs(dn) * diagonal[r])
        bound = mu[k] * lam[r]
        if rho[k] > 0.0 and (bound > 0.0 or lam[r + 1] != 0.0 or lam[r + 2] != 0.0):
            s += coupling[r + 1] * dn
            t += coupling[r + 2] * dn
            x, y = lam[r + 1] - rho[k] * s, lam[r + 2] - rho[k] * t
            x, y = project_friction(x, y, bound, facets)
            ds, dt = x - lam[r + 1], y - lam[r + 2]
            lam[r + 1], lam[r + 2] = x, y
            largest = max(largest, max(abs(ds), abs(dt)) / rho[k])
        if dn != 0.0 or ds != 0.0 or dt != 0.0:
            if a >= 0:
                for m in range(6):
                    u[a, m] += WJ[r, m] * dn + WJ[r + 1, m] * ds + WJ[r + 2, m] * dt
            if b >= 0:
                for m in range(6):
                    u[b, m] += WJ[r, 6 + m] * dn + WJ[r + 1, 6 + m] * ds + WJ[r + 2, 6 + m] * dt
    return largest


@jit
def _sweep(backward, system, lam, u):
    """Once over all rows, from the last to the first if `backward`; the largest change [m/s]."""
    n_joint, largest = system.n_joint, 0.0
    if backward:
        largest = _sweep_contacts(True, system, lam, u)
    for step in range(n_joint):
        k = n_joint - 1 - step if backward else step
        largest = max(largest, _relax_joint(system, k, lam, u))
    if not backward:
        largest = max(largest, _sweep_contacts(False, system, lam, u))
    return largest


@jit
def _joint_residual(system, k, lam, u):
    """Violation of the law of joint row k [m/s]."""
    diagonal, mode, softness = system.rows.diagonal[k], system.mode[k], system.softness[k]
    if mode == RELEASED or not diagonal > 0.0:
        return 0.0
    left = rate(system.rows.body, system.rows.J, k, u) + system.c[k] + softness * lam[k]
    if mode == UNILATERAL:
        left = lam[k] * diagonal - max(0.0, lam[k] * diagonal - left)
    elif mode == BOUNDED:
        most = system.bound[k] * diagonal
        left = lam[k] * diagonal - min(most, max(-most, lam[k] * diagonal - left))
    return abs(left) * system.unit[k]


@jit
def _contact_residual(system, k, lam, u):
    """Violations of the laws of contact k, of its normal and of its friction [m/s]."""
    body, J, diagonal = system.rows.body, system.rows.J, system.rows.diagonal
    c, mu, rho, active = system.c, system.mu, system.rho, system.active
    r = system.n_joint + 3 * k
    normal, friction = 0.0, 0.0
    if active[k] == ACTIVE and diagonal[r] > 0.0:
        pressing = lam[r] * diagonal[r]
        normal = abs(pressing - max(0.0, pressing - rate(body, J, r, u) - c[r]))
    if active[k] and mu[k] > 0.0 and rho[k] > 0.0:
        a, b = lam[r + 1], lam[r + 2]
        at, bt = project_friction(
            a - rho[k] * (rate(body, J, r + 1, u) + c[r + 1]),
            b - rho[k] * (rate(body, J, r + 2, u) + c[r + 2]), mu[k] * lam[r], system.facets,
        )  # fmt: skip
        friction = max(abs(a - at), abs(b - bt)) / rho[k]
    return normal, friction


@jit
def residual(system, lam, u):
    """(largest violation of any row's law [m/s], its row): the change of a projected step."""
    n_joint, largest, row = system.n_joint, 0.0, -1
    for k in range(n_joint):
        left = _joint_residual(system, k, lam, u)
        if not left <= largest:
            largest, row = left, k
    for k in range(system.mu.shape[0]):
        normal, friction = _contact_residual(system, k, lam, u)
        if not normal <= largest:
            largest, row = normal, n_joint + 3 * k
        if not friction <= largest:
            largest, row = friction, n_joint + 3 * k + 1
    return largest, row


@jit
def contact_residuals(system, lam, u, out):
    """out (contacts,) [m/s]: the violation of each contact's laws."""
    for k in range(out.shape[0]):
        normal, friction = _contact_residual(system, k, lam, u)
        out[k] = max(normal, friction)
        if normal != normal or friction != friction:
            out[k] = math.inf


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
warm(contact_residuals, no_system(), _f, _u, _f)
