"""Rigid multibody dynamics with frictional contact that can be trusted.

>>> import dovetail as dt
>>> scene = dt.Scene(gravity=(0, 0, -9.81))
>>> crate = scene.add_body("crate", dt.Box((1, 1, 1)), density=500)
>>> result = dt.simulate(scene, duration=1.0, step=0.01)

Names are imported when first used, so that `import dovetail` is instant.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dovetail import contact, examples, extend, integrators, stability, studies
    from dovetail.collision import sdf
    from dovetail.errors import DovetailError, InputError, RunError
    from dovetail.linalg import lcp, lie
    from dovetail.model import (
        Actuation,
        Body,
        Box,
        Capsule,
        Compound,
        Cone,
        Coupling,
        Cylinder,
        Cylindrical,
        Fixed,
        Free,
        HalfSpace,
        Material,
        Mesh,
        Model,
        Placed,
        Planar,
        PoseTable,
        Prismatic,
        Revolute,
        Scene,
        Screw,
        Sphere,
        Spherical,
        Torus,
        Universal,
    )
    from dovetail.multibody import topology
    from dovetail.prove import prove
    from dovetail.results import Result, load
    from dovetail.simulate import (
        Event,
        LargeAndSmallSteps,
        Rollouts,
        Simulation,
        rollout,
        simulate,
    )
    from dovetail.simulate.live import gym, sensors
    from dovetail.studies import study

__version__ = "0.1.0"

_HOMES = {
    "dovetail.errors": ("DovetailError", "InputError", "RunError"),
    "dovetail.model": (
        "Actuation", "Body", "Box", "Capsule", "Compound", "Cone", "Coupling", "Cylinder",
        "Cylindrical", "Fixed", "Free", "HalfSpace", "Material", "Mesh", "Model", "Placed",
        "Planar", "PoseTable", "Prismatic", "Revolute", "Scene", "Screw", "Sphere", "Spherical",
        "Torus", "Universal",
    ),
    "dovetail.prove": ("prove",),
    "dovetail.results": ("Result", "load"),
    "dovetail.simulate": (
        "Event", "LargeAndSmallSteps", "Rollouts", "Simulation", "rollout", "simulate",
    ),
    "dovetail.studies": ("study",),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_LAYERS = {
    "contact": "dovetail.contact",
    "examples": "dovetail.examples",
    "extend": "dovetail.extend",
    "gym": "dovetail.simulate.live.gym",
    "integrators": "dovetail.integrators",
    "lcp": "dovetail.linalg.lcp",
    "lie": "dovetail.linalg.lie",
    "sdf": "dovetail.collision.sdf",
    "sensors": "dovetail.simulate.live.sensors",
    "stability": "dovetail.stability",
    "studies": "dovetail.studies",
    "topology": "dovetail.multibody.topology",
}

__all__ = [
    "Actuation", "Body", "Box", "Capsule", "Compound", "Cone", "Coupling", "Cylinder",
    "Cylindrical", "DovetailError", "Event", "Fixed", "Free", "HalfSpace", "InputError",
    "LargeAndSmallSteps", "Material", "Mesh", "Model", "Placed", "Planar", "PoseTable", "Prismatic",
    "Result", "Revolute", "Rollouts", "RunError", "Scene", "Screw", "Simulation", "Sphere",
    "Spherical", "Torus", "Universal", "contact", "examples", "extend", "gym", "integrators", "lcp",
    "lie", "load", "prove", "rollout", "sdf", "sensors", "simulate", "stability", "studies",
    "study", "topology",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        value = getattr(import_module(_HOME_OF[name]), name)
    elif name in _LAYERS:
        value = import_module(_LAYERS[name])
    else:
        from dovetail.runtime.other_names import no_such_name

        raise no_such_name("dovetail", name, __all__)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
