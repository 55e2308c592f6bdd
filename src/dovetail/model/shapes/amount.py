"""How many triangles shapes stand for, known before any is made."""

from collections.abc import Iterable
from typing import Any

from dovetail.errors import InputError
from dovetail.model.mesh_files.raw import MAX_TRIANGLES
from dovetail.model.shapes.compound import Compound, Placed
from dovetail.model.shapes.mesh import Mesh

MAX_IN_SCENE = 4 * MAX_TRIANGLES


def triangles_of(shape: Any) -> int:
    """At least as many as its surface will have; 0 where it is not usable anyway.

    A torus of n segments has n^2, a sphere half as many. Files are not opened for this: each has
    a limit of its own.
    """
    if isinstance(shape, Placed):
        return triangles_of(shape.shape)
    if isinstance(shape, Compound):
        parts = shape.parts if isinstance(shape.parts, list | tuple) else ()
        return sum(map(triangles_of, parts))
    if isinstance(shape, Mesh):
        return len(shape.faces) if hasattr(shape.faces, "__len__") else 0
    segments = getattr(shape, "segments", 4)
    return segments * segments if isinstance(segments, int) else 0


def refuse_too_many_in_all(shapes: Iterable[Any]) -> None:
    """Raise InputError where shapes of few words would become more triangles than fit."""
    count = sum(map(triangles_of, shapes))
    if count > MAX_IN_SCENE:
        raise InputError(
            f"the shapes of a scene must have at most {MAX_IN_SCENE:,} triangles in all, these "
            f"have up to {count:,}; use fewer `segments` or simpler meshes"
        )
