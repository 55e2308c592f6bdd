"""Shapes and rotations of a document as the model's own (everything in SI already)."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail.io.scene_file.schema import shapes as written
from dovetail.io.scene_file.schema.values import AxisAngle, Entry, Euler
from dovetail.io.scene_file.units import LENGTH, Units
from dovetail.model.shapes.box import Box
from dovetail.model.shapes.capsule import Capsule
from dovetail.model.shapes.compound import Compound, Placed
from dovetail.model.shapes.cone import Cone
from dovetail.model.shapes.cylinder import Cylinder
from dovetail.model.shapes.half_space import HalfSpace
from dovetail.model.shapes.mesh import Mesh
from dovetail.model.shapes.shape import Shape
from dovetail.model.shapes.sphere import Sphere
from dovetail.model.shapes.torus import Torus
from dovetail.model.values import unit_vector3

# (name in the document, scale [m per unit], field path) -> the mesh it stands for
FetchMesh = Callable[[str, Any, str], Shape]


def shape_of(entry: Entry, units: Units, fetch: FetchMesh, path: str = "shape") -> Shape:
    """The shape an entry (converted to SI) describes; `path` names its field in messages."""
    match entry:
        case written.MeshShape(mesh=str(name), scale=scale):
            return fetch(name, units.to_si(scale, LENGTH), f"{path}.mesh")
        case written.MeshShape(mesh=written.InlineMesh() as inline, scale=scale):
            return Mesh(inline.vertices, inline.faces, inline.edges, scale=scale)
        case written.BoxShape():
            return Box(entry.box)
        case written.SphereShape():
            return Sphere(entry.sphere, **_segments(entry))
        case written.CylinderShape(cylinder=size):
            return Cylinder(size.radius, size.height, **_segments(entry))
        case written.CapsuleShape(capsule=size):
            return Capsule(size.radius, size.height, **_segments(entry))
        case written.ConeShape(cone=size):
            return Cone(size.radius, size.height, **_segments(entry))
        case written.TorusShape(torus=ring):
            return Torus(ring.major, ring.minor, **_segments(entry))
        case written.HalfSpaceShape(half_space=normal, extent=None):
            return HalfSpace(normal)
        case written.HalfSpaceShape(half_space=normal, extent=extent):
            return HalfSpace(normal, extent)
        case written.CompoundShape(compound=parts):
            return Compound(
                [
                    _placed(part, units, fetch, f"{path}.compound[{i}]")
                    for i, part in enumerate(parts)
                ]
            )
    raise TypeError(f"no shape for {type(entry).__name__}")


def _segments(entry: Any) -> dict[str, int]:
    return {} if entry.segments is None else {"segments": entry.segments}


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
