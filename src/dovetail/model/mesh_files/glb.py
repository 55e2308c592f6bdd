"""What a GLB file announces, looked at before its arrays are made."""

import json
import struct
from typing import Any

from dovetail.errors import InputError
from dovetail.model.mesh_files.raw import refuse_too_many
from dovetail.model.values import quote

DEEPEST_NODES, MAX_NODES = 200, 10_000
LARGEST_NUMBER = 1e30
LARGEST_HEADER = 64 * 1024**2  # bytes of JSON
LARGEST_BUFFERS, MAX_BUFFERS = 256 * 1024**2, 64  # bytes
COMPONENTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}


def check_announced(data: bytes, what: str) -> None:
    """Refuse a header whose few bytes ask for more memory than the limits, or for no end."""
    if len(data) < 20 or data[:4] != b"glTF":
        raise InputError(f"{what} is not a GLB file: it must begin with the letters glTF")
    (size,) = struct.unpack("<I", data[12:16])
    if size > min(LARGEST_HEADER, len(data)):
        raise InputError(f"{what} is cut short or its header is too large ({size:,} bytes)")
    try:
        header = json.loads(data[20 : 20 + size])
        numbers = sum(_numbers(accessor) for accessor in header.get("accessors", []))
        nodes, meshes = header.get("nodes", []), header.get("meshes", [])
        children = [list(node.get("children", [])) for node in nodes]
        _check_tree(children)
        _check_buffers(header.get("buffers", []))
        _check_places(nodes)
        sizes = [_corners(header, mesh) for mesh in meshes]  # made whether visible or not
        corners = sum(sizes) + sum(sizes[node["mesh"]] for node in nodes if "mesh" in node)
    except InputError as error:
        raise InputError(f"{what} cannot be used: {error}") from None
    except Exception as error:  # a header that is anything but what it should be
        raise InputError(f"{what} has a header that cannot be read: {error!r}") from None
    refuse_too_many(numbers // 8, 0, what)  # places, normals and two more of each vertex
    refuse_too_many(0, max(corners // 3, len(meshes)), what)


def _numbers(accessor: dict[str, Any]) -> int:
    """How many numbers an array has, whether any is stored or not."""
    sparse = accessor.get("sparse", {}).get("count", 0)
    return (_whole(accessor["count"]) + _whole(sparse)) * COMPONENTS[accessor["type"]]


def _whole(count: Any) -> int:
    if not isinstance(count, int) or count < 0:
        raise InputError(f"a count of it must be a whole number >= 0, got {quote(count)}")
    return count


def _corners(header: dict[str, Any], mesh: dict[str, Any]) -> int:
    """Corners of the triangles of a mesh."""
    total = 0
    for primitive in mesh["primitives"]:
        accessor = primitive.get("indices", primitive["attributes"]["POSITION"])
        total += _whole(header["accessors"][accessor]["count"]) + 1
    return total


def _check_buffers(buffers: list[dict[str, Any]]) -> None:
    """All of them are read, each as a whole."""
    size = sum(_whole(buffer["byteLength"]) for buffer in buffers)
    if len(buffers) > MAX_BUFFERS or size > LARGEST_BUFFERS:
        raise InputError(
            f"it must have at most {MAX_BUFFERS} buffers of {LARGEST_BUFFERS:,} bytes in all, "
            f"got {len(buffers)} of {size:,}"
        )


def _check_places(nodes: list[dict[str, Any]]) -> None:
    """Where nodes are; one that is no number would be passed over later."""
    if len(nodes) > MAX_NODES:
        raise InputError(f"it must have at most {MAX_NODES:,} nodes, got {len(nodes):,}")
    for node in nodes:
        for key in ("matrix", "translation", "rotation", "scale"):
            if not all(abs(float(value)) <= LARGEST_NUMBER for value in node.get(key, ())):
                raise InputError(f"`{key}` of a node must be numbers up to {LARGEST_NUMBER:g}")


def _check_tree(children: list[list[int]]) -> None:
    """Every node hangs below at most one other, and none below itself (glTF 2.0, 3.5.2)."""
    below = [child for row in children for child in row]
    if len(set(below)) < len(below):
        raise InputError("a node of it hangs below two others")
    level = sorted(set(range(len(children))) - set(below))
    reached = 0
    for _ in range(DEEPEST_NODES):
        reached += len(level)
        level = [child for node in level for child in children[node]]
    if reached < len(children):
        raise InputError(f"its nodes are nested in a circle or deeper than {DEEPEST_NODES}")
