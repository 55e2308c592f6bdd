"""Names of a module that it does not have: what the thing is called here."""

from collections.abc import Iterable

from dovetail.runtime.registry import did_you_mean

ELSEWHERE = {
    "hinge": "Revolute", "hingejoint": "Revolute", "revolutejoint": "Revolute", "pin": "Revolute",
    "slider": "Prismatic", "slide": "Prismatic", "sliderjoint": "Prismatic",
    "ball": "Spherical", "balljoint": "Spherical", "weld": "Fixed", "rigid": "Fixed",
    "cube": "Box", "cuboid": "Box", "plane": "HalfSpace", "ground": "HalfSpace",
    "floor": "HalfSpace", "world": "Scene", "rigidbody": "Scene", "convexhull": "Mesh",
    "penalty": "SDF", "run": "simulate", "step": "Simulation", "motor": "Actuation",
}  # fmt: skip
"""In small letters, by the names of other packages and of textbooks."""


def no_such_name(module: str, name: str, known: Iterable[str]) -> AttributeError:
    """The error for a name that the module does not have, with the one that was meant."""
    names = [one for one in known if not one.startswith("_")]
    same = ELSEWHERE.get(name.lower())
    if same not in names:
        same = next((one for one in names if one.lower() == name.lower()), None)
    hint = f"; did you mean {same!r}?" if same else did_you_mean(name, names)
    return AttributeError(f"module {module!r} has no attribute {name!r}{hint}", name=name)
