"""From which friction on a sliding contact is unstable, for any system with contact Jacobians."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.linalg.roots import minimum_between, root_between
from dovetail.runtime.options import named_options
from dovetail.stability.boundary_layer import boundary_layer

Array = NDArray[np.float64]
GRID = np.concatenate([[0.0], np.geomspace(0.05, 1e3, 36)])


@dataclass(frozen=True)
class PainleveTip:
    """The least friction at which any configuration loses stability, and that configuration."""

    parameter: float
    friction: float


@named_options
def critical_friction(layer_at: Callable[[float], Array], c: float = 1.0, k: float = 1.0) -> float:
    """The least mu > 0 at which the boundary layer of D = layer_at(mu) stops being stable.

    Looked for up to mu = 1000 on a grid of ratio 1.33, then by bisection and interpolation to
    rounding; infinity where it is stable all along, 0 where it is unstable without friction.
    """

    def growth(mu: float) -> float:
        return float(np.max(boundary_layer(layer_at(mu), c, k).rates.real))

    before = GRID[0]
    if growth(before) >= 0:
        return 0.0
    for mu in GRID[1:]:
        if growth(mu) >= 0:
            return root_between(growth, before, mu, 1e-15)
        before = mu
    return float(np.inf)


@named_options
def painleve_tip(layer_at: Callable[[float, float], Array], low: float, high: float) -> PainleveTip:
    """Where along a parameter in [low, high] the critical friction is least.

    D = layer_at(parameter, mu). First on 16 values of the parameter, then refined around the
    least one to about 1e-8, what the square root of rounding leaves of a minimum.
    """
    if not low < high:
        raise InputError(f"the parameter's range must have low < high, got {low!r} and {high!r}")

    def critical(parameter: float) -> float:
        return critical_friction(lambda mu: layer_at(parameter, mu))

    grid = np.linspace(low, high, 18)[1:-1]
    values = np.array([critical(parameter) for parameter in grid])
    if not np.any(np.isfinite(values)):
        return PainleveTip(float("nan"), float("inf"))
    least = int(np.argmin(values))
    around = np.concatenate([[low], grid, [high]])[least : least + 3]
    return PainleveTip(*minimum_between(critical, float(around[0]), float(around[2]), 1e-9))
