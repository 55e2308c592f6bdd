"""The log barrier on squared distances and the mollifier for nearly parallel edges.

Li et al., Incremental Potential Contact (2020), eqs. 6 and 24 (mollifier), with a minimum
separation as in Li et al., Codimensional IPC (2021), eq. 2; made free of units.
"""

import math
from typing import NamedTuple

from dovetail.runtime.jit import jit_within

MOLLIFIER_SCALE = 1e-3  # of |e_a|^2 |e_b|^2


class Barrier(NamedTuple):
    """Where contact begins to act, what is kept at all times, and how stiff it is."""

    dhat: float  # [m] gap at which the barrier begins
    dmin: float  # [m] minimum separation
    stiffness: float = 0.0  # h^2 [s^2]; of one pair h^2 K [kg m^2], see `barrier.stiffness`
    offset: float = 0.0  # [m] of one candidate: the sum of the radii of its features


@jit_within
def log_barrier(squared, dmin, dhat):
    """B(D^2) with its first and second derivative in D^2: (1, 1/m^2, 1/m^4).

    B = -(u - 1)^2 ln u, u = (D^2 - dmin^2) / ((dmin + dhat)^2 - dmin^2), for dmin < D < dmin + dhat
    and 0 beyond; infinite where D <= dmin. Times (width)^2 it is the IPC Toolkit's.
    """
    width = dhat * (2.0 * dmin + dhat)
    x = squared - dmin * dmin
    if x >= width:
        return 0.0, 0.0, 0.0
    if not x > 0.0:
        return math.inf, -math.inf, math.inf
    u = x / width
    away, log = u - 1.0, math.log(u)
    value = -away * away * log
    first = -away * (2.0 * log + away / u)
    second = -2.0 * log - 4.0 * away / u + (away / u) * (away / u)
    return value, first / width, second / (width * width)


@jit_within
def offset_barrier(squared, barrier):
    """B((D - offset)^2) with its first and second derivative in D^2 = `squared`.

    With d = D - offset: dB = B' d/D, d2B = B'' (d/D)^2 + B' offset / (2 D^3), B' and B'' in d^2.
    """
    offset = barrier.offset
    if offset == 0.0:
        return log_barrier(squared, barrier.dmin, barrier.dhat)
    distance = math.sqrt(squared)
    gap = distance - offset
    if not gap > 0.0:
        return math.inf, -math.inf, math.inf
    value, first, second = log_barrier(gap * gap, barrier.dmin, barrier.dhat)
    ratio = gap / distance
    bend = 0.5 * offset / (squared * distance)
    return value, first * ratio, second * ratio * ratio + first * bend


@jit_within
def mollifier(c, limit):
    """m(c) = (2 - c/limit) c/limit below `limit`, else 1, with m' and m'' in c.

    c = |e_a x e_b|^2 [m^4]; m is 0 for parallel edges and meets 1 with derivative 0.
    """
    if c >= limit:
        return 1.0, 0.0, 0.0
    x = c / limit
    return x * (2.0 - x), 2.0 * (1.0 - x) / limit, -2.0 / (limit * limit)
