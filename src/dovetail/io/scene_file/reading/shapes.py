"""Shapes and rotations of a document as the model's own (everything in SI already)."""

from collections.abc import Callable
from typing import Any

import numpy as np
from pydantic import ValidationError

from dovetail.errors import InputError, error_text
from dovetail.io.scene_file.reading.in_si import in_si
from dovetail.io.scene_file.reading.mistakes import sentences
from dovetail.io.scene_file.schema import shapes as written
from dovetail.io.scene_file.schema.values import AxisAngle, Entry, Euler
from dovetail.io.scene_file.units import LENGTH, Units
from dovetail.model.shapes.compound import Compound, Placed
from dovetail.model.shapes.mesh import Mesh
from dovetail.model.shapes.registry import SHAPES
from dovetail.model.shapes.scene_form import Parameter, form_of
from dovetail.model.shapes.shape import Shape
from dovetail.model.values import unit_vector3

# (name in the document, scale [m per unit], field path) -> the mesh it stands for
FetchMesh = Callable[[str, Any, str], Shape]


def shape_of(entry: Entry, units: Units, fetch: FetchMesh, path: str = "shape") -> Shape:
    """The shape an entry (converted to SI) describes; `path` names its field in messages."""
    match entry:
        case written.MeshShape(mesh=str(name), scale=scale):
            return _weighed(fetch(name, units.to_si(scale, LENGTH), f"{path}.mesh"), entry, units)
        case written.MeshShape(mesh=written.InlineMesh() as inline, scale=scale):
            mesh = Mesh(inline.vertices, inline.faces, inline.edges, scale=scale)
            return _weighed(mesh, entry, units)
        case written.CompoundShape(compound=parts):
            return Compound(
                [
                    _placed(part, units, fetch, f"{path}.compound[{i}]")
                    for i, part in enumerate(parts)
                ]
            )
        case written.RegisteredShape():
            return _registered(entry, units, path)
    name = next(name for name, known in written.SHAPE_ENTRIES.items() if type(entry) is known)
    return _formed(name, entry)


def _weighed(mesh: Shape, entry: written.MeshShape, units: Units) -> Shape:
    """The mesh with its mass counted as the entry says."""
    shell = entry.shell
    if not isinstance(mesh, Mesh) or (shell is None and entry.fill is None):
        return mesh
    thickness = shell if shell is None or shell is True else units.to_si(shell, LENGTH)
    return mesh.weighed(shell=thickness, fill=entry.fill)


def _formed(name: str, entry: Entry) -> Shape:
    """The shape of an entry that follows from its class's scene form."""
    made, form, under = SHAPES.get(name), form_of(SHAPES.get(name)), getattr(entry, name)
    values = {form.under[0].name: under} if form.bare else _given(under, form.under)
    try:
        shape: Shape = made(**values, **_given(entry, form.beside))
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"`shape`: {name!r} refuses its values: {error_text(error)}") from error
    return shape


def _given(entry: Any, parameters: tuple[Parameter, ...]) -> dict[str, Any]:
    """The values that were written, so that the shape's own defaults apply to the others."""
    values = {parameter.name: getattr(entry, parameter.name) for parameter in parameters}
    return {name: value for name, value in values.items() if value is not None}


def _registered(entry: written.RegisteredShape, units: Units, path: str) -> Shape:
    """A shape that another package adds; its values are still in the file's units."""
    name = entry.shape_name
    made = SHAPES.get(name)
    if form_of(made).in_si and not units.are_si:
        raise InputError(
            f"`{path}` {name!r} can be used in files in SI units only: its class does not say the "
            "units of its values (`scene_form`)"
        )
    kind = written.entry_of(name, made)
    try:
        found = kind.model_validate(dict(entry.model_extra or {}))
    except ValidationError as error:
        raise InputError(
            [one.replace("`", f"`{path}.", 1) for one in sentences(error, kind, units)]
        ) from None
    return _formed(name, in_si(found, units))


def _placed(part: written.Part, units: Units, fetch: FetchMesh, path: str) -> Placed:
    given: dict[str, Any] = {}
    if part.position is not None:
        given["position"] = part.position
    if part.rotation is not None:
        given["rotation"] = rotation_of(part.rotation, f"`{path}.rotation`")
    if part.weight is not None:
        given["weight"] = part.weight
    return Placed(shape_of(part.shape, units, fetch, f"{path}.shape"), **given)


def rotation_of(written_rotation: Any, what: str) -> Any:
    """A matrix or quaternion as it stands; axis and angle or Euler angles [rad] as a matrix."""
    if not isinstance(written_rotation, AxisAngle | Euler):
        return written_rotation
    # Compiled: only scenes that need it wait for it.
    from dovetail.io.written_rotations import from_euler
    from dovetail.linalg.lie import so3

    if isinstance(written_rotation, AxisAngle):
        axis = unit_vector3(written_rotation.axis, f"{what}.axis".replace("`.axis", ".axis`"))
        return so3.exp(axis * written_rotation.angle).tolist()
    # Small letters are fixed axes here, as in SciPy, but moving ones in MuJoCo's sequences.
    angles = np.array(written_rotation.euler)
    return from_euler(angles, written_rotation.order.swapcase()).tolist()
