"""Mass and geometry of a URDF link."""

import numpy as np

from dovetail.errors import InputError
from dovetail.io.link_trees.assembly import Link
from dovetail.io.mesh_scale import shortest_scale
from dovetail.io.safe_paths import MeshFolder
from dovetail.io.urdf.placement import origin_of
from dovetail.io.xml.elements import Element
from dovetail.io.xml.shapes import refuse_unusable
from dovetail.io.xml.values import number, numbers, word
from dovetail.model.shapes import Box, Capsule, Cylinder, Mesh, Placed, Sphere
from dovetail.model.shapes.shape import Shape
from dovetail.model.values import Array, Mistakes, quote

MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def read_link(element: Element, files: MeshFolder) -> Link:
    """The link at the world's origin, with its mass [kg], inertia and geometry."""
    found = Mistakes()
    link = Link(element.attributes["name"].strip(), np.zeros(3), np.eye(3))
    inertial = element.first("inertial")
    if inertial is not None:
        mass = found.take(_mass_and_inertia, inertial)
        link.mass, link.centre, link.inertia = mass or (0.0, link.centre, link.inertia)
    drawn = list(element.all("collision")) or list(element.all("visual"))
    pieces = [found.take(_piece, entry, files) for entry in drawn]
    link.pieces = [piece for piece in pieces if piece is not None]
    found.raise_if_any()
    return link


def _mass_and_inertia(inertial: Element) -> tuple[float, Array, Array]:
    """Mass [kg], centre [m] and inertia [kg m^2] about it, in the link's axes."""
    found = Mistakes()
    place = found.take(origin_of, inertial)
    mass_element, inertia_element = inertial.first("mass"), inertial.first("inertia")
    mass = 0.0
    if mass_element is None:
        found.append(f"{inertial.who} must have a <mass value=...>")
    else:
        mass = found.take(number, mass_element, "value") or 0.0
        if mass < 0:
            found.append(f"`value` of {mass_element.who} must be >= 0 kg, got {mass:g}")
    moments = dict.fromkeys(MOMENTS, 0.0)
    if inertia_element is None and mass > 0:
        found.append(f"{inertial.who} must have an <inertia ixx=... ixy=... ...>")
    elif inertia_element is not None:
        for key in MOMENTS:
            moments[key] = found.take(number, inertia_element, key, 0.0) or 0.0
    found.raise_if_any()
    assert place is not None
    xx, xy, xz, yy, yz, zz = (moments[key] for key in MOMENTS)
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return mass, place[0], place[1] @ inertia @ place[1].T


def _piece(element: Element, files: MeshFolder) -> Placed:
    """One collision or visual element, in the link's frame."""
    found = Mistakes()
    place = found.take(origin_of, element)
    geometry = element.first("geometry")
    shape = None
    if geometry is None or not geometry.children:
        found.append(f"{element.who} must have a <geometry> with a shape in it")
    else:
        shape = found.take(_shape, geometry.children[0], files)
    found.raise_if_any()
    assert place is not None and shape is not None
    return Placed(shape, place[0], place[1])


def _shape(element: Element, files: MeshFolder) -> Shape:
    if element.tag == "box":
        shape: Shape = Box(tuple(numbers(element, "size", 3).tolist()))
    elif element.tag == "sphere":
        shape = Sphere(number(element, "radius"))
    elif element.tag in ("cylinder", "capsule"):
        kind = Cylinder if element.tag == "cylinder" else Capsule
        shape = kind(number(element, "radius"), number(element, "length"))
    elif element.tag == "mesh":
        scale = numbers(element, "scale", 3, [1, 1, 1])
        shape = Mesh(str(_find(element, files)), scale=shortest_scale(scale))
    else:
        raise InputError(
            f"{element.who} must be a box, sphere, cylinder, capsule or mesh, "
            f"got <{element.tag[:60]}>"
        )
    refuse_unusable(shape, element)
    return shape


def _find(element: Element, files: MeshFolder) -> str:
    """The mesh file; package://name/path is path in the scene's folder, or name/path in it."""
    name = word(element, "filename")
    what = f"`filename` of {element.who}"
    scheme, separator, rest = name.partition("://")
    if not separator:
        return str(files.resolve(name, what))
    if scheme == "file":
        return str(files.resolve(rest, what))
    if scheme != "package":
        raise InputError(f"{what} must be a path or package://..., got {quote(name)}")
    inside = rest.partition("/")[2]
    candidates = [path for path in (inside, rest) if path]
    refusal = InputError(f"{what} must name a file in the package, got {quote(name)}")
    for candidate in candidates:
        try:
            return str(files.resolve(candidate, what))
        except InputError as error:
            refusal = error
    raise refusal
