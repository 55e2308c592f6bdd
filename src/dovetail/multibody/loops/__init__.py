"""Loop closures: cut joints as equations of joint coordinates."""

from dovetail.multibody.loops.closure import Closure, CouplingRow, loop_arrays
from dovetail.multibody.loops.equations import (
    Accelerations,
    MassFactor,
    closure_biases,
    closure_jacobian,
    closure_residuals,
    constrained_dynamics,
    coordinates_above,
    independent,
)

__all__ = [
    "Accelerations",
    "Closure",
    "CouplingRow",
    "MassFactor",
    "closure_biases",
    "closure_jacobian",
    "closure_residuals",
    "constrained_dynamics",
    "coordinates_above",
    "independent",
    "loop_arrays",
]
