"""The schemes by name, those of the package and those that other packages add."""

from typing import Any

from dovetail.errors import InputError
from dovetail.integrators.barrier_verlet import BarrierVerlet
from dovetail.integrators.compliant_euler.scheme import CompliantEuler
from dovetail.integrators.dh import DH
from dovetail.integrators.dl import DL
from dovetail.integrators.euler_parameter_dae.scheme import EulerParameterDAE
from dovetail.integrators.implicit_euler import ImplicitEuler
from dovetail.integrators.interface import Integrator
from dovetail.integrators.joint_coordinates.scheme import JointCoordinates
from dovetail.integrators.lie_generalized_alpha.scheme import LieGeneralizedAlpha
from dovetail.integrators.lie_verlet.scheme import LieVerlet
from dovetail.integrators.pairing import integrator_mistakes
from dovetail.integrators.rattlie import RATTLie
from dovetail.integrators.stewart_trinkle.scheme import StewartTrinkle
from dovetail.runtime.registry import Registry, did_you_mean

SCHEMES = Registry(
    "integrator",
    "dovetail.integrators",
    {
        scheme.name: scheme
        for scheme in (
            LieVerlet, JointCoordinates, RATTLie, DH, DL, LieGeneralizedAlpha, EulerParameterDAE,
            CompliantEuler, StewartTrinkle, ImplicitEuler, BarrierVerlet,
        )
    },
    integrator_mistakes,
)  # fmt: skip


def named(name: str, options: dict[str, Any]) -> Integrator:
    """The integrator a scene file or the command line asks for; capitals do not matter."""
    by_lower = {known.lower(): known for known in reversed(SCHEMES.names())}
    known = by_lower.get(str(name).lower())
    if known is None:
        raise InputError(
            f"integrator {name!r} is not known (known: {', '.join(SCHEMES)})"
            f"{did_you_mean(name, SCHEMES)}"
        )
    integrator: Integrator = SCHEMES.make(known, options)
    return integrator
