"""An assembly from CAD as a scene: every part a body in its place, no joints yet."""

from pathlib import Path

import numpy as np

from dovetail.errors import InputError
from dovetail.io.cad.parts import Part, unique_names
from dovetail.io.cad.units import LENGTH_UNITS
from dovetail.model.mesh_files.reading import SUFFIXES
from dovetail.model.scene import Scene
from dovetail.model.shapes.mesh import Mesh

STEP_ENDINGS = (".step", ".stp")
ENDINGS = (*STEP_ENDINGS, ".3mf")
DENSITY = (
    1000.0  # [kg/m^3] where nothing says another; a motion without forces does not depend on it
)


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


def scene_of_parts(parts: list[Part], moving: set[str]) -> Scene:
    """A scene without joints; parts that are not in `moving` stay in place."""
    scene = Scene()
    for part in parts:
        scene.add_body(
            part.name, part.shape, density=DENSITY, position=part.position, rotation=part.rotation,
            motion="dynamic" if part.name in moving else "static",
        )  # fmt: skip
    return scene
