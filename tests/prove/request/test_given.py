"""`dt.prove` of files and of objects of CAD libraries."""

from math import pi
from pathlib import Path

import pytest
from assembly_shapes import prism

import dovetail as dt

STEP = Path(__file__).parents[2] / "io" / "cad" / "pin_in_block.step"
SCENE = """
version: 1
units: {length: mm, angle: deg}
bodies:
  - {name: plate, shape: {box: [100, 100, 10]}, density: 1.0e-6, motion: static}
  - {name: bar, shape: {box: [100, 10, 10]}, density: 1.0e-6, position: [60, 0, 30]}
joints:
  - {name: hinge, type: revolute, bodies: [ground, bar], point: [0, 0, 30], axis: [0, 1, 0]}
prove: {clearance: 0.2, sweep: {hinge: [0, 20]}}
"""


class Solid:
    """As in build123d: `tessellate` gives vectors with X, Y, Z [mm]."""

    def __init__(self, low, high, at=(0, 0, 0), label=""):
        self.vertices, self.faces = prism([(0, 0), (10, 0), (10, 10), (0, 10)], low, high)
        self.at, self.label, self.children = at, label, ()

    class Vector:
        def __init__(self, row):
            self.X, self.Y, self.Z = row

    def tessellate(self, tolerance):
        return [self.Vector(row + self.at) for row in self.vertices], self.faces.tolist()

    def moved(self, at):
        made = Solid(0, 1, at)
        made.vertices = self.vertices
        return made


class Workplane:
    def __init__(self, solid):
        self.solid = solid

    def val(self):
        return self.solid


class Assembly:
    """As in CadQuery: yields shape, name, place, colour."""

    def __init__(self, **objects):
        self.objects = objects

    def __iter__(self):
        for name, (solid, at) in self.objects.items():
            yield solid, f"whole/{name}", at, None


class Compound:
    def __init__(self, *children):
        self.children = children


LIFT = "lift: prismatic lid along z, 0..5 mm"
BASE, LID = Solid(0, 10), Solid(10.5, 12)
WHOLES = {
    "objects by name": {"base": BASE, "lid": LID},
    "workplanes": {"base": Workplane(BASE), "lid": Workplane(LID)},
    "an assembly": Assembly(base=(BASE, (0, 0, 0)), lid=(Solid(0, 1.5), (0, 0, 10.5))),
    "a compound": Compound(Solid(0, 10, label="base"), Solid(10.5, 12, label="lid")),
}


@pytest.mark.parametrize("name", WHOLES)
def test_objects_of_cad_libraries_are_proven(name):
    proof = dt.prove(WHOLES[name], joints=[LIFT], clearance=0.4e-3, tolerance=1e-6)
    assert proof.verdict == "proven" and proof.between == ("base", "lid")
    assert proof.tessellation == pytest.approx(2e-6)
    assert proof.least_clearance == pytest.approx(0.5e-3 - 2e-6, rel=1e-6)
    assert proof.at == {"lift": 0.0}


def test_the_unit_of_objects_counts():
    proof = dt.prove(WHOLES["objects by name"], joints=[LIFT], unit="cm")
    assert proof.least_clearance == pytest.approx(5e-3 - 2e-5, rel=1e-6)


def test_a_scene_file_is_asked_what_its_section_says(tmp_path):
    file = tmp_path / "latch.yaml"
    file.write_text(SCENE)
    proof = dt.prove(file)
    assert (proof.verdict, proof.clearance) == ("proven", 0.2e-3)
    assert proof.at["hinge"] == pytest.approx(pi / 9)
    assert dt.prove(str(file), sweep={"hinge": (0, pi / 2)}).verdict == "meets"
    assert dt.prove(file, clearance=2e-3).verdict == "meets"


def test_a_step_file_is_proven_from_python():
    pytest.importorskip("cascadio")
    proof = dt.prove(STEP, joints=["hinge: revolute pin about pin, -10..180 deg"])
    assert proof.verdict == "proven" and proof.between == ("block", "pin")


@pytest.mark.parametrize(
    ("given", "options", "sentence"),
    [
        (3, {}, "`scene` must be a dt.Scene, the name of"),
        ({}, {}, "at least one object"),
        ({"a": 3}, {}, "part 'a' must have tessellate"),
        ("nothing.step", {}, "no such file"),
        ("nothing.yaml", {}, "no such file"),
        (dt.Scene(), {"joints": [LIFT]}, "`joints` are for parts from CAD"),
        (WHOLES["a compound"], {"joints": [3]}, "`joints` must be a list of texts"),
        (WHOLES["a compound"], {"joints": ["lift: prismatic lit along z, 0..5 mm"]}, "'lid'"),
        (WHOLES["a compound"], {"joints": [LIFT], "unit": "ft"}, "`unit` must be one of"),
        (WHOLES["a compound"], {"joints": [LIFT], "tolerance": 0}, "`tolerance` must be > 0"),
        (WHOLES["a compound"], {}, "`sweep` must name at least one joint"),
    ],
)
def test_what_cannot_be_asked_gets_a_sentence(given, options, sentence):
    with pytest.raises(dt.InputError, match=sentence):
        dt.prove(given, **options)


def test_options_of_driven_motions_are_refused_without_a_drive():
    scene = dt.Scene()
    scene.add_body("car", dt.Box((0.1, 0.1, 0.1)), density=1000)
    scene.add_body(
        "wall", dt.Box((0.1, 0.1, 0.1)), density=1000, position=(1, 0, 0), motion="static"
    )
    scene.add_joint("s", dt.Prismatic(axis=(1, 0, 0)), "ground", "car")
    with pytest.raises(dt.InputError, match="`force` is for driven motions"):
        dt.prove(scene, {"s": (0, 0.1)}, force=5)


def test_a_large_assembly_needs_any_size(tmp_path):
    for name, x in (("a", 0.0), ("b", 60.0)):
        vertices, faces = prism([(x, 0), (x + 30, 0), (x + 30, 30), (x, 30)], 0, 30)
        rows = [f"v {p[0]} {p[1]} {p[2]}" for p in vertices]
        rows += [f"f {f[0] + 1} {f[1] + 1} {f[2] + 1}" for f in faces]
        (tmp_path / f"{name}.obj").write_text("\n".join(rows))
    joints = ["s: prismatic b along x, 0..1 m"]
    with pytest.raises(dt.InputError, match="any_size=True"):
        dt.prove(tmp_path, joints=joints, unit="m")
    proof = dt.prove(tmp_path, joints=joints, unit="m", any_size=True)
    assert proof.verdict == "proven"
    proof.save(tmp_path / "proof.json")
    proof.save(tmp_path / "proof.html")
    assert "proven" in (tmp_path / "proof.json").read_text()
    with pytest.raises(dt.InputError, match="must be saved as"):
        proof.save(tmp_path / "proof.txt")


def test_the_command_and_the_call_offer_the_same():
    """Each option of the command, but for files and the reading of scene files, and the reverse."""
    from inspect import signature

    from dovetail.cli.prove_command import command
    from dovetail.prove.question import prove

    renamed = {
        "assembly": "scene", "sweeps": "sweep", "paths": "path", "drives": "drive",
        "forces": "force", "contact_name": "contact", "ignored": "ignore",
    }  # fmt: skip
    reading = {"allow_paths", "package_paths", "fixed_base", "extensions", "keyframe"}
    options = {renamed.get(one.name, one.name) for one in command.params}
    assert options - reading - {"html_file", "json_file"} == set(signature(prove).parameters)
