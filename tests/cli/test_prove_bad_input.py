"""`dovetail prove`: bad input gets one sentence on stderr, nothing else, and exit code 2."""

from pathlib import Path

import pytest

from dovetail.cli.main import main
from dovetail.runtime import extras

STEP = Path(__file__).parents[1] / "io" / "cad" / "pin_in_block.step"
PUSH = "push: prismatic pin, -30..5 mm"
SCENE = """
version: 1
units: {length: mm, angle: deg}
bodies:
  - {name: base, shape: {box: [100, 100, 10]}, density: 1.0e-6, motion: static}
  - {name: arm, shape: {box: [100, 10, 10]}, density: 1.0e-6, position: [60, 0, 30]}
joints:
  - {name: hinge, type: revolute, bodies: [ground, arm], point: [0, 0, 30], axis: [0, 1, 0]}
prove: {clearance: 0.2, sweep: {hinge: [0, 21]}}
"""
NO_SOLID = "ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\nENDSEC;\nEND-ISO-10303-21;\n"


@pytest.fixture
def sentence(capfd):
    """What is said of a bad question: one line, from the command or any library it uses."""

    def said(*arguments):
        with pytest.raises(SystemExit) as left:
            main(["prove", *map(str, arguments)])
        out, err = capfd.readouterr()
        lines = [line for line in err.splitlines() if "compiling kernels" not in line]
        assert left.value.code == 2 and out == "" and len(lines) == 1, out + err
        return lines[0]

    return said


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "must be a STEP file"),
        ("a letter to a friend", "must be a STEP file"),
        (NO_SOLID, "could not be read as STEP"),
        (STEP.read_text()[:9000], "is incomplete: it names"),
    ],
    ids=["empty", "not STEP", "no solid", "cut short"],
)
def test_a_file_that_is_no_assembly(content, expected, sentence, tmp_path):
    pytest.importorskip("cascadio")
    path = tmp_path / "part.step"
    path.write_text(content)
    assert expected in sentence(path, "--joint", PUSH)


def test_files_that_are_missing(sentence, tmp_path):
    assert "no such file" in sentence(tmp_path / "part.step", "--joint", PUSH)
    assert "no such file" in sentence(tmp_path / "scene.yaml")


def test_millimetres_that_were_exported_as_metres(sentence, tmp_path):
    pytest.importorskip("cascadio")
    path = tmp_path / "part.step"
    path.write_text(STEP.read_text().replace("SI_UNIT(.MILLI.,.METRE.)", "SI_UNIT($,.METRE.)"))
    assert "'block', is 30 m across; check the unit" in sentence(path, "--joint", PUSH)
    with pytest.raises(SystemExit) as left:
        main(["prove", str(path), "--joint", PUSH, "--any-size"])
    assert left.value.code == 0


@pytest.mark.parametrize(
    ("joint", "expected"),
    [
        ("push: prismatic pinn, -30..5 mm", "did you mean 'pin'"),
        ("push: prismatic pin along blok, -30..5 mm", "did you mean 'block'"),
        ("push: cylindrical pin, -30..5 mm", "must be one of revolute, prismatic, got 'cylind"),
        ("push: prismatic pin, 5..-30 mm", "from the smaller to the larger"),
        ("push: prismatic pin, -30..5 deg", "one of the units m, cm, mm"),
        ("push: prismatic pin", "must be written"),
    ],
)
def test_a_wrong_joint_of_an_assembly(joint, expected, sentence):
    pytest.importorskip("cascadio")
    assert expected in sentence(STEP, "--joint", joint)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--clearance", "-1 mm"], "`clearance` must be a length >= 0"),
        (["--tolerance", "0 mm"], "--tolerance must be > 0"),
        (["--drive", "puhs: 0..1 mm"], "did you mean 'push'"),
        (["--assemble", "pinn: up"], "did you mean 'pin'"),
        (["--sweep", "push: 0..1 mm"], "--sweep is for scene files"),
    ],
)
def test_a_wrong_option_of_an_assembly(options, expected, sentence):
    pytest.importorskip("cascadio")
    assert expected in sentence(STEP, "--joint", PUSH, *options)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--sweep", "hinge: 30..0 deg"], "from the smaller to the larger"),
        (["--clearance", "-1 mm"], "`clearance` must be a length >= 0"),
        (["--drive", "hing: 0..30 deg"], "did you mean 'hinge'"),
        (["--drive", "hinge: 0..30 deg", "--contact", "magic"], "contact method 'magic'"),
        (["--drive", "hinge: 0..30 deg", "--force", "-1"], "must be > 0 N or N m"),
        (["--by", "weight"], "--by is for driven motions"),
        (["--force", "1"], "--force is for driven motions"),
        (["--path", "hinge: 0, 1 deg", "--contact", "ipc"], "--contact is for driven motions"),
        (["--path", "hinge: 0 deg"], "a path must be written"),
        (["--path", "hing: 0, 1 deg"], "did you mean 'hinge'"),
        (["--assemble", "arm: sideways"], "an assembly must be written"),
        (["--sweep", "hinge: 0..1 deg", "--path", "hinge: 0, 1 deg"], "one question at a time"),
        (["--joint", PUSH], "--joint is for CAD assemblies"),
        (["--json", "no/such/folder/proof.json"], "could not be written"),
    ],
)
def test_a_wrong_question_about_a_scene(options, expected, sentence, tmp_path):
    path = tmp_path / "scene.yaml"
    path.write_text(SCENE)
    assert expected in sentence(path, *options)


def test_a_missing_package_is_named_with_its_extra(sentence, monkeypatch, tmp_path):
    """A copy: a file that was read before is remembered."""
    path = tmp_path / "copy.step"
    path.write_bytes(STEP.read_bytes())

    def missing(name):
        raise ModuleNotFoundError(name=name)

    monkeypatch.setattr(extras, "import_module", missing)
    assert "pip install 'dovetail[cad]'" in sentence(path, "--joint", PUSH)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("[0, 21]}}", "[0, .nan]}}", "`prove.sweep.hinge[1]` must be a finite number, got nan"),
        ("[0, 21]}}", "21}}", "`prove.sweep.hinge` must be [from, to]"),
        ("[100, 10, 10]", "[100, 10]", "`shape.box` must have 3 entries"),
    ],
    ids=["not a number", "no range", "a joint whose body is wrong"],
)
def test_a_mistake_is_named_once_and_in_the_words_of_the_file(
    old, new, expected, sentence, tmp_path
):
    path = tmp_path / "scene.yaml"
    path.write_text(SCENE.replace(old, new, 1))
    assert expected in sentence(path)
