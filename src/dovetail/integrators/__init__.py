"""One step of motion: one scheme per file or folder."""

from typing import Any

from dovetail.contact.law import ContactMethod
from dovetail.errors import InputError
from dovetail.integrators.barrier_verlet import BarrierVerlet
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
from dovetail.model.frozen import Model
from dovetail.runtime.registry import Registry, did_you_mean

__all__ = [
    "DH", "DL", "SCHEMES", "BarrierVerlet", "EulerParameterDAE", "ImplicitEuler", "Integrator",
    "JointCoordinates", "LieGeneralizedAlpha", "LieVerlet", "RATTLie", "StewartTrinkle",
    "default_for", "named",
]  # fmt: skip

SCHEMES = Registry(
    "integrator",
    "dovetail.integrators",
    {
        scheme.name: scheme
        for scheme in (
            LieVerlet, JointCoordinates, RATTLie, DH, DL, LieGeneralizedAlpha, EulerParameterDAE,
            StewartTrinkle, ImplicitEuler, BarrierVerlet,
        )
    },
    integrator_mistakes,
)  # fmt: skip

MOST_BODIES_DENSE = 60  # joint coordinates cost n^3 a step, RATTLie n


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


def default_for(contact: ContactMethod | None, model: Model) -> Integrator:
    """The first of the package's own schemes that takes the contact method and the joints.

    Mechanisms run in joint coordinates, large ones (more than 60 bodies) under RATTLie.
    """
    schemes = [SCHEMES.get(name) for name in SCHEMES.own_names()]
    if model.n_bodies > MOST_BODIES_DENSE:
        schemes.remove(JointCoordinates)
    for scheme in schemes:
        takes_contact = contact is None or contact.kind in scheme.takes
        if takes_contact and (scheme.takes_joints or not model.joints):
            integrator: Integrator = scheme()
            return integrator
    parts = [f"contact method {contact.name!r} ({contact.kind} law)"] if contact else []
    parts += ["joints"] if model.joints else []
    raise InputError(
        f"no integrator of this version takes {' and '.join(parts)} (known: {', '.join(SCHEMES)})"
    )
