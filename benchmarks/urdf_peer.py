"""URDF files made complete for Pinocchio, to which a link without <inertial> has no mass.

A link that moves and holds nothing with mass gets the <inertial> of its geometry at 1000 kg/m^3,
which is what the package and MuJoCo do, with volumes and moments computed by trimesh: meshes that
are not closed count as their convex hulls. Closed is what trimesh or the package calls so: faces
without area, edges of four faces and vertices a rounding apart are open to trimesh, whose volume of
them is the package's.
"""

import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import trimesh

import dovetail as dt
from dovetail.io.safe_paths import MeshFolder
from dovetail.io.urdf.packages import PackageFolders

DENSITY = 1000.0  # [kg/m^3]


def completed(path: Path, folder: Path) -> tuple[str, int]:
    """The text of a URDF file with all masses, and how many links were given one."""
    root = root_of(path)
    links = {link.get("name"): link for link in root.findall("link")}
    packages = PackageFolders(path, MeshFolder(path.parent, [folder]))
    weighed = 0
    for name in moving_without_mass(root, links):
        solid = of_geometry(links[name], packages)
        if solid is None:
            continue
        for old in links[name].findall("inertial"):
            links[name].remove(old)
        links[name].append(inertial(solid))
        weighed += 1
    return ET.tostring(root, encoding="unicode"), weighed


def root_of(path: Path) -> ET.Element:
    """The root of a file; prefixes, which some files never declare, are left out."""
    text = re.sub(r"(</?)\w+:", r"\1", path.read_text(errors="replace"))
    text = re.sub(r'\sxmlns(:\w+)?\s*=\s*"[^"]*"', "", text)
    return ET.fromstring(re.sub(r"(\s)\w+:(\w+\s*=)", r"\1\2", text).lstrip().encode())


def moving_without_mass(root: ET.Element, links: dict[str | None, ET.Element]) -> list[str]:
    """Links on a joint that moves which, with those they hold rigidly, have no mass."""
    held: dict[str, list[str]] = {}
    moving = []
    for joint in root.findall("joint"):
        parent, child = (joint.find(end).get("link") for end in ("parent", "child"))  # type: ignore[union-attr]
        if joint.get("type") == "fixed":
            held.setdefault(str(parent), []).append(str(child))
        else:
            moving.append(str(child))
    found = []
    for name in moving:
        waiting, mass = [name], 0.0
        while waiting:
            one = waiting.pop()
            waiting += held.get(one, [])
            given = links[one].find("inertial/mass")
            mass += 0.0 if given is None else float(given.get("value", 0))
        if mass == 0.0:
            found.append(name)
    return found


def of_geometry(link: ET.Element, packages: PackageFolders) -> Any:
    """The solid of a link's collision geometry, or of its visual one; None where it has none."""
    parts = []
    for entry in link.findall("collision") or link.findall("visual"):
        shape = shape_of(entry.find("geometry"), packages)
        if shape is not None:
            shape.apply_transform(pose_of(entry.find("origin")))
            parts.append(shape)
    return parts or None


def shape_of(geometry: ET.Element | None, packages: PackageFolders) -> Any:
    one = None if geometry is None else next(iter(geometry), None)
    if one is None:
        return None
    if one.tag == "box":
        return trimesh.creation.box([float(x) for x in one.get("size", "").split()])
    if one.tag == "sphere":
        return trimesh.primitives.Sphere(radius=float(one.get("radius", 0)))
    if one.tag == "cylinder":
        radius, height = float(one.get("radius", 0)), float(one.get("length", 0))
        return trimesh.primitives.Cylinder(radius=radius, height=height)
    if one.tag != "mesh":
        return None
    file = packages.mesh(one.get("filename", "").strip(), "mesh")
    mesh = trimesh.load(file, force="mesh")
    mesh.apply_scale([float(x) for x in one.get("scale", "1 1 1").split()])
    mesh.merge_vertices()
    return mesh if mesh.is_volume or dt.Mesh(file).diagnosis.closed else mesh.convex_hull


def pose_of(origin: ET.Element | None) -> Any:
    if origin is None:
        return np.eye(4)
    angles = [float(x) for x in origin.get("rpy", "0 0 0").split()]
    matrix = trimesh.transformations.euler_matrix(*angles)
    matrix[:3, 3] = [float(x) for x in origin.get("xyz", "0 0 0").split()]
    return matrix


def exact(shape: Any) -> tuple[float, Any, Any]:
    """Mass, centre and moments about it; of round shapes in closed form."""
    if isinstance(shape, trimesh.primitives.Sphere | trimesh.primitives.Cylinder):
        pose, r = shape.primitive.transform, float(shape.primitive.radius)
        if isinstance(shape, trimesh.primitives.Sphere):
            m = DENSITY * 4 / 3 * np.pi * r**3
            moments = np.full(3, 0.4 * m * r * r)
        else:
            h = float(shape.primitive.height)
            m = DENSITY * np.pi * r * r * h
            across = m * (3 * r * r + h * h) / 12
            moments = np.array([across, across, m * r * r / 2])
        R = pose[:3, :3]
        return m, pose[:3, 3], R @ np.diag(moments) @ R.T
    shape.density = DENSITY
    sign = np.sign(shape.volume)
    return abs(shape.mass), shape.center_mass, sign * shape.moment_inertia


def inertial(parts: list[Any]) -> ET.Element:
    found = [exact(part) for part in parts]
    mass = sum(m for m, _, _ in found)
    centre = sum(m * c for m, c, _ in found) / mass
    whole = np.zeros((3, 3))
    for m, c, moments in found:
        arm = c - centre
        whole += moments + m * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    element = ET.Element("inertial")
    ET.SubElement(element, "origin", xyz=" ".join(map(repr, map(float, centre))), rpy="0 0 0")
    ET.SubElement(element, "mass", value=repr(float(mass)))
    entries = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    values = whole[np.triu_indices(3)]
    ET.SubElement(element, "inertia", {k: repr(float(v)) for k, v in zip(entries, values)})
    return element


def without_geometry(path: Path) -> str | None:
    """The text of a file without shapes; None where masses come from them."""
    root = root_of(path)
    links = {link.get("name"): link for link in root.findall("link")}
    if moving_without_mass(root, links):
        return None
    for link in links.values():
        for tag in ("visual", "collision"):
            for entry in link.findall(tag):
                link.remove(entry)
    return ET.tostring(root, encoding="unicode")
