"""Mesh files that attack: each function writes one, and a scene that uses it."""

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

SCENE = (
    "version: 1\nrun: {{duration: 0.01, step: 0.01}}\n"
    "bodies:\n- {{name: b, shape: {{mesh: {name}}}, density: 1000}}\n"
)
MILLION, BILLION = 10**6, 10**9


def _scene(folder: Path, name: str, content: bytes | str) -> str:
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (folder / "s.yaml").write_text(SCENE.format(name=name))
    return "s.yaml"


# STL


def _binary_stl(corners: Any, count: int | None = None) -> bytes:
    rows = np.zeros(len(corners), [("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")])
    rows["v"] = corners
    return bytes(80) + struct.pack("<I", len(rows) if count is None else count) + rows.tobytes()


def stl_of_degenerate_triangles(folder: Path) -> str:
    """A million triangles, each of three times the same corner, all corners different."""
    corners = np.random.default_rng(1).random((MILLION, 1, 3)).repeat(3, axis=1)
    return _scene(folder, "m.stl", _binary_stl(corners))


def stl_of_needles(folder: Path) -> str:
    """A million triangles without area, all along one line and over one another."""
    x = np.random.default_rng(1).random((MILLION, 3, 1))
    return _scene(folder, "m.stl", _binary_stl(np.concatenate([x, x, x], axis=2)))


def stl_of_one_triangle_a_million_times(folder: Path) -> str:
    return _scene(folder, "m.stl", _binary_stl(np.tile(np.eye(3), (MILLION, 1, 1))))


def stl_of_a_fan(folder: Path) -> str:
    """A million triangles that share one edge: every two of them touch."""
    corners = np.zeros((MILLION, 3, 3))
    corners[:, 1, 2] = 1
    angle = np.linspace(0, 6.28, MILLION)
    corners[:, 2] = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    return _scene(folder, "m.stl", _binary_stl(corners))


def stl_of_crossing_triangles(folder: Path) -> str:
    """Two hundred thousand long triangles through one place: every two of them cross."""
    corners = np.random.default_rng(1).normal(size=(200_000, 3, 3))
    return _scene(folder, "m.stl", _binary_stl(corners))


def stl_that_counts_to_four_billion(folder: Path) -> str:
    return _scene(folder, "m.stl", _binary_stl(np.eye(3)[None], 2**32 - 1))


def stl_of_no_numbers(folder: Path) -> str:
    return _scene(folder, "m.stl", _binary_stl(np.full((1000, 3, 3), np.nan)))


def stl_of_huge_numbers(folder: Path) -> str:
    corners = np.random.default_rng(1).normal(size=(1000, 3, 3)) * 3e38
    return _scene(folder, "m.stl", _binary_stl(corners.clip(-3e38, 3e38)))


def stl_text_of_many_words(folder: Path) -> str:
    return _scene(folder, "m.stl", b"solid\n" + b"vertex 0 0 0\n" * 6 * MILLION)


def stl_of_spaces(folder: Path) -> str:
    return _scene(folder, "m.stl", b"solid vertex" + b" " * 200 * MILLION)


def stl_of_letters(folder: Path) -> str:
    """Words of one letter: each takes thirty times its length once it is split off."""
    return _scene(folder, "m.stl", b"solid vertex" + b" a" * 60 * MILLION)


def stl_too_large(folder: Path) -> str:
    name = _scene(folder, "m.stl", b"solid")
    with (folder / "m.stl").open("r+b") as file:
        file.truncate(1 << 42)
    return name


def stl_of_a_hole(folder: Path) -> str:
    """As large as may be, all zeros."""
    name = _scene(folder, "m.stl", b"solid")
    with (folder / "m.stl").open("r+b") as file:
        file.truncate(255 << 20)
    return name


# OBJ


def obj_of_degenerate_triangles(folder: Path) -> str:
    return _scene(folder, "m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n" + "f 1 1 1\n" * MILLION)


def obj_of_one_face_a_million_times(folder: Path) -> str:
    return _scene(folder, "m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n" + "f 1 2 3\n" * MILLION)


def obj_of_vertex_a_billion(folder: Path) -> str:
    return _scene(folder, "m.obj", f"v 0 0 0\nv 1 0 0\nf 1 2 {BILLION}\n")


def obj_of_one_concave_polygon(folder: Path) -> str:
    """A comb of a hundred thousand teeth, as one face: ear after ear is looked for."""
    n = 100_000
    points = "".join(f"v {k} {k % 2} 0\n" for k in range(n)) + f"v {n} -5 0\nv 0 -5 0\n"
    return _scene(folder, "m.obj", points + "f " + " ".join(map(str, range(1, n + 3))) + "\n")


def obj_of_many_concave_polygons(folder: Path) -> str:
    n = 200
    points = "".join(f"v {k} {k % 2} 0\n" for k in range(n)) + f"v {n} -5 0\nv 0 -5 0\n"
    face = "f " + " ".join(map(str, range(1, n + 3))) + "\n"
    return _scene(folder, "m.obj", points + face * 20_000)


def obj_of_empty_lines(folder: Path) -> str:
    return _scene(folder, "m.obj", b"\n" * 200 * MILLION)


def obj_of_one_line(folder: Path) -> str:
    return _scene(folder, "m.obj", b"v 0 0 0\nf " + b"1 " * 60 * MILLION)


def obj_of_long_vertices(folder: Path) -> str:
    """The numbers after the third of a vertex are passed over; here there are many."""
    return _scene(folder, "m.obj", b"v 0 0 0" + b" 1" * 60 * MILLION)


def obj_of_polylines(folder: Path) -> str:
    return _scene(folder, "m.obj", b"v 0 0 0\nv 1 0 0\n" + b"l 1 2\n" * 3 * MILLION)


def obj_of_long_polylines(folder: Path) -> str:
    line = b"l " + b"1 2 " * 100_000 + b"\n"
    return _scene(folder, "m.obj", b"v 0 0 0\nv 1 0 0\n" + line * 100)


def obj_that_goes_on(folder: Path) -> str:
    return _scene(folder, "m.obj", b"\\\n" * 60 * MILLION)


def obj_of_no_numbers(folder: Path) -> str:
    return _scene(folder, "m.obj", "v nan nan nan\nv inf 0 0\nv -inf 1e999 0\nf 1 2 3\n")


def obj_of_slashes(folder: Path) -> str:
    return _scene(folder, "m.obj", b"v 0 0 0\n" + b"f " + b"/" * 900_000 + b"\n")


# PLY


def _ply(folder: Path, kind: str, header: str, data: bytes = b"") -> str:
    text = f"ply\nformat {kind} 1.0\n{header}end_header\n"
    return _scene(folder, "m.ply", text.encode() + data)


XYZ = "property float x\nproperty float y\nproperty float z\n"


def ply_of_a_billion_vertices(folder: Path) -> str:
    return _ply(folder, "binary_little_endian", f"element vertex {BILLION}\n{XYZ}", bytes(120))


def ply_of_a_billion_vertices_in_text(folder: Path) -> str:
    return _ply(folder, "ascii", f"element vertex {BILLION}\n{XYZ}", b"0 0 0\n")


def ply_of_a_billion_corners(folder: Path) -> str:
    header = f"element vertex 3\n{XYZ}element face 1\nproperty list uint int vertex_indices\n"
    data = np.eye(3, dtype="<f4").tobytes() + struct.pack("<Iiii", BILLION, 0, 1, 2)
    return _ply(folder, "binary_little_endian", header, data)


def ply_of_nothing_a_billion_times(folder: Path) -> str:
    """Elements without properties take no bytes, however many there are."""
    header = f"element nothing {BILLION}\nelement vertex 1\n{XYZ}"
    return _ply(folder, "binary_little_endian", header, bytes(12))


def ply_of_empty_lists(folder: Path) -> str:
    header = f"element vertex 3\n{XYZ}element face 20000000\nproperty list uchar int v\n"
    return _ply(folder, "binary_little_endian", header, bytes(20_000_036))


def ply_of_a_million_properties(folder: Path) -> str:
    names = "".join(f"property float p{k}\n" for k in range(MILLION))
    return _ply(folder, "ascii", f"element vertex 1\n{names}", b"0 " * MILLION)


def ply_of_a_million_elements(folder: Path) -> str:
    header = "".join(f"element e{k} 0\nproperty float x\n" for k in range(300_000))
    return _ply(folder, "binary_little_endian", header)


def ply_without_an_end(folder: Path) -> str:
    return _scene(folder, "m.ply", b"ply\nformat ascii 1.0\n" + b"comment x\n" * 15 * MILLION)


def ply_of_degenerate_triangles(folder: Path) -> str:
    header = f"element vertex 3\n{XYZ}element face {MILLION}\n"
    header += "property list uchar int vertex_indices\n"
    rows = np.zeros(MILLION, [("n", "u1"), ("v", "<i4", 3)])
    rows["n"] = 3
    data = np.eye(3, dtype="<f4").tobytes() + rows.tobytes()
    return _ply(folder, "binary_little_endian", header, data)


def ply_of_lists_of_many_lengths(folder: Path) -> str:
    header = f"element vertex 3\n{XYZ}element face 200000\nproperty list uchar int v\n"
    rows = b"".join(bytes([3 + k % 5]) + bytes(4 * (3 + k % 5)) for k in range(200_000))
    return _ply(folder, "binary_little_endian", header, np.eye(3, dtype="<f4").tobytes() + rows)


def ply_with_a_picture_elsewhere(folder: Path) -> str:
    header = f"comment TextureFile ../../../../etc/passwd\nelement vertex 3\n{XYZ}"
    return _ply(folder, "ascii", header, b"0 0 0\n1 0 0\n0 nan 0\n")


def off_of_a_billion_vertices(folder: Path) -> str:
    return _scene(folder, "m.off", f"OFF\n{BILLION} {BILLION} 0\n0 0 0\n")


def off_of_a_billion_corners(folder: Path) -> str:
    return _scene(folder, "m.off", f"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n{BILLION} 0 1 2\n")


# GLB


def _glb(folder: Path, header: Any, binary: bytes = b"") -> str:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text
    if binary:
        body += struct.pack("<II", len(binary), 0x004E4942) + binary
    return _scene(folder, "m.glb", b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body)


def _triangle(**more: Any) -> dict[str, Any]:
    return {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"byteLength": 36}],
    } | more


CORNERS = np.eye(3, dtype="<f4").tobytes()


def _accessor(count: int, **more: Any) -> dict[str, Any]:
    return {"componentType": 5126, "count": count, "type": "VEC3"} | more


def glb_of_a_billion_corners(folder: Path) -> str:
    return _glb(folder, _triangle(accessors=[_accessor(BILLION, bufferView=0)]), CORNERS)


def glb_of_many_accessors_without_data(folder: Path) -> str:
    """Each means zeros, just below the limit of one, and nothing is stored of them."""
    return _glb(folder, _triangle(accessors=[_accessor(4 * MILLION)] * 1000), CORNERS)


def glb_of_matrices_without_data(folder: Path) -> str:
    return _glb(folder, _triangle(accessors=[_accessor(4 * MILLION, type="MAT4")]), CORNERS)


def glb_of_one_mesh_many_times(folder: Path) -> str:
    nodes = [{"children": list(range(1, 100_001))}] + [{"mesh": 0}] * 100_000
    return _glb(folder, _triangle(nodes=nodes), CORNERS)


def glb_of_one_accessor_in_many_meshes(folder: Path) -> str:
    """Meshes no node shows are made all the same."""
    n = 100_000
    meshes = [{"primitives": [{"attributes": {"POSITION": 0}}] * 1000}]
    header = _triangle(
        meshes=meshes * 100, accessors=[_accessor(n, bufferView=0)],
        bufferViews=[{"buffer": 0, "byteLength": 12 * n}], buffers=[{"byteLength": 12 * n}],
    )  # fmt: skip
    return _glb(folder, header, bytes(12 * n))


def glb_of_sparse_accessors(folder: Path) -> str:
    sparse = {
        "count": BILLION,
        "indices": {"bufferView": 0, "componentType": 5125},
        "values": {"bufferView": 0},
    }
    return _glb(folder, _triangle(accessors=[_accessor(3, sparse=sparse)]), CORNERS)


def glb_of_packed_corners(folder: Path) -> str:
    primitive = {
        "attributes": {"POSITION": 0},
        "extensions": {
            "KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {"POSITION": 0}}
        },
    }
    header = _triangle(
        meshes=[{"primitives": [primitive]}], extensionsUsed=["KHR_draco_mesh_compression"],
        extensionsRequired=["KHR_draco_mesh_compression"],
    )  # fmt: skip
    return _glb(folder, header, bytes(36))


def glb_of_deep_json(folder: Path) -> str:
    return _glb(folder, b"[" * 20_000_000)


def glb_of_a_chain_of_nodes(folder: Path) -> str:
    nodes = [{"children": [k + 1]} for k in range(100_000)] + [{"mesh": 0}]
    return _glb(folder, _triangle(nodes=nodes), CORNERS)


def glb_of_many_scenes(folder: Path) -> str:
    return _glb(folder, _triangle(scenes=[{"nodes": [0] * 1000}] * 1000), CORNERS)


def glb_that_counts_to_four_billion(folder: Path) -> str:
    name = _glb(folder, _triangle(), CORNERS)
    data = bytearray((folder / "m.glb").read_bytes())
    data[8:16] = struct.pack("<II", 2**32 - 1, 2**32 - 1)
    (folder / "m.glb").write_bytes(data)
    return name


def glb_with_a_buffer_above(folder: Path) -> str:
    return _glb(folder, _triangle(buffers=[{"uri": "../../../../etc/passwd", "byteLength": 36}]))


def glb_with_a_buffer_from_the_net(folder: Path) -> str:
    return _glb(folder, _triangle(buffers=[{"uri": "http://127.0.0.1:9/b", "byteLength": 36}]))


def glb_with_a_buffer_that_is_a_pipe(folder: Path) -> str:
    import os

    os.mkfifo(folder / "b.bin")
    return _glb(folder, _triangle(buffers=[{"uri": "b.bin", "byteLength": 36}]))


def glb_with_many_buffers_of_one_file(folder: Path) -> str:
    """A file of a hole, read again for each buffer."""
    with (folder / "b.bin").open("wb") as file:
        file.truncate(200 << 20)
    buffers = [{"uri": "b.bin", "byteLength": 200 << 20}] * 1000
    return _glb(folder, _triangle(buffers=buffers))


def glb_of_no_numbers(folder: Path) -> str:
    return _glb(folder, _triangle(), np.full((3, 3), np.nan, "<f4").tobytes())


def glb_with_its_buffer_in_the_text(folder: Path) -> str:
    data = "data:application/octet-stream;base64," + base64.b64encode(bytes(40_000_000)).decode()
    return _glb(folder, _triangle(buffers=[{"uri": data, "byteLength": 40_000_000}]))


def glb_that_moves_to_nowhere(folder: Path) -> str:
    node = {"mesh": 0, "matrix": [1e308] * 16}
    return _glb(folder, _triangle(nodes=[node]), CORNERS)
