"""How stiff a contact is: from materials, or from what the scene will ask of it."""

from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.model.values import number, positive, quote, shape_of
from dovetail.runtime.options import named_options

IMPACT_DEPTH = 0.005  # of the smaller body: how deep the hardest expected impact goes
RESTING_DEPTH = 0.001  # how deep the weight presses


@named_options
def hertz_stiffness(youngs_modulus: Any, poisson_ratio: Any, radius: Any) -> float:
    """k [N/m^1.5] of two elastic bodies that touch at a point: f = k d^1.5.

    k = 4/3 E* sqrt(R), 1/E* = sum (1 - nu^2)/E, 1/R = sum 1/R_i (Hertz 1882; Johnson, Contact
    Mechanics, 1985, eq. 4.23).

    Args:
        youngs_modulus: E [Pa] of both bodies, or a pair.
        poisson_ratio: nu of both, or a pair, from -1 to 0.5.
        radius: [m] of curvature at the point of contact, or a pair; np.inf for a plane.
    """
    moduli = [positive(E, "`youngs_modulus`", "Pa") for E in _pair(youngs_modulus)]
    ratios = [number(nu, "`poisson_ratio`") for nu in _pair(poisson_ratio)]
    radii = radius if shape_of(radius) == (2,) else (radius, np.inf)
    for nu in ratios:
        if not -1 < nu <= 0.5:
            raise InputError(f"`poisson_ratio` must be > -1 and <= 0.5, got {nu:g}")
    for r in radii:
        if not float(r) > 0:
            raise InputError(f"`radius` must be > 0 m (np.inf for a plane), got {quote(r)}")
    curvature = sum(1 / float(r) for r in radii)
    if curvature == 0:
        raise InputError("`radius` must be finite for one of the two bodies; two planes have none")
    compliance = sum((1 - nu**2) / E for nu, E in zip(ratios, moduli))
    return float(4 / 3 / compliance / np.sqrt(curvature))


def _pair(value: Any) -> tuple[Any, Any]:
    return tuple(value) if shape_of(value) == (2,) else (value, value)


def stiffness_for(
    mass: float, size: float, speed: float, acceleration: float, exponent: float
) -> float:
    """k [N/m^n] that keeps one contact point shallow.

    An impact of the reduced `mass` [kg] at `speed` [m/s] ends at IMPACT_DEPTH of `size` [m]:
    k d^(n+1)/(n+1) = m v^2/2; a weight m a presses no deeper than RESTING_DEPTH: k d^n = m a.
    """
    d = IMPACT_DEPTH * size
    for_impact = 0.5 * (exponent + 1) * mass * speed**2 / d ** (exponent + 1)
    for_weight = mass * acceleration / (RESTING_DEPTH * size) ** exponent
    return float(max(for_impact, for_weight))
