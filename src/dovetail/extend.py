"""Adding to the package from outside: one registry per kind of thing, and what to build on.

>>> import dovetail as dt
>>> @dt.extend.register("shapes", "rounded-box")
... class RoundedBox(dt.extend.Shape): ...

An installed package does the same with an entry point of the group `dovetail.<kind>`, so that
scene files and the command find it by name:

    [project.entry-points."dovetail.shapes"]
    rounded-box = "my_package:RoundedBox"

Scene files are data: they name what is registered or installed and never a module to import.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, overload

from dovetail.errors import InputError
from dovetail.runtime.registry import Registry, did_you_mean

if TYPE_CHECKING:
    from dovetail.contact.impulse.finder import ContactFinder
    from dovetail.contact.law import (
        ContactGeometry,
        ContactMethod,
        ContactProblem,
        ContactRecord,
        ContactReport,
        ForceLaw,
        ImpulseLaw,
        Potential,
    )
    from dovetail.contact.penalty.normal_force import NormalForce
    from dovetail.integrators.interface import Integrator, Observation, Stepper, StepReport
    from dovetail.integrators.pairing import prepared_law
    from dovetail.io.loaded_scene import LoadedScene
    from dovetail.io.run_settings import Choice, RunSettings
    from dovetail.model.friction_curve import FrictionCurve
    from dovetail.model.frozen import DYNAMIC, Model
    from dovetail.model.joints import Joint
    from dovetail.model.shapes.scene_form import Parameter, SceneForm
    from dovetail.model.shapes.shape import MassProperties, Shape
    from dovetail.model.surface import Surface
    from dovetail.multibody.loads.forces import LoadForces
    from dovetail.multibody.state import BodyState, initial_state

__all__ = [
    "DYNAMIC", "KINDS", "BodyState", "Choice", "ContactFinder", "ContactGeometry", "ContactMethod",
    "ContactProblem", "ContactRecord", "ContactReport", "ForceLaw", "FrictionCurve", "ImpulseLaw",
    "Integrator", "Joint", "LoadForces", "LoadedScene", "MassProperties", "Model", "NormalForce",
    "Observation", "Parameter", "Potential", "RunSettings", "SceneForm", "Shape", "StepReport",
    "Stepper", "Surface", "initial_state", "names", "prepared_law", "register", "registry",
]  # fmt: skip

# kind -> the registry, "module:attribute", that holds it
KINDS = {
    "joints": "dovetail.model.joints.registry:JOINTS",
    "shapes": "dovetail.model.shapes.registry:SHAPES",
    "contact_methods": "dovetail.contact.registries:METHODS",
    "normal_forces": "dovetail.contact.penalty.normal_force:NORMAL_FORCES",
    "friction_curves": "dovetail.model.friction_curve:FRICTION_CURVES",
    "integrators": "dovetail.integrators:SCHEMES",
    "scene_readers": "dovetail.io.readers:READERS",
    "exporters": "dovetail.view.exporters:EXPORTERS",
}
_HOMES = {
    "dovetail.contact.impulse.finder": ("ContactFinder",),
    "dovetail.contact.law": (
        "ContactGeometry", "ContactMethod", "ContactProblem", "ContactRecord", "ContactReport",
        "ForceLaw", "ImpulseLaw", "Potential",
    ),
    "dovetail.contact.penalty.normal_force": ("NormalForce",),
    "dovetail.integrators.interface": ("Integrator", "Observation", "StepReport", "Stepper"),
    "dovetail.integrators.pairing": ("prepared_law",),
    "dovetail.io.loaded_scene": ("LoadedScene",),
    "dovetail.io.run_settings": ("Choice", "RunSettings"),
    "dovetail.model.friction_curve": ("FrictionCurve",),
    "dovetail.model.frozen": ("DYNAMIC", "Model"),
    "dovetail.model.joints": ("Joint",),
    "dovetail.model.shapes.scene_form": ("Parameter", "SceneForm"),
    "dovetail.model.shapes.shape": ("MassProperties", "Shape"),
    "dovetail.model.surface": ("Surface",),
    "dovetail.multibody.loads.forces": ("LoadForces",),
    "dovetail.multibody.state": ("BodyState", "initial_state"),
}  # fmt: skip
_HOME_OF = {name: home for home, found in _HOMES.items() for name in found}

T = TypeVar("T")


def registry(kind: str) -> Registry:
    """The registry of one kind, such as "shapes"."""
    if kind not in KINDS:
        raise InputError(
            f"there is no kind of extension {kind!r} (known: {', '.join(KINDS)})"
            f"{did_you_mean(kind, KINDS)}"
        )
    module, _, attribute = KINDS[kind].partition(":")
    found: Registry = getattr(import_module(module), attribute)
    return found


def names(kind: str) -> list[str]:
    """All that is known of one kind: the package's own, registered and installed ones."""
    return registry(kind).names()


@overload
def register(kind: str, name: str) -> Callable[[T], T]: ...


@overload
def register(kind: str, name: str, entry: T) -> T: ...


def register(kind: str, name: str, entry: Any = None) -> Any:
    """Add `entry` under `name` for this process; without `entry`, a decorator that does so.

    Raises:
        InputError: an unknown kind, a name of the package's own, or an entry that lacks something.
    """
    into = registry(kind)
    if not isinstance(name, str) or not name:
        raise InputError(f"`name` of a new {into.kind} must be text, got {name!r}")

    def add(entry: Any) -> Any:
        into.register(name, entry)
        return entry

    return add if entry is None else add(entry)


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOME_OF[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
