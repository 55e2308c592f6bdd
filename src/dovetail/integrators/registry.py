"""The schemes by name, those of the package and those that other packages add."""

from typing import Any

from dovetail.errors import InputError
from dovetail.integrators.interface import Integrator
from dovetail.integrators.pairing import integrator_mistakes
from dovetail.runtime.registry import Registry, did_you_mean

_FOLDER = "dovetail.integrators"
HOMES = {  # where each scheme of the package is, imported when it is first used
    "LieVerlet": f"{_FOLDER}.lie_verlet.scheme",
    "JointCoordinates": f"{_FOLDER}.joint_coordinates.scheme",
    "RATTLie": f"{_FOLDER}.rattlie",
    "DH": f"{_FOLDER}.dh",
    "DL": f"{_FOLDER}.dl",
    "LieGeneralizedAlpha": f"{_FOLDER}.lie_generalized_alpha.scheme",
    "EulerParameterDAE": f"{_FOLDER}.euler_parameter_dae.scheme",
    "CompliantEuler": f"{_FOLDER}.compliant_euler.scheme",
    "StewartTrinkle": f"{_FOLDER}.stewart_trinkle.scheme",
    "ImplicitEuler": f"{_FOLDER}.implicit_euler",
    "BarrierVerlet": f"{_FOLDER}.barrier_verlet.scheme",
}
SCHEMES = Registry(
    "integrator",
    "dovetail.integrators",
    {name: f"{home}:{name}" for name, home in HOMES.items()},
    integrator_mistakes,
)


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
