"""What a GLB file announces, looked at before its arrays are made."""

import json
import struct
from typing import Any

from dovetail.errors import InputError
from dovetail.model.mesh_files.raw import refuse_too_many

DEEPEST_NODES = 200
LARGEST_HEADER = 64 * 1024**2  # bytes of JSON


def check_announced(data: bytes, what: str) -> None:
    """Refuse a header whose few bytes ask for more memory than the limits, or for no end."""
    if len(data) < 20 or data[:4] != b"glTF":
        raise InputError(f"{what} is not a GLB file: it must begin with the letters glTF")
    (size,) = struct.unpack("<I", data[12:16])
    if size > min(LARGEST_HEADER, len(data)):
        raise InputError(f"{what} is cut short or its header is too large ({size:,} bytes)")
    try:
        header = json.loads(data[20 : 20 + size])
        counts = [accessor["count"] for accessor in header.get("accessors", [])]
        nodes = header.get("nodes", [])
        children = [list(node.get("children", [])) for node in nodes]
        _check_tree(children)
        corners = sum(_size(header, node) for node in nodes)
    except InputError as error:
        raise InputError(f"{what} cannot be used: {error}") from None
    except Exception as error:  # a header that is anything but what it should be
        raise InputError(f"{what} has a header that cannot be read: {error!r}") from None
    refuse_too_many(max(counts, default=0), 0, what)
    refuse_too_many(0, corners // 3, what)


def _size(header: dict[str, Any], node: dict[str, Any]) -> int:
    """Corners of the mesh a node shows."""
    if "mesh" not in node:
        return 0
    total = 0
    for primitive in header["meshes"][node["mesh"]]["primitives"]:
        accessor = primitive.get("indices", primitive["attributes"]["POSITION"])
        total += int(header["accessors"][accessor]["count"])
    return total


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
