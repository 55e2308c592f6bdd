"""Mass and geometry of a URDF link."""

from dataclasses import dataclass, field

import numpy as np

from dovetail.errors import InputError
from dovetail.io.link_trees.link import Link
from dovetail.io.mesh_scale import shortest_scale
from dovetail.io.urdf.inertials import Corrected, mass_and_inertia
from dovetail.io.urdf.packages import PackageFolders
from dovetail.io.urdf.placement import origin_of
from dovetail.io.xml.elements import Element
from dovetail.io.xml.shapes import refuse_unusable
from dovetail.io.xml.values import number, numbers, word
from dovetail.model.shapes import Box, Capsule, Cylinder, Mesh, Placed, Sphere
from dovetail.model.shapes.shape import Shape
from dovetail.model.values import GROUND_NAME, Mistakes, quote


@dataclass
class Remarks:
    """Names of links and shapes that are read otherwise than they are written."""

    corrected: Corrected = field(default_factory=Corrected)  # moments
    renamed: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)  # shapes without extent
    weighed: list[str] = field(default_factory=list)  # mass from geometry


def read_link(element: Element, packages: PackageFolders, remarks: Remarks) -> Link:
    """The link at the world's origin, with its mass [kg], inertia and geometry."""
    found = Mistakes()
    name = element.attributes["name"].strip()
    if name == GROUND_NAME:  # which is the world itself in a scene
        name = f"{name}-link"
        remarks.renamed.append(f"{quote(GROUND_NAME)} is {quote(name)}")
    link = Link(name, np.zeros(3), np.eye(3))
    inertial = element.first("inertial")
    if inertial is not None:
        found.take(mass_and_inertia, inertial, link)
    drawn = list(element.all("collision")) or list(element.all("visual"))
    for entry in drawn:
        piece = found.take(_piece, entry, packages, link.name, remarks)
        if piece is not None:
            link.pieces.append(piece)
    found.raise_if_any()
    return link


def _piece(
    element: Element, packages: PackageFolders, link: str, remarks: Remarks
) -> Placed | None:
    """One collision or visual element, in the link's frame; None where it has no extent."""
    found = Mistakes()
    place = found.take(origin_of, element)
    geometry = element.first("geometry")
    if geometry is None or not geometry.children:
        found.append(f"{element.who} must have a <geometry> with a shape in it")
        found.raise_if_any()
    assert geometry is not None
    if len(geometry.children) > 1:
        found.append(
            f"{geometry.who} must have one shape, got {len(geometry.children)}; give each a "
            f"<{element.tag}> of its own"
        )
    shape = found.take(_shape, geometry.children[0], packages)
    if shape is None and not found:
        remarks.empty.append(f"{geometry.children[0].tag} of {link}")
    found.raise_if_any()
    if shape is None:
        return None
    assert place is not None
    return Placed(shape, place[0], place[1])


def _shape(element: Element, packages: PackageFolders) -> Shape | None:
    if element.tag == "box":
        size = numbers(element, "size", 3)
        extent = float(np.min(size))
        shape: Shape = Box(tuple(size.tolist()))
    elif element.tag == "sphere":
        extent = number(element, "radius")
        shape = Sphere(extent)
    elif element.tag in ("cylinder", "capsule"):
        radius, length = number(element, "radius"), number(element, "length")
        extent = min(radius, length)
        shape = (Cylinder if element.tag == "cylinder" else Capsule)(radius, length)
    elif element.tag == "mesh":
        scale = numbers(element, "scale", 3, [1, 1, 1])
        extent = float(np.min(np.abs(scale)))
        name = word(element, "filename")
        file = packages.mesh(name, f"`filename` of {element.who}")
        shape = Mesh(file, scale=shortest_scale(scale))
    else:
        raise InputError(
            f"{element.who} must be a box, sphere, cylinder, capsule or mesh, "
            f"got <{element.tag[:60]}>"
        )
    if extent == 0:
        return None
    refuse_unusable(shape, element)
    return shape
