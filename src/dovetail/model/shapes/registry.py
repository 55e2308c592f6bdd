"""Shapes by the name that scene files use."""

from typing import Any

from dovetail.model.shapes.shape import Shape
from dovetail.runtime.registry import Registry


def _mistakes(shape: Any) -> list[str]:
    """What keeps a class from being a shape."""
    if not isinstance(shape, type) or not issubclass(shape, Shape):
        return [f"must be a subclass of dt.extend.Shape, got {shape!r}"]
    lacks = sorted(getattr(shape, "__abstractmethods__", ()))
    return [f"must have {', '.join(f'`{name}`' for name in lacks)}"] if lacks else []


SHAPES = Registry(
    "shape",
    "dovetail.shapes",
    {
        "mesh": "dovetail.model.shapes.mesh:Mesh",
        "box": "dovetail.model.shapes.box:Box",
        "sphere": "dovetail.model.shapes.sphere:Sphere",
        "cylinder": "dovetail.model.shapes.cylinder:Cylinder",
        "capsule": "dovetail.model.shapes.capsule:Capsule",
        "cone": "dovetail.model.shapes.cone:Cone",
        "torus": "dovetail.model.shapes.torus:Torus",
        "half_space": "dovetail.model.shapes.half_space:HalfSpace",
        "compound": "dovetail.model.shapes.compound:Compound",
    },
    _mistakes,
)
