"""Wavefront OBJ: vertices `v`, faces `f`, polylines `l`; everything else is passed over.

Polylines become free edges and vertices nothing uses are points, which general mesh readers drop.
"""

import itertools
import re

import numpy as np

from dovetail.errors import InputError
from dovetail.model.mesh_files.polygons import triangulated
from dovetail.model.mesh_files.raw import RawMesh, refuse_too_many
from dovetail.model.values import Array, shown

TEXTURE_AND_NORMAL = re.compile(r"/[^\s]*")
IGNORED = {
    "vt", "vn", "vp", "g", "o", "s", "p", "mtllib", "usemtl", "maplib", "usemap", "call", "cstype",
    "deg", "bmat", "step", "curv", "curv2", "surf", "parm", "trim", "hole", "scrv", "sp", "end",
    "con", "mg", "bevel", "c_interp", "d_interp", "lod", "shadow_obj", "trace_obj", "ctech",
    "stech", "fo", "",
}  # fmt: skip


def read_obj(data: bytes, what: str) -> RawMesh:
    text = data.decode("latin-1").replace("\\\r\n", " ").replace("\\\n", " ")
    coordinates: list[str] = []
    elements: dict[str, list[tuple[int, int, str]]] = {"f": [], "l": []}
    for line_number, line in enumerate(text.split("\n"), 1):
        if line.startswith("v "):
            coordinates.append(line[2:])
            continue
        key, _, rest = line.strip().partition("#")[0].replace("\t", " ").partition(" ")
        if key in elements:
            elements[key].append((line_number, len(coordinates), rest))
        elif key == "v":
            coordinates.append(rest)
        elif key not in IGNORED:
            raise InputError(
                f"{what} is not an OBJ file: line {line_number} starts with {shown(key)}"
            )
    refuse_too_many(len(coordinates), len(elements["f"]), what)
    vertices = _vertices(coordinates, what)
    polygons = _rows(elements["f"], len(vertices), 3, "face", what)
    lines = _rows(elements["l"], len(vertices), 2, "polyline", what)
    edges = [pair for line in lines for pair in itertools.pairwise(line) if pair[0] != pair[1]]
    if all(len(polygon) == 3 for polygon in polygons):
        return RawMesh.of(vertices, polygons, edges)
    faces = [triangle for polygon in polygons for triangle in triangulated(polygon, vertices)]
    refuse_too_many(0, len(faces), what)
    return RawMesh.of(vertices, faces, edges)


def _vertices(lines: list[str], what: str) -> Array:
    """The first three numbers of each line; a weight or a colour may follow."""
    if not lines:
        return np.zeros((0, 3))
    width = len(lines[0].split())
    try:
        values = np.array(" ".join(lines).split(), dtype=np.float64)
        if width >= 3 and len(values) == width * len(lines):
            return values.reshape(-1, width)[:, :3].copy()
    except ValueError:
        pass
    rows = []
    for number, line in enumerate(lines, 1):
        try:
            x, y, z = (float(word) for word in line.partition("#")[0].split()[:3])
        except ValueError:
            raise InputError(
                f"{what}: vertex {number} must be three numbers, got {shown(line.strip())}"
            ) from None
        rows.append((x, y, z))
    return np.array(rows)


def _rows(
    elements: list[tuple[int, int, str]], n_vertices: int, least: int, kind: str, what: str
) -> list[list[int]]:
    """Vertex numbers from 0; those written negative count back from the line they are on."""
    rows = []
    for line_number, seen, text in elements:
        bare = TEXTURE_AND_NORMAL.sub("", text) if "/" in text else text
        try:
            row = [int(word) for word in bare.split()]
        except ValueError:
            row = []
        row = [i - 1 if i > 0 else seen + i if i < 0 else -1 for i in row]
        if len(row) < least or not all(0 <= i < n_vertices for i in row):
            raise InputError(
                f"{what}: the {kind} on line {line_number} must name at least {least} of the "
                f"{n_vertices} vertices, got {shown(text.strip())}"
            )
        rows.append(row)
    return rows
