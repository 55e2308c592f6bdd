"""Parts whose deviation is measured, not bounded: a proof must say that it rests on them."""

from dovetail.model.frozen import Model
from dovetail.model.shapes import Compound
from dovetail.model.shapes.shape import Shape
from dovetail.prove.surfaces.tessellation import declared_deviation
from dovetail.prove.verdict import Measured


def measured_parts(model: Model) -> tuple[Measured, ...]:
    """Those of a model, by name."""
    rows = [(body.name, _faces(body.shape), body.shape) for body in model.bodies]
    return tuple(
        Measured(name, faces, declared_deviation(shape)) for name, faces, shape in rows if faces
    )


def _faces(shape: Shape | None) -> int:
    if isinstance(shape, Compound):
        return sum(_faces(part.shape) for part in shape.placed)
    return int(getattr(shape, "measured", 0))
