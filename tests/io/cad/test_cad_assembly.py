"""Assemblies from STEP, 3MF, folders of meshes and objects of CAD libraries."""

import json
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

import dovetail as dt
from dovetail.io.cad.assembly import read_parts, scene_of_parts
from dovetail.io.cad.gltf import nodes_of
from dovetail.io.cad.objects import parts_of_objects
from dovetail.io.cad.parts import unique_names

STEP = Path(__file__).parent / "pin_in_block.step"  # written by Open CASCADE, in millimetres
CUBE = dt.Box((1, 1, 1)).surface()


def test_a_step_assembly_has_its_names_places_units_and_volumes():
    pytest.importorskip("cascadio")
    block, pin = read_parts(STEP)
    assert (block.name, pin.name) == ("block", "pin")
    scene = scene_of_parts([block, pin], {"pin"})
    hole = np.pi * 5.02e-3**2 * 0.01
    assert scene.bodies["block"].mass == pytest.approx(1000 * (0.02**2 * 0.01 - hole), rel=2e-3)
    assert scene.bodies["pin"].mass == pytest.approx(1000 * np.pi * 0.005**2 * 0.02, rel=2e-3)
    assert scene.bodies["pin"].position == pytest.approx((0.03, 0, 0.005), abs=1e-8)
    radii = {round(face.radius, 9) for part in (block, pin) for face in part.round_faces}
    assert radii == {0.005, 0.00502}


def test_the_triangles_of_a_step_file_are_within_their_deviation_and_can_be_refined():
    pytest.importorskip("cascadio")
    _, pin = read_parts(STEP, tolerance=5e-5)
    for shape in (pin.shape, pin.shape.refined(4)):
        surface = shape.surface()
        a, b, c = (surface.vertices[surface.faces[:, k]] for k in range(3))
        side = np.abs(np.cross(b - a, c - a)[:, 2]) < 1e-12
        middles = np.concatenate([(a + b)[side] / 2, (b + c)[side] / 2, (c + a)[side] / 2])
        sagitta = 0.005 - np.hypot(middles[:, 0], middles[:, 1])
        assert 0 < sagitta.max() <= shape.deviation
    assert pin.shape.refined(4).deviation < pin.shape.deviation / 8


def test_curves_beside_a_solid_are_no_part():
    """A node of lines only, as of the datums of some CAD programs, next to one triangle."""
    corners = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0)], np.float32).tobytes()
    binary = corners + np.array([0, 1, 2], np.uint32).tobytes()
    row = {"attributes": {"POSITION": 0}, "indices": 1}
    document = json.dumps({
        "scenes": [{"nodes": [0, 1]}],
        "nodes": [{"mesh": 0, "name": "datum"}, {"mesh": 1, "name": "plate"}],
        "meshes": [{"primitives": [{**row, "mode": 1}]}, {"primitives": [row]}],
        "bufferViews": [{"byteOffset": 0}, {"byteOffset": len(corners)}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3},
            {"bufferView": 1, "componentType": 5125, "type": "SCALAR", "count": 3},
        ],
    }).encode()  # fmt: skip
    head = struct.pack("<4sII", b"glTF", 2, 20 + len(document) + 8 + len(binary))
    data = head + struct.pack("<I4s", len(document), b"JSON") + document
    data += struct.pack("<I4s", len(binary), b"BIN\0") + binary
    (node,) = nodes_of(data, "plate.glb")
    assert node.name == "plate" and node.triangles.tolist() == [[0, 1, 2]]


def three_mf(path, unit="millimeter", transform="1 0 0 0 1 0 0 0 1 10 0 0"):
    vertices = "".join(f'<vertex x="{x}" y="{y}" z="{z}"/>' for x, y, z in CUBE.vertices)
    rows = "".join(f'<triangle v1="{a}" v2="{b}" v3="{c}"/>' for a, b, c in CUBE.faces)
    text = (
        '<?xml version="1.0"?><model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/'
        f'2015/02" unit="{unit}"><resources><object id="1" name="cube" type="model"><mesh>'
        f"<vertices>{vertices}</vertices><triangles>{rows}</triangles></mesh></object>"
        '<object id="2" name="pair"><components><component objectid="1"/>'
        f'<component objectid="1" transform="{transform}"/></components></object></resources>'
        '<build><item objectid="2" transform="0 1 0 -1 0 0 0 0 1 0 0 5"/></build></model>'
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("3D/3dmodel.model", text)


def test_components_of_a_3mf_file_are_parts_in_their_places(tmp_path):
    three_mf(tmp_path / "two.3mf")
    first, second = read_parts(tmp_path / "two.3mf")
    assert (first.name, second.name) == ("cube", "cube_2")
    assert first.position == pytest.approx((0, 0, 5e-3))
    assert second.position == pytest.approx((0, 10e-3, 5e-3))  # x of the pair is y of the build
    assert second.rotation @ (1, 0, 0) == pytest.approx((0, 1, 0))
    assert first.shape.mass_properties().measure == pytest.approx(1e-9)


def test_a_folder_of_meshes_is_an_assembly(tmp_path):
    for name in ("base", "arm"):
        lines = [f"v {x} {y} {z}" for x, y, z in CUBE.vertices]
        lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in CUBE.faces]
        (tmp_path / f"{name}.obj").write_text("\n".join(lines))
    arm, base = read_parts(tmp_path, unit="cm")
    assert (arm.name, base.name) == ("arm", "base")
    assert base.shape.mass_properties().measure == pytest.approx(1e-6)


class Solid:
    """As in build123d: vectors with X, Y, Z."""

    class Vector:
        def __init__(self, row):
            self.X, self.Y, self.Z = row

    def tessellate(self, tolerance):
        return [self.Vector(row) for row in CUBE.vertices], [tuple(row) for row in CUBE.faces]


class Workplane:
    """As in CadQuery: the solid is the value of a workplane."""

    def val(self):
        return Solid()


def test_objects_of_cad_libraries_are_parts():
    a, b = parts_of_objects({"a": Solid(), "b": Workplane()}, unit="mm", tolerance=1e-6)
    assert (a.name, b.name) == ("a", "b")
    assert b.shape.mass_properties().measure == pytest.approx(1e-9)
    assert a.shape.deviation == 1e-6 and a.shape.refined(4).deviation == 1e-6 / 16


def test_names_are_made_unique():
    assert unique_names(["pin", "pin", "ground", "", "pin"]) == [
        "pin", "pin_2", "ground_2", "part", "pin_3",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.step", b"no step", "must be a STEP file"),
        ("a.step", b"ISO-10303-21; but broken", "could not be read as STEP|no solid|no usable"),
        ("a.3mf", b"no zip", "could not be read as 3MF"),
    ],
)
def test_files_that_are_not_what_they_say_get_a_sentence(tmp_path, name, content, sentence):
    pytest.importorskip("cascadio")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(dt.InputError, match=sentence):
        read_parts(tmp_path / name)


def test_wrong_3mf_content_and_empty_folders_get_a_sentence(tmp_path):
    three_mf(tmp_path / "unit.3mf", unit="furlong")
    three_mf(tmp_path / "mirror.3mf", transform="-1 0 0 0 1 0 0 0 1 0 0 0")
    (tmp_path / "empty").mkdir()
    for name, sentence in (
        ("unit.3mf", "unknown unit 'furlong'"),
        ("mirror.3mf", "mirrored"),
        ("empty", "holds no parts"),
        ("missing.step", "no such file"),
    ):
        with pytest.raises(dt.InputError, match=sentence):
            read_parts(tmp_path / name)
