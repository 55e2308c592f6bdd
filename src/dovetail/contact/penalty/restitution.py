"""Damping from a coefficient of restitution e, for f_N = k d^n (1 + a d_dot).

All give a v0, the damping over the stiffness [s/m] times the speed v0 [m/s] of impact. The three
of the literature are approximations; `exact` is what they approximate: with u the speed,
u du/dd = -(k/m) d^n (1 + a u) has the integral G(u) = u/a - ln(1 + a u)/a^2 in common for the path
in and out, for any k, m and n, so G(v0) = G(-e v0).
"""

from collections.abc import Callable
from math import log1p

LEAST = 0.01  # below this, an impact is taken to be as dead as this one


def hunt_crossley(e: float) -> float:
    """3 (1 - e) / 2: Hunt and Crossley, J. Appl. Mech. 42 (1975) 440, eq. 18."""
    return 1.5 * (1 - e)


def lankarani_nikravesh(e: float) -> float:
    """3 (1 - e^2) / 4: Lankarani and Nikravesh, J. Mech. Des. 112 (1990) 369, eq. 20."""
    return 0.75 * (1 - e * e)


def flores(e: float) -> float:
    """8 (1 - e) / 5 e: Flores et al., Multibody Syst. Dyn. 25 (2011) 357, eq. 31."""
    return 1.6 * (1 - e) / e


def exact(e: float) -> float:
    """The a v0 with which the bodies part at e v0, by bisection.

    With x = a v0: x - ln(1 + x) = -x e - ln(1 - x e), where x e < 1. Put y = x e.
    """
    if e >= 1:
        return 0.0
    low, high = 0.0, 1.0  # of y
    for _ in range(200):
        y = 0.5 * (low + high)
        if y in (low, high):
            break
        if y / e - log1p(y / e) > -y - log1p(-y):
            low = y
        else:
            high = y
    return low / e


MODELS: dict[str, Callable[[float], float]] = {
    "exact": exact,
    "hunt_crossley": hunt_crossley,
    "lankarani_nikravesh": lankarani_nikravesh,
    "flores": flores,
}
