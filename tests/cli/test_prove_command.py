"""`dovetail prove`: exit codes, JSON in the units of the question, sentences for bad input."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from dovetail.cli.main import group, main

SCENE = """
version: 1
units: {length: mm, angle: deg}
bodies:
  - {name: base, shape: {box: [100, 100, 10]}, density: 1.0e-6, motion: static}
  - {name: arm, shape: {box: [100, 10, 10]}, density: 1.0e-6, position: [60, 0, 30]}
joints:
  - {name: hinge, type: revolute, bodies: [ground, arm], point: [0, 0, 30], axis: [0, 1, 0]}
prove:
  clearance: 0.2
  sweep: {hinge: [0, 21]}
"""
MEETS_AT = 21.22765  # [deg] atan2(25, 50) - asin(5.2 / hypot(50, 25))


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "lever.yaml"
    path.write_text(SCENE)
    return path


def run(*arguments):
    return CliRunner().invoke(group, ["prove", *map(str, arguments)])


def test_the_section_of_the_file_is_proven(scene, tmp_path):
    out = tmp_path / "proof.json"
    answer = run(scene, "--json", out)
    assert answer.exit_code == 0, answer.output
    assert "proven: all parts keep" in answer.output
    proof = json.loads(out.read_text())
    assert proof["verdict"] == "proven"
    assert proof["least_clearance"] == pytest.approx(0.421113e-3, rel=1e-5)
    assert proof["between"] == ["base", "arm"]
    assert proof["at"] == {"hinge": pytest.approx(21.0)} and proof["units"] == {"hinge": "deg"}
    assert proof["meets"] == [] and proof["tessellation"] == 0.0 and proof["seconds"] > 0


def test_a_sweep_of_the_command_line_meets(scene, tmp_path):
    out = tmp_path / "proof.json"
    answer = run(scene, "--sweep", "hinge: 0..30 deg", "--json", out)
    assert answer.exit_code == 1, answer.output
    (meeting,) = json.loads(out.read_text())["meets"]
    assert meeting["joint"] == "hinge" and meeting["between"] == ["base", "arm"]
    assert meeting["from"] == pytest.approx(MEETS_AT, abs=1e-4)
    assert meeting["to"] == pytest.approx(30.0)
    touching = run(scene, "--sweep", "hinge: 0..21.3 deg", "--clearance", "0 mm")
    assert touching.exit_code == 0, touching.output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--sweep", "hing: 0..30 deg"], "did you mean 'hinge'"),
        (["--sweep", "hinge: 0..30 mm"], "one of the units rad, deg"),
        (["--sweep", "hinge 0-30"], "joint: from..to unit"),
        (["--clearance", "0.2 inches"], "--clearance must be a length"),
        (["--ignore", "arm", "bas"], "names body 'bas', which is not in the scene"),
    ],
)
def test_bad_input_gets_a_sentence_and_exit_code_2(scene, arguments, sentence, capsys):
    with pytest.raises(SystemExit) as left:
        main(["prove", str(scene), *arguments])
    assert left.value.code == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("hinge: [0, 21]", "hing: [0, 21]", "did you mean 'hinge'"),
        ("hinge: [0, 21]", "hinge: [0]", "prove.sweep"),
        ("clearance: 0.2", "clearance: -1", "prove.clearance"),
        ("  sweep: {hinge: [0, 21]}", "", "must name joints to `sweep`"),
        ("  clearance: 0.2", "  clearence: 0.2", "clearance"),
    ],
)
def test_a_wrong_section_gets_a_sentence(tmp_path, before, after, sentence, capsys):
    path = tmp_path / "wrong.yaml"
    path.write_text(SCENE.replace(before, after))
    with pytest.raises(SystemExit) as left:
        main(["prove", str(path)])
    assert left.value.code == 2
    assert sentence in capsys.readouterr().err


STEP = Path(__file__).parents[1] / "io" / "cad" / "pin_in_block.step"


def test_a_step_assembly_is_proven_on_its_true_surfaces(tmp_path):
    pytest.importorskip("cascadio")
    out = tmp_path / "proof.json"
    answer = run(STEP, "--joint", "push: prismatic pin, -30..5 mm", "--clearance", "15 um",
                 "--json", out)  # fmt: skip
    assert answer.exit_code == 0, answer.output
    proof = json.loads(out.read_text())
    assert proof["verdict"] == "proven" and proof["tessellation"] < 5e-6
    assert 15e-6 < proof["least_clearance"] < 20.001e-6  # the true one is 20 um
    assert proof["units"] == {"push": "mm"}
    tight = run(STEP, "--joint", "push: prismatic pin, -30..5 mm", "--clearance", "25 um")
    assert tight.exit_code == 1, tight.output


def test_a_step_assembly_without_joints_gets_suggestions(capsys):
    pytest.importorskip("cascadio")
    with pytest.raises(SystemExit) as left:
        main(["prove", str(STEP)])
    assert left.value.code == 2
    said = capsys.readouterr().err
    assert "its parts are block, pin" in said and "revolute block about pin" in said


def test_each_coordinate_of_a_joint_has_its_own_unit(tmp_path, capsys):
    """A cylindrical joint turns in degrees and slides in millimetres."""
    path = tmp_path / "scene.yaml"
    path.write_text(
        """
version: 1
units: {length: mm, angle: deg}
bodies:
  - {name: plate, shape: {box: [40, 40, 4]}, density: 1.0e-6, motion: static, position: [0, 0, -10]}
  - {name: nut, shape: {box: [10, 10, 4]}, density: 1.0e-6}
joints:
  - {name: lead (top), type: cylindrical, bodies: [ground, nut], point: [0, 0, 0], axis: [0, 0, 1]}
prove: {sweep: {lead (top): [[-90, -45], [-5, 0]]}}
"""
    )
    with pytest.raises(SystemExit) as left:
        main(["prove", str(path), "--json", str(tmp_path / "proof.json")])
    assert left.value.code == 0
    proof = json.loads((tmp_path / "proof.json").read_text())
    assert proof["least_clearance"] == pytest.approx(1e-3)
    assert proof["units"] == {"lead (top) (1)": "deg", "lead (top) (2)": "mm"}
    assert -90.0001 < proof["at"]["lead (top) (1)"] < -44.9999
    assert proof["at"]["lead (top) (2)"] == pytest.approx(-5)
    assert "lead (top) (2) = -5 mm" in capsys.readouterr().out
