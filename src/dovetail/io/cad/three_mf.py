"""Parts of a 3MF package: objects, components and build items with their transforms.

3MF Core Specification 1.3: a zip archive whose 3D/3dmodel.model is XML.
"""

import xml.etree.ElementTree as ElementTree
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.io.cad.parts import CadMesh, Part, rigid, unique_names
from dovetail.io.limits import LARGEST_MESH_BYTES
from dovetail.model.values import Array

UNITS = {
    "micron": 1e-6, "millimeter": 1e-3, "centimeter": 1e-2, "inch": 0.0254, "foot": 0.3048,
    "meter": 1.0,
}  # fmt: skip
MAX_DEPTH = 32


def read_three_mf(path: Path) -> list[Part]:
    """The build items of the package, components as parts of their own."""
    root = _model(path)
    tag = root.tag.rpartition("}")[0] + "}"
    unit = UNITS.get(root.get("unit", "millimeter"))
    if unit is None:
        raise InputError(f"{path.name}: unknown unit {root.get('unit')!r}")
    objects = {entry.get("id"): entry for entry in root.iter(f"{tag}object")}
    found: list[tuple[str, Array, Array, Any]] = []

    def place(number: str | None, matrix: Array, name: str, depth: int) -> None:
        entry = objects.get(number)
        if entry is None or depth > MAX_DEPTH:
            raise InputError(f"{path.name}: object {number!r} is missing or nested too deeply")
        own = entry.get("name") or entry.get("partnumber") or name or f"object_{number}"
        mesh = entry.find(f"{tag}mesh")
        if mesh is not None:
            found.append((own, matrix, *_arrays(mesh, tag)))
        for component in entry.iter(f"{tag}component"):
            inner = matrix @ _transform(component.get("transform"))
            place(component.get("objectid"), inner, own, depth + 1)

    try:
        for item in root.iter(f"{tag}item"):
            place(item.get("objectid"), _transform(item.get("transform")), "", 0)
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(f"{path.name}: could not be read as 3MF: {error}") from error
    if not found:
        raise InputError(f"{path.name}: builds no part")
    return _placed(path, found, unit)


def _placed(path: Path, found: list[tuple[str, Array, Array, Any]], unit: float) -> list[Part]:
    parts = []
    for name, (_, matrix, vertices, triangles) in zip(
        unique_names([entry[0] for entry in found]), found, strict=True
    ):
        made = rigid(matrix)
        if made is None:
            raise InputError(
                f"{path.name}: part {name!r} is mirrored or sheared, which is not read"
            )
        R, x, scale = made
        parts.append(Part(name, CadMesh(unit * scale * vertices, triangles), unit * x, R))
    return parts


def _model(path: Path) -> ElementTree.Element:
    try:
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if name.lower().endswith(".model")]
            if not names:
                raise InputError(f"{path.name}: has no 3D model")
            info = archive.getinfo(names[0])
            if info.file_size > LARGEST_MESH_BYTES:
                raise InputError(f"{path.name}: its model is too large")
            text = archive.read(info)
    except (OSError, zipfile.BadZipFile) as error:
        raise InputError(f"{path.name}: could not be read as 3MF: {error}") from error
    if b"<!DOCTYPE" in text or b"<!ENTITY" in text:
        raise InputError(f"{path.name}: must not define entities")
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise InputError(f"{path.name}: its model is no XML: {error}") from error


def _transform(text: str | None) -> Array:
    """Twelve numbers: the rows of a matrix that acts on rows, and the translation."""
    matrix = np.eye(4)
    if text:
        numbers = np.array([float(word) for word in text.split()])
        if numbers.shape != (12,):
            raise ValueError(f"a transform must have 12 numbers, got {len(numbers)}")
        rows = numbers.reshape(4, 3)
        matrix[:3, :3], matrix[:3, 3] = rows[:3].T, rows[3]
    return matrix


def _arrays(mesh: ElementTree.Element, tag: str) -> tuple[Array, Any]:
    vertices = [
        [float(entry.get(axis, "nan")) for axis in "xyz"] for entry in mesh.iter(f"{tag}vertex")
    ]
    triangles = [
        [int(entry.get(corner, "-1")) for corner in ("v1", "v2", "v3")]
        for entry in mesh.iter(f"{tag}triangle")
    ]
    return np.array(vertices).reshape(-1, 3), np.array(triangles, dtype=np.int64).reshape(-1, 3)
