"""`dovetail prove`: every kind of question, its exit code and its JSON against the schema."""

import json

import jsonschema
import pytest
from click.testing import CliRunner

from dovetail.cli.main import group

HINGE = """
version: 1
units: {length: mm, angle: deg}
bodies:
  - {name: base, shape: {box: [100, 100, 10]}, density: 1.0e-6, motion: static}
  - {name: leaf, shape: {box: [60, 40, 4]}, density: 1.0e-6, position: [35, 0, 20]}
joints:
  - {name: hinge, type: revolute, bodies: [ground, leaf], point: [0, 0, 20], axis: [0, -1, 0]}
prove:
  clearance: 0.2
  sweep: {hinge: [0, 90]}
"""
LATCH = """
version: 1
units: {length: mm, angle: deg}
gravity: [0, 0, -9810]
bodies:
  - {name: bolt, shape: {box: [40, 20, 10]}, density: 1.0e-6}
  - {name: wall, shape: {box: [10, 50, 40]}, density: 1.0e-6, motion: static, position: [35, 0, 0]}
joints:
  - {name: push, type: prismatic, bodies: [ground, bolt], axis: [1, 0, 0]}
"""
DRIVEN = LATCH + "run: {duration: 1, step: 0.01, contact: {method: ipc, friction: 0}}\n"
WEIGHT = LATCH.replace("[1, 0, 0]", "[0, 0, -1]")
NAMES = {"verdict", "least_clearance", "between", "at", "meets", "tessellation", "seconds"}


@pytest.fixture(scope="module")
def schema():
    return json.loads(CliRunner().invoke(group, ["schema", "--proof"]).output)


@pytest.fixture
def ask(tmp_path, schema):
    """Runs the command on the text of a scene; exit code, output and the valid proof."""

    def asked(text, *options):
        scene, out = tmp_path / "scene.yaml", tmp_path / "proof.json"
        scene.write_text(text)
        answer = CliRunner().invoke(group, ["prove", str(scene), *options, "--json", str(out)])
        assert out.exists(), answer.output
        proof = json.loads(out.read_text())
        jsonschema.validate(proof, schema)
        assert proof.keys() >= NAMES and proof["seconds"] > 0.0
        return answer.exit_code, answer.output, proof

    return asked


def test_the_section_of_the_contract_is_in_the_units_of_the_file(ask):
    code, said, proof = ask(HINGE)
    assert (code, proof["verdict"]) == (0, "proven"), said
    assert proof["clearance"] == pytest.approx(0.2e-3)
    # at 90 deg the leaf stands on end above its axis: 5 mm from the axis, 15 mm above the base
    assert proof["least_clearance"] == pytest.approx(13e-3) and proof["at"] == {"hinge": 0.0}
    assert proof["between"] == ["base", "leaf"] and proof["units"] == {"hinge": "deg"}
    assert proof["meets"] == [] and proof["tessellation"] == 0.0


def test_all_combinations_of_two_joints(ask):
    lift = "  - {name: lift, type: prismatic, bodies: [ground, base], axis: [0, 0, 1]}\n"
    text = HINGE.replace(", motion: static", "").replace("prove:", lift + "prove:")
    text = text.replace("hinge: [0, 90]", "hinge: [0, 90], lift: [0, 12.9]")
    code, said, proof = ask(text)
    assert (code, proof["verdict"]) == (1, "meets"), said
    # each range is bracketed: at a lift of 12.8 mm the level leaf is 0.2 mm from the base
    lift = next(one for one in proof["meets"] if one["joint"] == "lift")
    assert (lift["from"], lift["to"]) == (pytest.approx(12.8, abs=2e-5), pytest.approx(12.9))
    low = ask(text.replace("12.9", "12.7"))
    assert low[0] == 0 and low[2]["least_clearance"] == pytest.approx(0.3e-3)
    assert low[2]["at"] == {"hinge": 0.0, "lift": pytest.approx(12.7)}
    assert low[2]["units"] == {"hinge": "deg", "lift": "mm"}


def test_a_path_goes_through_its_values(ask):
    """The bolt goes to the wall and back; the wall is at 10 mm."""
    free = ask(LATCH, "--path", "push: 0, 9, -5 mm")
    assert free[0] == 0 and free[2]["least_clearance"] == pytest.approx(1e-3)
    code, said, proof = ask(LATCH, "--path", "push: 0, 12, -5 mm")
    assert (code, proof["verdict"]) == (1, "meets"), said
    assert all(one["between"] == ["bolt", "wall"] for one in proof["meets"])


def test_a_part_is_put_in_or_catches(ask):
    free = ask(LATCH, "--assemble", "bolt: up", "--clearance", "9 mm")
    assert free[0] == 0 and free[2]["units"] == {"bolt": "mm"}
    code, said, proof = ask(LATCH, "--assemble", "bolt: (60, 0, 0) mm")
    assert (code, proof["verdict"]) == (1, "meets"), said
    (meeting,) = proof["meets"]
    assert meeting["joint"] == "bolt"
    assert (meeting["from"], meeting["to"]) == (pytest.approx(10, abs=1e-4), 60)


def test_parts_at_the_very_distance_that_is_required_keep_it(ask):
    """To 1e-9 of it, so that rounding does not decide; what is 1e-6 short does not keep it."""
    text = LATCH.replace("axis: [1, 0, 0]", "axis: [0, 0.6, 0.8]")
    code, said, proof = ask(text, "--sweep", "push: 0..0 mm", "--clearance", "10 mm")
    assert (code, proof["verdict"]) == (0, "proven"), said
    code, said, proof = ask(text, "--sweep", "push: 0..0 mm", "--clearance", "10.00001 mm")
    assert (code, proof["verdict"]) == (1, "meets"), said
    assert proof["between"] == ["bolt", "wall"]


def test_a_drive_of_the_command_line_reaches_its_end_or_jams(ask, tmp_path):
    page = tmp_path / "proof.html"
    options = ("--contact", "ipc", "--force", "1", "--html", str(page))
    code, said, proof = ask(LATCH, "--drive", "push: prismatic 0..12 mm", *options)
    assert (code, proof["verdict"]) == (1, "jams"), said
    assert proof["at"] == {"push": pytest.approx(10, abs=0.2)} and proof["units"] == {"push": "mm"}
    assert proof["holds"][0]["force"] == pytest.approx(1.0, rel=0.01)
    assert proof["between"] is not None and set(proof["between"]) == {"bolt", "wall"}
    assert "held: " in said and "jams" in page.read_text()
    free = ask(LATCH, "--drive", "push: 0..8 mm")
    assert (free[0], free[2]["verdict"]) == (0, "proven"), free[1]
    assert free[2]["least_clearance"] == pytest.approx(0.002, abs=1e-4)  # 10 mm less the way


def test_a_drive_of_the_file_with_its_contact(ask):
    code, said, proof = ask(DRIVEN + "prove: {drive: {push: [0, 12]}, force: {push: 2}}\n")
    assert (code, proof["verdict"]) == (1, "jams"), said
    assert proof["holds"][0]["force"] == pytest.approx(2.0, rel=0.01)


def test_weight_drives(ask):
    code, said, proof = ask(WEIGHT, "--drive", "push: 0..30 mm", "--by", "weight")
    assert (code, proof["verdict"], proof["needed"]) == (0, "proven", {}), said
    assert "the motion reaches its end, and no two parts meet on the way" in said


def test_a_page_of_a_sweep(ask, tmp_path):
    page = tmp_path / "proof.html"
    code, said, _ = ask(HINGE, "--html", str(page))
    assert code == 0, said
    assert "proven" in page.read_text() and "<polyline" in page.read_text()
