"""Impulses that follow the velocities, lambda(u) = P(l - w (J u + c)), for all joints and contacts.

P is what a row may do: anything (a joint), only push (a limit), or the cone of friction.
"""

import math

from dovetail.contact.impulse.friction import onto_cone, slip_bound
from dovetail.contact.impulse.gauss_seidel import LET_GO, PUSH
from dovetail.contact.impulse.rows import rate
from dovetail.runtime.jit import jit_in_place

SHORTEST, LONGEST = 0.3, 1.5  # part of the way to the new slip that is gone


@jit_in_place
def set_weights(n_joint, mode, soft, diagonal, rho, on, heavy, weight, keep):
    """W and the share of l in y for all rows: w is `heavy` times the inertia the row feels.

    A soft row has J u + c + s lambda + (lambda - l) / w0 = 0, so w = 1 / (s + 1 / w0).
    """
    for k in range(n_joint):
        weight[k], keep[k] = 0.0, 1.0
        if mode[k] != LET_GO and diagonal[k] > 0.0:
            weight[k] = 1.0 / (soft[k] + diagonal[k] / heavy)
            keep[k] = weight[k] * diagonal[k] / heavy
    for k in range(on.shape[0]):
        r = n_joint + 3 * k
        w = 0.0
        if on[k] and diagonal[r] > 0.0:
            w = heavy * min(rho[k], 1.0 / diagonal[r])
        for m in range(3):
            weight[r + m], keep[r + m] = w, 1.0


@jit_in_place
def set_slip(body, J, n_joint, mu, facets, c, u, bias):
    """Bias = c, and mu times the slip in u added for normals."""
    for k in range(n_joint):
        bias[k] = c[k]
    for k in range(mu.shape[0]):
        r = n_joint + 3 * k
        a, b = rate(body, J, r + 1, u) + c[r + 1], rate(body, J, r + 2, u) + c[r + 2]
        bias[r] = c[r] + mu[k] * slip_bound(a, b, facets)
        bias[r + 1], bias[r + 2] = c[r + 1], c[r + 2]


@jit_in_place
def follow_slip(body, J, n_joint, mu, facets, c, u, lam, share, left, bias):
    """Let the bias of contacts that press go towards that of the slip in u.

    By the part `share` of the way, or Aitken's where that is not the first time (share > 0):
    share <- -share left . (new - left) / |new - left|^2, `left` (rows,) being the way that was
    left then. Returns (the largest way left [m/s], the share).
    """
    most, along, square = 0.0, 0.0, 0.0
    for k in range(mu.shape[0]):
        r = n_joint + 3 * k
        a, b = rate(body, J, r + 1, u) + c[r + 1], rate(body, J, r + 2, u) + c[r + 2]
        new = c[r] + mu[k] * slip_bound(a, b, facets) - bias[r]
        if not lam[r] > 0.0:
            bias[r] += new
            new = 0.0
        elif share > 0.0:
            along += left[r] * (new - left[r])
            square += (new - left[r]) * (new - left[r])
        left[r] = new
        most = max(most, abs(new))
    if not share > 0.0:
        share = 1.0
    else:
        wanted = -share * along / square if along < 0.0 else math.inf  # or it drifts away
        share = min(LONGEST, max(SHORTEST, wanted))
    for k in range(mu.shape[0]):
        r = n_joint + 3 * k
        bias[r] = max(c[r], bias[r] + share * left[r])
    return most, share


@jit_in_place
def impulses_at(n_joint, mode, on, mu, facets, y, weight, lam, slope):
    """Lam = P(y) of all rows, and slope (joints + contacts, 6) = w P' of each, symmetric."""
    for k in range(n_joint):
        lam[k], slope[k, 0] = y[k], weight[k]
        if mode[k] == LET_GO or (mode[k] == PUSH and y[k] <= 0.0):
            lam[k], slope[k, 0] = 0.0, 0.0
    for k in range(on.shape[0]):
        r, at = n_joint + 3 * k, n_joint + k
        if not on[k]:
            for m in range(3):
                lam[r + m] = y[r + m]
            for m in range(6):
                slope[at, m] = 0.0
            continue
        n, a, b, nn, na, nb, aa, ab, bb = onto_cone(y[r], y[r + 1], y[r + 2], mu[k], facets)
        w = weight[r]
        lam[r], lam[r + 1], lam[r + 2] = n, a, b
        slope[at, 0], slope[at, 1], slope[at, 2] = w * nn, w * na, w * nb
        slope[at, 3], slope[at, 4], slope[at, 5] = w * aa, w * ab, w * bb


@jit_in_place
def power_along(n_joint, mode, on, mu, facets, room, share):
    """What the impulses at u + share step do along the step: sum of J step . P(y - share w J step).

    y, rate = J step and weight are those of `room`.
    """
    y, rates, w = room.y, room.rate, room.weight
    total = 0.0
    for k in range(n_joint):
        at = y[k] - share * w[k] * rates[k]
        if mode[k] == LET_GO or (mode[k] == PUSH and at <= 0.0):
            continue
        total += rates[k] * at
    for k in range(on.shape[0]):
        r = n_joint + 3 * k
        n = y[r] - share * w[r] * rates[r]
        a = y[r + 1] - share * w[r] * rates[r + 1]
        b = y[r + 2] - share * w[r] * rates[r + 2]
        if on[k]:
            n, a, b, _, _, _, _, _, _ = onto_cone(n, a, b, mu[k], facets)
        total += rates[r] * n + rates[r + 1] * a + rates[r + 2] * b
    return total
