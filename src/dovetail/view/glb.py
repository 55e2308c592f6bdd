"""A result as an animated binary glTF 2.0 file (.glb), for Blender, three.js and the like.

One node a body, moved by a translation and a rotation track; bodies with the same surface share
its vertices. glTF is y-up: a root node turns the world so that "up" (against gravity) is y.
Format: Khronos glTF 2.0 specification, sections 3.6 (binary data), 3.11 (animations), 4.4 (GLB).
"""

import json
import struct
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.model.values import Array
from dovetail.results import Result
from dovetail.results.blocks import body_groups, poses_of_bodies
from dovetail.view.appearance import body_colours, up_direction
from dovetail.view.quaternion_tracks import shortest_turn, steady_quaternions

FLOAT, UNSIGNED_INT = 5126, 5125
ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER = 34962, 34963
POINTS, LINES, TRIANGLES = 0, 1, 4
ACCESSOR_TYPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}
LARGEST_FILE = 2**32 - 1  # the length field of a GLB has 32 bits


class _Buffer:
    """The binary chunk, in a file, with the views and accessors into it."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.size = file, 0
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def add(
        self, array: NDArray[Any], component: int, target: int | None = None, bounds: bool = False
    ) -> int:
        """Append an array and return its accessor's number."""
        raw = array.tobytes()
        view = {"buffer": 0, "byteOffset": self.size, "byteLength": len(raw)}
        if target is not None:
            view["target"] = target
        self.size += self.file.write(raw + b"\0" * (-len(raw) % 4))
        if self.size > LARGEST_FILE:
            raise InputError(
                f"the animation needs more than {self.size / 2**30:.1f} GB, a .glb holds at most "
                "4 GB; record fewer frames (--every)"
            )
        self.views.append(view)
        width = 1 if array.ndim == 1 else array.shape[1]
        accessor: dict[str, Any] = {
            "bufferView": len(self.views) - 1,
            "componentType": component,
            "count": len(array),
            "type": ACCESSOR_TYPES[width],
        }
        if bounds:
            flat = array.reshape(len(array), width)
            accessor["min"] = flat.min(axis=0).tolist()
            accessor["max"] = flat.max(axis=0).tolist()
        self.accessors.append(accessor)
        return len(self.accessors) - 1


def write_glb(result: Result, path: str | PathLike[str], every: int = 1) -> None:
    """Write one animated .glb with every `every`-th frame."""
    with TemporaryFile(dir=Path(path).parent) as data:
        buffer = _Buffer(data)
        document = _document(result, buffer, every)
        _write_packed(document, buffer, Path(path))


def _document(result: Result, buffer: _Buffer, every: int) -> dict[str, Any]:
    """The JSON part; the binary part goes to the buffer."""
    colours = body_colours(result)
    palette = list(dict.fromkeys(colours))
    geometry: dict[bytes, dict[str, Any]] = {}
    meshes: list[dict[str, Any]] = []
    nodes: list[dict[str, Any]] = [{"name": "world", "rotation": _to_y_up(result)}]
    for name, colour in zip(result.names, colours):
        node: dict[str, Any] = {"name": name}
        number = len(nodes) - 1
        node["translation"] = result.stored.column("position")[0, number].tolist()
        start = np.array(result.stored.column("rotation")[:1, number])
        node["rotation"] = steady_quaternions(start)[0].tolist()
        primitive = _primitive(result, name, buffer, geometry)
        if primitive is not None:
            meshes.append(
                {"name": name, "primitives": [primitive | {"material": palette.index(colour)}]}
            )
            node["mesh"] = len(meshes) - 1
        nodes.append(node)
    nodes[0]["children"] = list(range(1, len(nodes)))
    if len(nodes) == 1:
        del nodes[0]["children"]
    document: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": "dovetail"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": nodes,
        "materials": [_material(colour) for colour in palette],
    }
    if meshes:
        document["meshes"] = meshes
    animation = _animation(result, buffer, every)
    if animation["channels"]:
        document["animations"] = [animation]
    if not meshes:
        del document["materials"]
    if buffer.size:
        document["buffers"] = [{"byteLength": buffer.size}]
        document["bufferViews"] = buffer.views
        document["accessors"] = buffer.accessors
    return document


def _primitive(
    result: Result, name: str, buffer: _Buffer, known: dict[bytes, dict[str, Any]]
) -> dict[str, Any] | None:
    """Triangles of a body, or its lines, or its points; None for a body without a surface."""
    body = result.scene.bodies[name]
    if len(body.vertices) == 0:
        return None
    key = body.vertices.tobytes() + body.faces.tobytes() + body.edges.tobytes()
    if key not in known:
        position = buffer.add(body.vertices.astype("<f4"), FLOAT, ARRAY_BUFFER, bounds=True)
        primitive: dict[str, Any] = {"attributes": {"POSITION": position}}
        corners: NDArray[Any]
        if len(body.faces):
            primitive["mode"], corners = TRIANGLES, body.faces
        elif len(body.edges):
            primitive["mode"], corners = LINES, body.edges
        else:
            primitive["mode"], corners = POINTS, np.arange(len(body.vertices))
        indices = corners.astype("<u4").ravel()
        primitive["indices"] = buffer.add(indices, UNSIGNED_INT, ELEMENT_ARRAY_BUFFER)
        known[key] = primitive
    return known[key]


def _animation(result: Result, buffer: _Buffer, every: int) -> dict[str, Any]:
    """Translation and rotation tracks of every body that moves."""
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []
    animation = {"name": "motion", "samplers": samplers, "channels": channels}
    motion = result.motion_path
    times = (motion.time - motion.time[0]).astype("<f4")
    keep = np.concatenate([[True], np.diff(times) > 0])  # times must increase in float32
    if every > 1:  # some frames only, and no waypoints
        frame = np.cumsum(motion.is_frame) - 1
        keep &= motion.is_frame & (frame % every == 0)
    if keep.sum() < 2:
        return animation
    moving = [n for n in result.names if result.scene.bodies[n].motion != "static"]
    if not moving:
        return animation
    clock = -1
    for number, x, R in _paths(result, [list(result.names).index(name) for name in moving]):
        target = 1 + number
        tracks = {"translation": x[keep], "rotation": steady_quaternions(R[keep])}
        for path, values in tracks.items():
            if np.ptp(values, axis=0).max() == 0:
                continue
            if clock < 0:  # all tracks share it
                clock = buffer.add(times[keep], FLOAT, bounds=True)
            output = buffer.add(np.ascontiguousarray(values, dtype="<f4"), FLOAT)
            channels.append({"sampler": len(samplers), "target": {"node": target, "path": path}})
            samplers.append({"input": clock, "output": output, "interpolation": "LINEAR"})
    return animation


def _paths(result: Result, numbers: list[int]) -> Iterator[tuple[int, Array, Array]]:
    """Number, x (stops, 3) and R (stops, 3, 3) of bodies, some of them in memory at a time."""
    for group in body_groups(result.stored, numbers):
        x, R = poses_of_bodies(result.stored, group)
        for k, number in enumerate(group):
            path = result.motion_path.through_waypoints(number, x[:, k], R[:, k])
            yield number, path[0], path[1]


def _to_y_up(result: Result) -> list[float]:
    """The shortest turn that takes "up" to +y, as a quaternion (x, y, z, w)."""
    return [float(v) for v in shortest_turn(up_direction(result), np.array([0.0, 1.0, 0.0]))]


def _material(colour: tuple[float, float, float]) -> dict[str, Any]:
    linear = [round(((c + 0.055) / 1.055) ** 2.4, 6) for c in colour]  # sRGB to linear
    return {
        "pbrMetallicRoughness": {
            "baseColorFactor": [*linear, 1.0], "metallicFactor": 0.1, "roughnessFactor": 0.7,
        },
        "doubleSided": True,
    }  # fmt: skip


def _write_packed(document: dict[str, Any], buffer: _Buffer, path: Path) -> None:
    """Header, JSON chunk, binary chunk (GLB, section 4.4)."""
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 4)
    length = 12 + 8 + len(text) + (8 + buffer.size if buffer.size else 0)
    if length > LARGEST_FILE:
        raise InputError(
            f"the animation needs {length / 2**30:.1f} GB, a .glb holds at most 4 GB; "
            "record fewer frames (--every)"
        )
    with path.open("wb") as file:
        file.write(struct.pack("<III", 0x46546C67, 2, length))
        file.write(struct.pack("<II", len(text), 0x4E4F534A) + text)
        if buffer.size:
            file.write(struct.pack("<II", buffer.size, 0x004E4942))
            buffer.file.seek(0)
            copyfileobj(buffer.file, file, 1 << 20)
