"""Mesh files: what is in them arrives, what is wrong with them is said."""

import json
import struct

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dovetail.model import Mesh
from dovetail.model.mesh_files import raw, reading
from random_solids import TETRAHEDRON, TETRAHEDRON_FACES, bumpy_ball


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def only_mistake(path, **options):
    mistakes = Mesh(path, **options).mistakes()
    assert len(mistakes) == 1, mistakes
    return mistakes[0]


@pytest.mark.parametrize("suffix", ["stl", "stl_ascii", "obj", "ply", "glb", "off"])
def test_every_format_gives_the_same_solid(tmp_path, suffix):
    trimesh = pytest.importorskip("trimesh")
    vertices, faces = bumpy_ball(np.random.default_rng(3))
    vertices = vertices.astype(np.float32).astype(float)
    expected = Mesh(vertices, faces).mass_properties()
    path = tmp_path / f"ball.{suffix.removesuffix('_ascii')}"
    trimesh.Trimesh(vertices, faces, process=False).export(path, file_type=suffix)
    mesh = Mesh(path, scale=2)
    assert mesh.mistakes() == []
    assert mesh.diagnosis.findings() == []
    assert mesh.diagnosis.n_vertices == len(vertices)
    found = mesh.mass_properties()
    # text formats of the writer carry eight digits
    assert found.measure == pytest.approx(8 * expected.measure, rel=1e-7)
    assert found.inertia == pytest.approx(32 * expected.inertia, rel=1e-6, abs=1e-6)


def test_stl_corners_are_joined_exactly_and_minus_zero_is_zero(tmp_path):
    corners = TETRAHEDRON[TETRAHEDRON_FACES].astype("<f4")
    corners[corners == 0] = -0.0
    corners[0][corners[0] == 0] = 0.0
    record = np.zeros(4, dtype=[("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")])
    record["v"] = corners
    header = b"solid looks like text".ljust(80)
    path = write(tmp_path, "t.stl", header + struct.pack("<I", 4) + record.tobytes())
    assert Mesh(path).diagnosis.n_vertices == 4
    assert Mesh(path).mass_properties().measure == pytest.approx(1 / 6, rel=1e-14)


def test_obj_polylines_are_wires_and_unused_vertices_points(tmp_path):
    mesh = Mesh(write(tmp_path, "w.obj", "v 0 0 0\nv 3 0 0\nv 3 4 0\nv 9 9 9\nl 1 2 3\n"))
    assert mesh.surface().edges.tolist() == [[0, 1], [1, 2]]
    assert mesh.surface().points.tolist() == [3]
    assert mesh.mass_properties().dimension == 1
    assert mesh.mass_properties().measure == 7.0


def test_obj_of_vertices_only_is_a_cloud(tmp_path):
    mesh = Mesh(write(tmp_path, "c.obj", "v 0 0 0\nv 1 0 0 1.0\nv 0 1 0 0.5 0.5 0.5\n"))
    assert mesh.mass_properties().dimension == 0
    assert mesh.surface().vertices.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0]]


def test_obj_dialects_say_the_same(tmp_path):
    plain = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
    odd = (
        "# a comment\r\nmtllib x.mtl\r\no part\r\ns off\r\n"
        "v  0 0 0 # the corner\r\nv\t1 0 0\r\nv 0 \\\r\n 1 0\r\nv 0 0 1e0\r\nvt 0 0\r\nvn 0 0 1\r\n"
        "f 1/1/1 3//1 2/1\r\nf 1 2 4\r\nf -3 -2 -1\r\n  f 1 4 3\r\n"
    )
    one, other = (Mesh(write(tmp_path, f"{k}.obj", t)) for k, t in enumerate((plain, odd)))
    assert other.mistakes() == []
    assert np.array_equal(one.surface().faces, other.surface().faces)
    assert np.array_equal(one.surface().vertices, other.surface().vertices)


def test_concave_polygon_is_cut_inside_its_outline(tmp_path):
    """An arrow head: the fan from its first corner would leave the outline."""
    outline = [(0, 0), (2, -1), (1.0, 0), (2, 1)]
    for start in range(4):
        turned = outline[start:] + outline[:start]
        text = "".join(f"v {x} {y} 0\n" for x, y in turned) + "f 1 2 3 4\n"
        mesh = Mesh(write(tmp_path, f"arrow{start}.obj", text))
        surface = mesh.surface()
        a, b, c = (surface.vertices[surface.faces[:, k]] for k in range(3))
        areas = np.cross(b - a, c - a)[:, 2] / 2
        assert np.all(areas > 0) or np.all(areas < 0)
        assert np.abs(areas).sum() == pytest.approx(1.0)


def test_concave_ring_of_many_corners_keeps_its_area(tmp_path):
    n = 30
    angles = 2 * np.pi * np.arange(n) / n
    radii = np.where(np.arange(n) % 2, 0.4, 1.0)
    star = np.column_stack([radii * np.cos(angles), radii * np.sin(angles)])
    text = "".join(f"v {x!r} 0 {y!r}\n" for x, y in star.tolist())
    mesh = Mesh(write(tmp_path, "star.obj", text + "f " + " ".join(map(str, range(1, n + 1)))))
    expected = n / 2 * 1.0 * 0.4 * np.sin(2 * np.pi / n)
    assert len(mesh.surface().faces) == n - 2
    assert mesh.mass_properties().measure == pytest.approx(expected, rel=1e-12)


def test_obj_split_at_seams_is_welded_where_that_closes_it(tmp_path):
    lines = [f"v {x} {y} {z}" for face in TETRAHEDRON_FACES for x, y, z in TETRAHEDRON[face]]
    lines += [f"f {3 * i + 1} {3 * i + 2} {3 * i + 3}" for i in range(4)]
    mesh = Mesh(write(tmp_path, "split.obj", "\n".join(lines)))
    assert mesh.diagnosis.closed and mesh.diagnosis.welded
    assert mesh.diagnosis.n_vertices == 4


def test_glb_scene_is_flattened_with_its_transforms(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    scene = trimesh.Scene()
    part = trimesh.creation.box((1, 1, 1))
    for name, x in (("a", 0.0), ("b", 10.0)):
        scene.add_geometry(
            part, node_name=name, transform=trimesh.transformations.translation_matrix([x, 0, 0])
        )
    scene.export(tmp_path / "two.glb")
    mesh = Mesh(tmp_path / "two.glb")
    assert mesh.mistakes() == []
    found = mesh.mass_properties()
    assert found.measure == pytest.approx(2.0)
    assert found.centre == pytest.approx([5.0, 0, 0])
    assert mesh.diagnosis.components == 2


def glb(header, binary=b""):
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text
    if binary:
        body += struct.pack("<II", len(binary), 0x004E4942) + binary
    return b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body


def triangle_header(uri, count=3):
    return {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": count, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 12 * count}],
        "buffers": [{"uri": uri, "byteLength": 12 * count}],
    }


def test_glb_reads_buffers_beside_it_but_never_outside_its_folder(tmp_path):
    inside = tmp_path / "folder"
    inside.mkdir()
    numbers = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype="<f4").tobytes()
    write(tmp_path, "secret.bin", numbers)
    write(inside, "own.bin", numbers)
    own = Mesh(write(inside, "own.glb", glb(triangle_header("own.bin"))))
    assert own.mistakes() == []
    assert own.mass_properties().measure == pytest.approx(0.5)
    for k, uri in enumerate(["../secret.bin", str(tmp_path / "secret.bin"), "missing.bin"]):
        sentence = only_mistake(write(inside, f"{k}.glb", glb(triangle_header(uri))))
        assert "outside its folder" in sentence or "not there" in sentence
    (inside / "link.bin").symlink_to(tmp_path / "secret.bin")
    sentence = only_mistake(write(inside, "link.glb", glb(triangle_header("link.bin"))))
    assert "outside its folder" in sentence


def test_glb_that_asks_for_endless_memory_is_refused_by_its_header(tmp_path):
    huge = triangle_header("own.bin", count=10**12)
    assert "at most 64 buffers of" in only_mistake(write(tmp_path, "huge.glb", glb(huge)))
    huge["buffers"] = [{"byteLength": 36}]
    assert "at most 5,000,000" in only_mistake(write(tmp_path, "huge.glb", glb(huge)))
    circle = triangle_header("own.bin") | {"nodes": [{"children": [1]}, {"children": [0]}]}
    assert "circle" in only_mistake(write(tmp_path, "circle.glb", glb(circle)))
    shared = {"nodes": [{"children": [1, 2]}, {"children": [3]}, {"children": [3]}, {"mesh": 0}]}
    sentence = only_mistake(write(tmp_path, "s.glb", glb(triangle_header("own.bin") | shared)))
    assert "below two others" in sentence


@pytest.mark.parametrize(
    ("name", "content", "part"),
    [
        (
            "a.obj",
            "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n",
            "names vertex 4, it must be between 1 and 3",
        ),
        ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", "names vertex 0"),
        ("a.obj", "v 0 0 0\nf 1 1\n", "line 2 must name at least 3"),
        ("a.obj", "v 0 0 0\nf 0 1 1\n", "names vertex 0"),
        ("a.obj", "v 0 0 0\nv 1 zwei 0\n", "vertex 2 must be three numbers"),
        ("a.obj", "v 0 0\n", "vertex 1 must be three numbers"),
        ("a.obj", "v 0 0 nan\n", "must be finite"),
        ("a.obj", "", "at least one vertex"),
        ("a.obj", bytes(range(256)) * 40, "is not an OBJ file"),
        ("a.obj", "v 0 0 0\nf 99999999999999999999999 1 1\n", "must name at least 3"),
        ("a.stl", "", "is not an STL file"),
        ("a.stl", bytes(100), "is not an STL file"),
        ("a.stl", "solid x\nvertex 0 0 0\n", "three `vertex` lines"),
        ("a.stl", "solid\n" + "vertex a b c\n" * 3, "not three numbers"),
        ("a.stl", bytes(84), "at least one vertex"),
        ("a.ply", "", "is not a usable PLY file"),
        ("a.ply", bytes(range(256)), "is not a usable PLY file"),
        ("a.off", "OFF 3 1 0\n0 0 0\n", "is not a usable OFF file"),
        ("a.glb", b"glTF", "must begin with"),
        ("a.glb", b"glTF" + bytes(60), "header that cannot be read"),
        ("a.txt", "v 0 0 0", "must end in one of .stl"),
        ("a", "v 0 0 0", "must end in one of .stl"),
    ],
)
def test_unusable_file_is_explained_in_one_sentence(tmp_path, name, content, part):
    sentence = only_mistake(write(tmp_path, name, content))
    assert part in sentence
    assert "\n" not in sentence


def test_missing_file_and_folder_are_said(tmp_path):
    assert "existing file" in only_mistake(tmp_path / "nowhere.stl")
    (tmp_path / "folder.stl").mkdir()
    assert "is a folder" in only_mistake(tmp_path / "folder.stl")
    assert "cannot be read" in only_mistake("a\0b.stl")


def test_large_files_and_meshes_are_refused(tmp_path, monkeypatch):
    path = write(tmp_path, "a.obj", "v 0 0 0\n" * 50)
    monkeypatch.setattr(raw, "MAX_VERTICES", 49)
    assert "at most 49 vertices" in only_mistake(path)
    monkeypatch.setattr(reading, "LARGEST_FILE", 399)
    assert "at most 399 bytes" in only_mistake(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.sampled_from(reading.SUFFIXES), st.binary(max_size=300))
def test_random_bytes_never_raise(tmp_path, suffix, content):
    starts = {".glb": b"glTF", ".ply": b"ply\nformat ascii 1.0\n", ".off": b"OFF\n"}
    for head in (b"", starts.get(suffix, b"")):
        mesh = Mesh(write(tmp_path, f"junk{suffix}", head + content))
        mesh.mistakes()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["v", "f", "l", "vt", "#"]), st.text("0123 -./e\\\n"))))
def test_random_obj_lines_never_raise(tmp_path, lines):
    text = "\n".join(f"{key} {rest}" for key, rest in lines)
    mesh = Mesh(write(tmp_path, "junk.obj", text))
    if not mesh.mistakes():
        assert np.all(np.isfinite(mesh.mass_properties().inertia))


def test_file_is_read_once(tmp_path):
    path = write(tmp_path, "once.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n")
    mesh = Mesh(path)
    assert mesh.mistakes() == []
    path.unlink()
    assert mesh.mass_properties().measure == 1.0
    assert mesh.surface() is mesh.surface()
