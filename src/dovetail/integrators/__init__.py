"""One step of motion: one scheme per file or folder.

A scheme is imported when it is first used, with the kernels that it needs and no others.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dovetail.integrators.default import default_for
from dovetail.integrators.interface import Integrator
from dovetail.integrators.registry import HOMES, SCHEMES, named
from dovetail.runtime.other_names import no_such_name

if TYPE_CHECKING:
    from dovetail.integrators.barrier_verlet.scheme import BarrierVerlet
    from dovetail.integrators.compliant_euler.scheme import CompliantEuler
    from dovetail.integrators.dh import DH
    from dovetail.integrators.dl import DL
    from dovetail.integrators.euler_parameter_dae.scheme import EulerParameterDAE
    from dovetail.integrators.implicit_euler import ImplicitEuler
    from dovetail.integrators.joint_coordinates.scheme import JointCoordinates
    from dovetail.integrators.lie_generalized_alpha.scheme import LieGeneralizedAlpha
    from dovetail.integrators.lie_verlet.scheme import LieVerlet
    from dovetail.integrators.rattlie import RATTLie
    from dovetail.integrators.stewart_trinkle.scheme import StewartTrinkle

__all__ = [
    "DH", "DL", "SCHEMES", "BarrierVerlet", "CompliantEuler", "EulerParameterDAE", "ImplicitEuler",
    "Integrator", "JointCoordinates", "LieGeneralizedAlpha", "LieVerlet", "RATTLie",
    "StewartTrinkle", "default_for", "named",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise no_such_name(__name__, name, __all__)
    value = globals()[name] = getattr(import_module(HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
