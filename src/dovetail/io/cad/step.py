"""Parts of a STEP file, tessellated by Open CASCADE through the package `cascadio`."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.io.cad.deviation import (
    bounded_deviation,
    faces_without_formula,
    kind_of,
    measured_deviation,
    points_without_formula,
    scaled_faces,
)
from dovetail.io.cad.gltf import Node, nodes_of
from dovetail.io.cad.holes import CRACK, widest_hole
from dovetail.io.cad.kernel import MILLIMETRE, tessellated_file
from dovetail.io.cad.parts import CadMesh, Part, RoundFace, rigid, unique_names, welded, welded_rows
from dovetail.io.cad.step_text import StepText
from dovetail.io.limits import LARGEST_MESH_BYTES
from dovetail.model.values import Array

ANGULAR = 0.35  # [rad] between neighbouring triangles of a round face
RELATIVE = 2e-4  # default tolerance, of the diagonal of the whole
MOST_TRIANGLES = 400_000  # of a part with finer triangles
Stamp = tuple[int, int]  # of a file: when it was written [ns], and its bytes
MEASURED = 2  # times the segments by which triangles of faces without a formula are measured


def read_step(path: Path, tolerance: float | None = None) -> list[Part]:
    """The parts of the file; triangles within `tolerance` [m], default from its size."""
    if tolerance is None:
        rough = _nodes(path, 1.0 * MILLIMETRE, ANGULAR)
        placed = np.concatenate([_in_place(node) for node in rough])
        tolerance = RELATIVE * float(np.linalg.norm(np.ptp(placed, axis=0)))
    nodes = _nodes(path, tolerance, ANGULAR)
    _, has_open_surfaces = _examined(path, _stamp(path))
    if not has_open_surfaces:
        for node in nodes:
            _refuse_holes(node, path.name, tolerance)
    names = unique_names([node.name for node in nodes])
    return [
        _part(path, k, name, node, tolerance, ANGULAR)
        for k, (name, node) in enumerate(zip(names, nodes, strict=True))
    ]


def _nodes(path: Path, tolerance: float, angular: float) -> list[Node]:
    """The parts as they are in the file now; those of a few tolerances are remembered."""
    if not path.is_file():
        raise InputError(f"{path.name}: no such file; check the name")
    return list(_read(path, tolerance, angular, _stamp(path)))


def _stamp(path: Path) -> Stamp:
    about = path.stat()
    return about.st_mtime_ns, about.st_size


@lru_cache(maxsize=4)
def _read(path: Path, tolerance: float, angular: float, stamp: Stamp) -> tuple[Node, ...]:
    if path.stat().st_size > LARGEST_MESH_BYTES:
        raise InputError(f"{path.name}: must be at most {LARGEST_MESH_BYTES // 1024**2} MiB")
    n_parts, _ = _examined(path, stamp)
    nodes = nodes_of(tessellated_file(path, tolerance, angular), path.name)
    if not nodes:
        raise InputError(f"{path.name}: has no solid parts")
    if len(nodes) < n_parts:
        read = ", ".join(node.name for node in nodes[:12])
        raise InputError(
            f"{path.name}: has {n_parts} parts, of which only {len(nodes)} have a shape "
            f"that can be read ({read}); export it again, with solids"
        )
    return tuple(nodes)


@lru_cache(maxsize=4)
def _examined(path: Path, _: Stamp) -> tuple[int, bool]:
    """How many parts the text of a whole file has, and whether some are open surfaces."""
    data = path.read_bytes()
    if b"ISO-10303-21" not in data[:4096]:
        raise InputError(f"{path.name}: must be a STEP file, which begins with ISO-10303-21")
    text = StepText(data, path.name)
    text.refuse_incomplete()
    return text.n_parts, text.has_open_surfaces


def _refuse_holes(node: Node, name: str, tolerance: float) -> None:
    scale = float(np.cbrt(abs(np.linalg.det(node.matrix[:3, :3]))))
    crack = CRACK * tolerance / scale
    if widest_hole(node.vertices, node.triangles, crack) > crack:
        raise InputError(
            f"{name}: the surface of part {node.name!r} has a hole; a face is missing or could not "
            "be read; repair the solid, or export it again"
        )


def _in_place(node: Node) -> Array:
    return node.vertices @ node.matrix[:3, :3].T + node.matrix[:3, 3]


def _part(path: Path, k: int, name: str, node: Node, tolerance: float, angular: float) -> Part:
    place = rigid(node.matrix)
    if place is None:
        raise InputError(f"{path.name}: part {name!r} is mirrored or sheared, which is not read")
    R, x, scale = place
    vertices = scale * node.vertices
    flat = bool(node.faces) and all(kind_of(face) == "plane" for face in node.faces)
    deviation = 0.0 if flat else max(tolerance, scale * bounded_deviation(node))
    unknown = faces_without_formula(node)
    if unknown:  # their corners with the next finer triangles lie on the true surface
        fine = _nodes(path, tolerance / MEASURED**2, angular / MEASURED)[k]
        rows = welded(vertices, node.triangles)
        deviation = max(deviation, measured_deviation(rows, scale * points_without_formula(fine)))
    deviation += float(np.finfo(np.float32).eps) * float(np.max(np.abs(vertices), initial=0.0))
    placing = _placing(R, x, vertices)

    def finer(factor: int) -> CadMesh:
        factor = _affordable(node, factor)
        again, angle = tolerance / factor**2, angular / factor
        made = _part(path, k, name, _nodes(path, again, angle)[k], again, angle).shape
        assert isinstance(made, CadMesh)
        return made

    distinct, rows, kept = welded_rows(vertices, node.triangles)
    mesh = CadMesh(distinct, rows[kept], deviation + placing, finer, unknown)
    mesh.placing = placing
    if node.face_of_triangle is not None and node.faces:
        mesh.true_faces = node.face_of_triangle[kept], scaled_faces(node, scale)
    return Part(name, mesh, x, R, tuple(_round_faces(node, R, x, scale)))


def _placing(R: Array, x: Array, vertices: Array) -> float:
    """[m] by which single floats may have moved a part: half a unit in the last place."""
    half = 0.5 * np.spacing(np.abs(x).astype(np.float32)).astype(float)
    turned = 0.5 * np.spacing(np.abs(R).astype(np.float32)).astype(float)
    turned[np.isin(R, (-1.0, 0.0, 1.0))] = 0.0
    reach = float(np.max(np.linalg.norm(vertices, axis=1), initial=0.0))
    return float(np.linalg.norm(np.where(x == 0.0, 0.0, half)) + reach * np.linalg.norm(turned))


def _affordable(node: Node, factor: int) -> int:
    """The factor, or less where faces that are curved both ways would get too many triangles."""
    ruled = all(kind_of(face) in ("plane", "cylinder", "cone") for face in node.faces)
    most = MOST_TRIANGLES / len(node.triangles)
    return max(1, min(factor, int(most if ruled and node.faces else most**0.5)))


def _round_faces(node: Node, R: Array, x: Array, scale: float) -> Any:
    for face in node.faces:
        if kind_of(face) == "cylinder" and face is not None:
            point = R @ (scale * np.array(face["origin"], dtype=float)) + x
            axis = R @ np.array(face["axis"], dtype=float)
            yield RoundFace(
                tuple(point.tolist()), tuple(axis.tolist()), scale * float(face["radius"])
            )
