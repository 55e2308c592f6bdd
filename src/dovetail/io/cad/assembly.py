"""An assembly from CAD as a scene: every part a body in its place, no joints yet."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.io.cad.parts import CadMesh, Part, unique_names, welded
from dovetail.model.mesh_files.reading import SUFFIXES
from dovetail.model.scene import Scene
from dovetail.model.shapes.mesh import Mesh
from dovetail.model.values import quote

STEP_ENDINGS = (".step", ".stp")
ENDINGS = (*STEP_ENDINGS, ".3mf")
DENSITY = (
    1000.0  # [kg/m^3] where nothing says another; a motion without forces does not depend on it
)
LENGTH_UNITS = {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "in": 0.0254}


def is_assembly(path: Path) -> bool:
    """Whether `read_parts` reads it: STEP, 3MF or a folder."""
    return path.suffix.lower() in ENDINGS or path.is_dir()


def read_parts(path: Path, unit: str = "mm", tolerance: float | None = None) -> list[Part]:
    """The parts of a STEP or 3MF file, or of a folder of meshes in the given unit.

    STEP and 3MF files have their own units.
    """
    if not path.exists():
        raise InputError(f"{path}: no such file or folder; check the name")
    if path.is_dir():
        return _folder(path, unit)
    if path.suffix.lower() in STEP_ENDINGS:
        from dovetail.io.cad.step import read_step

        return read_step(path, tolerance)
    from dovetail.io.cad.three_mf import read_three_mf

    return read_three_mf(path)


def _folder(path: Path, unit: str) -> list[Part]:
    files = sorted(file for file in path.iterdir() if file.suffix.lower() in SUFFIXES)
    if not files:
        raise InputError(
            f"{path}: holds no parts; it must have mesh files ({', '.join(sorted(SUFFIXES))})"
        )
    if unit not in LENGTH_UNITS:
        raise InputError(f"the unit of meshes must be one of {', '.join(LENGTH_UNITS)}, got {unit}")
    names = unique_names([file.stem for file in files])
    return [
        Part(name, Mesh(file, scale=LENGTH_UNITS[unit]), np.zeros(3), np.eye(3))
        for name, file in zip(names, files, strict=True)
    ]


def objects_of(given: Any) -> Mapping[str, Any] | None:
    """{name: object} of an assembly of a CAD library; None where it is none.

    A mapping is taken as it is. A CadQuery assembly has `objects` and yields shape, name, place;
    a build123d compound has labelled `children`.
    """
    if isinstance(given, Mapping):
        return given
    if isinstance(getattr(given, "objects", None), Mapping) and hasattr(given, "__iter__"):
        rows = [(name.rpartition("/")[2], shape.moved(place)) for shape, name, place, *_ in given]
    else:
        children = getattr(given, "children", None) or ()
        rows = [(getattr(child, "label", "") or "part", child) for child in children]
    names = unique_names([name for name, _ in rows])
    return dict(zip(names, (shape for _, shape in rows), strict=True)) or None


def parts_of_objects(objects: Any, unit: str = "mm", tolerance: float = 1e-5) -> list[Part]:
    """Parts from {name: object} of a CAD library: anything with `tessellate(tolerance)`.

    build123d shapes and CadQuery shapes or workplanes; `tolerance` in m.
    """
    if not isinstance(objects, Mapping) or not objects:
        raise InputError("parts must be given as {name: object}, with at least one object")
    size = LENGTH_UNITS[unit]
    parts = []
    for name, given in zip(unique_names([str(name) for name in objects]), objects.values()):
        solid = given.val() if callable(getattr(given, "val", None)) else given
        if not callable(getattr(solid, "tessellate", None)):
            raise InputError(f"part {quote(name)} must have tessellate(tolerance), as in build123d")
        parts.append(_part_of(name, solid, size, tolerance))
    return parts


def _part_of(name: str, solid: Any, size: float, tolerance: float) -> Part:
    points, triangles = solid.tessellate(tolerance / size)

    def finer(factor: int) -> CadMesh:
        made = _part_of(name, solid, size, tolerance / factor**2).shape
        assert isinstance(made, CadMesh)
        return made

    vertices = size * np.array([_numbers(point) for point in points], dtype=float)
    mesh = CadMesh(*welded(vertices, np.array(triangles)), tolerance, finer)
    return Part(name, mesh, np.zeros(3), np.eye(3))


def _numbers(point: Any) -> tuple[float, float, float]:
    """Of the vectors of several libraries."""
    if hasattr(point, "X"):
        return float(point.X), float(point.Y), float(point.Z)
    if hasattr(point, "x"):
        return float(point.x), float(point.y), float(point.z)
    x, y, z = point
    return float(x), float(y), float(z)


def scene_of_parts(parts: list[Part], moving: set[str]) -> Scene:
    """A scene without joints; parts that are not in `moving` stay in place."""
    scene = Scene()
    for part in parts:
        scene.add_body(
            part.name, part.shape, density=DENSITY, position=part.position, rotation=part.rotation,
            motion="dynamic" if part.name in moving else "static",
        )  # fmt: skip
    return scene
