"""The parts of a binary glTF file: names, places, triangles, and what the faces are.

Khronos glTF 2.0: a header, a JSON chunk and a chunk of numbers. Only what a CAD kernel writes is
read: triangles with float positions, nodes with matrices or translation, rotation and scale.
"""

import json
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.model.values import Array

COMPONENTS = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
WIDTH = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
MAX_DEPTH = 64
BREP = "TM_brep_faces"


@dataclass(frozen=True, eq=False)
class Node:
    """A mesh in its place."""

    name: str
    matrix: Array  # (4, 4)
    vertices: Array  # (n, 3)
    triangles: Array  # (m, 3)
    face_of_triangle: Array | None  # (m,) number of the face of the solid
    faces: list[dict[str, Any] | None]  # what the faces are, where the kernel says so


def nodes_of(data: bytes, name: str) -> list[Node]:
    """All nodes with triangles; raises InputError for anything that is not such a file.

    Curves beside a solid, as datums are, have a node of their own with lines only.
    """
    try:
        magic, _, _ = struct.unpack_from("<4sII", data, 0)
        length, kind = struct.unpack_from("<I4s", data, 12)
        if magic != b"glTF" or kind != b"JSON":
            raise ValueError("no binary glTF")
        document = json.loads(data[20 : 20 + length])
        binary = data[20 + length + 8 :]
        found: list[Node] = []
        for root in document["scenes"][document.get("scene", 0)]["nodes"]:
            _collect(document, binary, root, np.eye(4), 0, found)
        return found
    except (KeyError, IndexError, TypeError, ValueError, struct.error) as error:
        raise InputError(f"{name}: the tessellated parts could not be read: {error}") from error


def _collect(
    document: dict[str, Any], binary: bytes, k: int, above: Array, depth: int, found: list[Node]
) -> None:
    if depth > MAX_DEPTH:
        raise ValueError("nodes nested too deeply")
    node = document["nodes"][k]
    matrix = above @ _matrix(node)
    mesh = document["meshes"][node["mesh"]] if "mesh" in node else {"primitives": []}
    if any(_has_triangles(primitive) for primitive in mesh["primitives"]):
        name = node.get("name") or mesh.get("name") or "part"
        found.append(_node(document, binary, mesh, name, matrix))
    for child in node.get("children", []):
        _collect(document, binary, child, matrix, depth + 1, found)


def _has_triangles(primitive: dict[str, Any]) -> bool:
    return bool(primitive.get("mode", 4) == 4)


def _matrix(node: dict[str, Any]) -> Array:
    if "matrix" in node:
        return np.array(node["matrix"], dtype=float).reshape(4, 4).T
    x, y, z, w = node.get("rotation", (0.0, 0.0, 0.0, 1.0))
    matrix = np.eye(4)
    matrix[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    matrix[:3, :3] *= np.array(node.get("scale", (1.0, 1.0, 1.0)))
    matrix[:3, 3] = node.get("translation", (0.0, 0.0, 0.0))
    return matrix


def _node(
    document: dict[str, Any], binary: bytes, mesh: dict[str, Any], name: str, matrix: Array
) -> Node:
    vertices, triangles, owners = [], [], []
    faces: list[dict[str, Any] | None] = []
    count = 0
    for primitive in mesh["primitives"]:
        if not _has_triangles(primitive):
            continue
        points = _accessor(document, binary, primitive["attributes"]["POSITION"])
        rows = _accessor(document, binary, primitive["indices"]).reshape(-1, 3)
        about = primitive.get("extensions", {}).get(BREP, {})
        if "faceIndices" in about:
            own = _accessor(document, binary, about["faceIndices"]).reshape(-1)
            owners.append(own[: len(rows)].astype(np.int64) + len(faces))
        faces += list(about.get("faces", []))
        triangles.append(rows.astype(np.int64) + count)
        vertices.append(points.astype(np.float64))
        count += len(points)
    whole = len(owners) == len(vertices)
    return Node(
        name,
        matrix,
        np.concatenate(vertices),
        np.concatenate(triangles),
        np.concatenate(owners) if whole else None,
        faces,
    )


def _accessor(document: dict[str, Any], binary: bytes, k: int) -> Any:
    accessor = document["accessors"][k]
    view = document["bufferViews"][accessor["bufferView"]]
    kind, width = COMPONENTS[accessor["componentType"]], WIDTH[accessor["type"]]
    start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    size = np.dtype(kind).itemsize * width
    stride = view.get("byteStride") or size
    count = int(accessor["count"])
    if start < 0 or count < 0 or start + (count - 1) * stride + size > len(binary):
        raise ValueError("an accessor reaches beyond the file")
    rows = np.ndarray((count, width), kind, binary, start, (stride, np.dtype(kind).itemsize))
    return rows.copy() if width > 1 else rows[:, 0].copy()
