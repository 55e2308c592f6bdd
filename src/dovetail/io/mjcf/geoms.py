"""MJCF geoms: shapes with mass, in their body's frame."""

from dataclasses import dataclass

import numpy as np

from dovetail.errors import InputError
from dovetail.io.mjcf.document import Compiler
from dovetail.io.mjcf.placement import Pose, composed, pose_of
from dovetail.io.written_rotations import from_z
from dovetail.io.xml.elements import Element
from dovetail.io.xml.shapes import refuse_unusable
from dovetail.io.xml.values import choice, number, numbers, word
from dovetail.model.shapes import Box, Capsule, Cylinder, HalfSpace, Mesh, Sphere
from dovetail.model.shapes.shape import MassProperties, Shape
from dovetail.model.values import Array, quote

TYPES = ("plane", "sphere", "capsule", "cylinder", "box", "ellipsoid", "mesh", "hfield", "sdf")
NOT_READ = ("hfield", "sdf")
ELLIPSOID_SEGMENTS = 32
READ = (
    "name", "class", "type", "pos", "quat", "axisangle", "euler", "xyaxes", "zaxis", "fromto",
    "size", "mesh", "mass", "density", "contype", "conaffinity", "condim", "group", "friction",
    "rgba", "material",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Geom:
    """One geom; `mass` counts its weight [kg] in `measure`, in the body's frame."""

    element: Element
    shape: Shape
    pose: Pose
    mass: MassProperties | None  # None: it has none
    collides: bool
    friction: float


def read_geom(
    element: Element, place: Pose, compiler: Compiler, meshes: dict[str, Mesh]
) -> Geom | None:
    """A geom with its defaults applied; None for kinds that are not read."""
    kind = choice(element, "type", TYPES, "sphere")
    if "mesh" in element.attributes and "type" not in element.attributes:
        kind = "mesh"
    if kind in NOT_READ:
        return None
    if kind != "mesh" and "mesh" in element.attributes:
        raise InputError(
            f"{element.who} of type {kind} must give `size`: fitting to a mesh is not read"
        )
    own, length = _ends(element, compiler)
    shape, solid = _shape(element, kind, length, meshes)
    refuse_unusable(shape, element)
    pose = composed(place, own)
    mask = [int(number(element, key, 1)) for key in ("contype", "conaffinity")]
    friction = numbers(element, "friction", None, [1.0])
    sliding = float(friction[0]) if len(friction) else 1.0
    if sliding < 0:
        raise InputError(f"`friction` of {element.who} must be >= 0, got {sliding:g}")
    return Geom(
        element,
        shape,
        pose,
        _mass(element, compiler, shape.mass_properties() if solid is None else solid, pose),
        any(mask),
        0.0 if number(element, "condim", 3) == 1 else sliding,
    )


def _ends(element: Element, compiler: Compiler) -> tuple[Pose, float | None]:
    """The geom's pose, and its length where it is given by its ends."""
    if "fromto" not in element.attributes:
        return pose_of(element, compiler), None
    ends = numbers(element, "fromto", 6)
    between = ends[3:] - ends[:3]
    rotation = from_z(between, f"`fromto` of {element.who}")
    return ((ends[:3] + ends[3:]) / 2, rotation), float(np.linalg.norm(between))


def _shape(
    element: Element, kind: str, length: float | None, meshes: dict[str, Mesh]
) -> tuple[Shape, MassProperties | None]:
    """The shape, and its exact integrals where triangles only come near them."""
    if kind == "mesh":
        name = word(element, "mesh")
        if name not in meshes:
            raise InputError(f"`mesh` of {element.who} must be a mesh asset, got {quote(name)}")
        mesh = meshes[name]
        flat = not mesh.mass_properties().measure > 0
        return (mesh.weighed(shell=True) if flat else mesh), None
    if kind == "plane":
        size = numbers(element, "size", None, [0.0, 0.0])
        extent = 2 * float(np.max(size[:2], initial=0.0))
        return (HalfSpace(extent=extent) if extent > 0 else HalfSpace()), None
    wanted = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}[kind]
    size = numbers(element, "size", None)
    if length is not None and len(size) >= 1 and wanted > 1:
        size = np.array([size[0]] * (wanted - 1) + [length / 2])
    if len(size) < wanted:
        raise InputError(
            f"`size` of {element.who} must be {wanted} numbers for a {kind}, "
            f"got {quote(element.attributes['size'])}"
        )
    if np.any(size[:wanted] <= 0):
        raise InputError(f"`size` of {element.who} must be > 0 m, got {quote(size)}")
    if kind == "sphere":
        return Sphere(float(size[0])), None
    if kind == "box":
        return Box(tuple((2 * size[:3]).tolist())), None
    if kind == "ellipsoid":
        return _ellipsoid(size[:3])
    bar = Capsule if kind == "capsule" else Cylinder
    return bar(float(size[0]), 2 * float(size[1])), None


def _ellipsoid(radii: Array) -> tuple[Shape, MassProperties]:
    """Triangles on the surface; V = 4/3 pi abc, I_x = V (b^2 + c^2) / 5 and so on."""
    ball = Sphere(1.0, ELLIPSOID_SEGMENTS).surface()
    volume = 4 / 3 * np.pi * float(np.prod(radii))
    squares = radii**2
    inertia = np.diag(volume * (squares.sum() - squares) / 5)
    return Mesh(ball.vertices * radii, ball.faces), MassProperties(3, volume, np.zeros(3), inertia)


def _mass(
    element: Element, compiler: Compiler, unit: MassProperties, pose: Pose
) -> MassProperties | None:
    """The integrals times the density, in the body's frame."""
    low, high = compiler.inertia_groups
    if not np.isfinite(unit.measure) or not low <= number(element, "group", 0) <= high:
        return None
    if "mass" in element.attributes:
        density = number(element, "mass") / unit.measure
    else:
        density = number(element, "density", 1000.0)
    if density < 0:
        raise InputError(f"`mass` and `density` of {element.who} must be >= 0")
    return unit.weighted(density).moved(pose[1], pose[0]) if density > 0 else None
