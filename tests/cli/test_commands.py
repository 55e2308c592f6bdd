"""What a newcomer types, and what the command answers."""

import json
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import dovetail as dt
from dovetail.cli.main import COMMANDS

FALLING = """\
version: 1
gravity: [0, 0, -10]
run: {duration: 1, step: 0.01, every: 10}
bodies:
  - {name: crate, shape: {box: [1, 1, 1]}, mass: 3, position: [0, 0, 100]}
"""


@pytest.fixture
def falling(tmp_path: Path) -> str:
    (tmp_path / "falling.yaml").write_text(FALLING)
    return "falling.yaml"


def test_help_names_every_command_and_loads_nothing_heavy() -> None:
    heavy = "numpy", "numba", "scipy", "trimesh", "pydantic", "matplotlib", "h5py", "rich"
    code = (
        "import sys\n"
        "from dovetail.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        f"print('LOADED', [m for m in {heavy!r} if m in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.rstrip().endswith("LOADED []")
    for name in COMMANDS:
        assert f"\n  {name} " in said.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(dovetail: Callable, name: str) -> None:
    said = dovetail(name, "--help")
    assert said.code == 0
    assert f"Usage: dovetail {name}" in said.out


def test_a_scene_file_becomes_a_result_a_plot_an_export_and_a_verdict(
    dovetail: Callable, falling: str, tmp_path: Path
) -> None:
    ran = dovetail("run", falling, "--picture")
    assert (ran.code, ran.err) == (0, "")
    assert "wrote falling.h5: 11 frames to t = 1 s" in ran.out
    drop = dt.load(tmp_path / "falling.h5").position("crate")[:, 2] - 100
    np.testing.assert_allclose(drop[-1], -5, rtol=1e-12)
    assert (tmp_path / "falling.png").read_bytes().startswith(b"\x89PNG")

    assert dovetail("plot", "falling.h5", "energy").code == 0
    assert (tmp_path / "falling-energy.png").exists()
    assert dovetail("plot", "falling.h5", "motion", "--view", "top").code == 0
    from_above = (tmp_path / "falling-motion.png").read_bytes()
    assert from_above != (tmp_path / "falling.png").read_bytes()
    for ending in ("glb", "csv"):
        assert dovetail("export", "falling.h5", f"falling.{ending}").code == 0
        assert (tmp_path / f"falling.{ending}").stat().st_size > 0
    checked = dovetail("check", "falling.h5")
    assert checked.code == 0
    assert "no two bodies intersect at any recorded time" in checked.out


def test_options_of_the_command_override_the_scene(
    dovetail: Callable, falling: str, tmp_path: Path
) -> None:
    said = dovetail("run", falling, "--duration", "0.5", "--step", "0.1", "--every", "1",
                    "--out", "short.h5", "--integrator", "lieverlet", "--quiet")  # fmt: skip
    assert (said.code, said.out, said.err) == (0, "", "")
    np.testing.assert_allclose(dt.load(tmp_path / "short.h5").time, np.arange(6) / 10, rtol=1e-15)


def test_bodies_that_pass_through_each_other_fail_the_check_of_the_result(
    dovetail: Callable, tmp_path: Path
) -> None:
    (tmp_path / "through.yaml").write_text(
        "version: 1\nrun: {duration: 2, step: 0.5}\nbodies:\n"
        "  - {name: shot, shape: {box: [1, 1, 1]}, mass: 1, velocity: [2, 0, 0]}\n"
        "  - {name: wall, shape: {box: [1, 3, 3]}, motion: static, position: [2, 0.1, 0.2]}\n"
    )
    assert dovetail("run", "through.yaml", "--contact", "none").code == 0
    said = dovetail("check", "through.h5")
    assert said.code == 1
    assert "error: 'shot' and 'wall' intersect at 3 recorded time(s) and on" in said.out
    assert "first at t = 0.5 s; depth 1 m at t = 1 s near (" in said.out


@pytest.mark.parametrize(
    ("height", "spin", "code", "sentence"),
    [
        (1.0, 0, 1, "error: 'shot' and 'wall' intersect on 1 path(s) between, first at t = 0.4"),
        (1.6, 0, 0, "nor on the path from any recorded time to the next"),
        (1.6, 9, 3, "undecided: 'shot' and 'wall' between t = 0 s and 1 s: 'shot' makes more than"),
    ],
)
def test_the_path_between_frames_is_verified_and_sets_the_exit_code(
    dovetail: Callable, tmp_path: Path, height: float, spin: float, code: int, sentence: str
) -> None:
    (tmp_path / "path.yaml").write_text(
        "version: 1\nrun: {duration: 1, step: 0.1, every: 10}\nbodies:\n"
        f"  - {{name: shot, shape: {{box: [1, 1, 1]}}, mass: 1, position: [-5, 0, {height}],"
        f" velocity: [10, 0, 0], angular_velocity: [0, 0, {spin}]}}\n"
        "  - {name: wall, shape: {box: [0.1, 3, 2]}, motion: static, position: [0, 0.1, 0]}\n"
    )
    assert dovetail("run", "path.yaml", "--contact", "none").code == 0
    said = dovetail("check", "path.h5")
    assert (said.code, sentence in said.out) == (code, True), said.out


def test_only_a_finished_run_that_keeps_its_invariants_is_trusted(
    dovetail: Callable, tmp_path: Path
) -> None:
    scene = dt.Scene()
    scene.add_body("top", dt.Box((1, 2, 3)), density=1, angular_velocity=(0.1, 0, 0.2))
    dt.simulate(scene, 1.0, 0.1, out=tmp_path / "a.h5", progress=False)
    assert dovetail("check", "a.h5").code == 0
    for status, unsettled, code in (("failed", 0, 4), ("finished", 3, 4), ("finished", 0, 0)):
        stored = dt.load(tmp_path / "a.h5").stored
        stored.status = status
        stored._columns["stats/unsettled"] = np.full(11, unsettled)
        dt.Result(stored, scene=scene).save(tmp_path / "b.h5")
        said = dovetail("check", "b.h5")
        assert said.code == code
        assert ("not trusted: " in said.out) == (code == 4)


def test_checking_a_scene_names_overlapping_bodies_and_ends_with_2(
    dovetail: Callable, tmp_path: Path
) -> None:
    (tmp_path / "overlap.yaml").write_text(
        "version: 1\nbodies:\n"
        "  - {name: one, shape: {box: [1, 1, 1]}, mass: 1}\n"
        "  - {name: two, shape: {box: [1, 1, 1]}, mass: 1, position: [0.5, 0.4, 0.3]}\n"
    )
    said = dovetail("check", "overlap.yaml")
    assert said.code == 2
    assert "'one'" in said.out
    assert "'two'" in said.out
    assert "overlap" in said.out


def test_every_mistake_of_a_scene_is_a_line_of_its_own_and_the_exit_code_is_2(
    dovetail: Callable, tmp_path: Path
) -> None:
    (tmp_path / "wrong.yaml").write_text(
        "version: 1\nrun: {duration: 1, step: 0.1}\nbodies:\n"
        "  - {name: one, shape: {box: [1, 1, 1]}, mass: -1}\n"
        "  - {name: two, shape: {box: [1, 1]}, mass: 1}\n"
        "  - {name: three, shape: {mesh: nowhere.stl}}\n"
    )
    said = dovetail("run", "wrong.yaml")
    assert said.code == 2
    assert said.out == ""
    lines = said.err.splitlines()
    assert all(line.startswith("error: wrong.yaml") for line in lines)
    for culprit in ("'one'", "'two'", "'three'"):
        assert sum(culprit in line for line in lines) == 1


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["run", "nothing-of-the-kind"], "neither a file nor a built-in example"),
        (["run", "missing.yaml"], "missing.yaml"),
        (["run", "dzhanibekov", "--step", "-1"], "step"),
        (["run", "dzhanibekov", "--duration", "nan"], "duration"),
        (["run", "dzhanibekov", "--every", "0"], "every"),
        (["run", "dzhanibekov", "--integrator", "magic"], "LieVerlet"),
        (["run", "dzhanibekov", "--contact", "magic"], "contact method 'magic'"),
        (["run", "dzhanibekov", "--step", "much"], "much"),
        (["plot", "missing.h5", "energy"], "missing.h5"),
        (["export", "missing.h5", "out.xyz"], ".html, .glb"),
        (["view", "missing.h5"], "missing.h5"),
        (["check", "missing.yaml"], "missing.yaml"),
        (["fly"], "no command named 'fly'"),
        (["pot"], "did you mean `plot`"),
    ],
)
def test_a_mistake_on_the_command_line_is_a_sentence_and_exit_code_2(
    dovetail: Callable, arguments: list[str], expected: str
) -> None:
    said = dovetail(*arguments)
    assert said.code == 2
    assert expected in said.err
    assert "Traceback" not in said.err


def test_a_result_file_that_is_none_is_refused(dovetail: Callable, tmp_path: Path) -> None:
    (tmp_path / "junk.h5").write_bytes(b"not HDF5 at all")
    for arguments in (["plot", "junk.h5", "energy"], ["check", "junk.h5"]):
        said = dovetail(*arguments)
        assert said.code == 2
        assert "junk.h5" in said.err


def test_the_schema_is_json_with_the_sections_of_a_scene(dovetail: Callable) -> None:
    schema = json.loads(dovetail("schema").out)
    assert {"version", "gravity", "run", "bodies", "joints"} <= set(schema["properties"])


def test_the_examples_are_listed_with_their_descriptions(dovetail: Callable) -> None:
    lines = dovetail("examples").out.splitlines()
    named = [*dt.examples.names(), *dt.examples.study_names()]
    assert [line.split()[0] for line in lines] == named
    assert all(len(line.split()) > 4 for line in lines)


LAW = """
import dovetail as dt

@dt.extend.register("normal_forces", "{name}")
class Law:
    def __init__(self, k):
        self.k = k

    def __call__(self, gap, rate, impact_speed):
        return -self.k * gap - 150.0 * rate
"""
RESTING = """
version: 1
gravity: [0, 0, -9.81]
run: {duration: 0.3, step: 0.001, contact: {method: sdf, normal_force: {of-a-file: {k: 10000}}}}
bodies:
  - {name: floor, shape: {half_space: [0, 0, 1]}, motion: static}
  - {name: ball, shape: {sphere: 0.1}, mass: 1, position: [0, 0, 0.1]}
"""


def test_a_file_registers_a_law_that_the_scene_names(dovetail: Callable, tmp_path: Path) -> None:
    (tmp_path / "law.py").write_text(LAW.format(name="of-a-file"))
    (tmp_path / "scene.yaml").write_text(RESTING)
    without = dovetail("run", "scene.yaml")
    assert without.code == 2
    assert "`--extension FILE.py`" in without.err
    said = dovetail("run", "scene.yaml", "--extension", "law.py")
    assert (said.code, said.err) == (0, "")  # no warning about energy, whose store is integrated
    ball = dt.load(tmp_path / "scene.h5").position("ball")
    np.testing.assert_allclose(0.1 - ball[-1, 2], 9.81 / 10000, rtol=1e-2)
    checked = dovetail("check", "scene.h5")
    assert checked.code == 1
    assert "sdf lets bodies overlap a little: `--tolerance 0.01`" in checked.out
    tolerated = dovetail("check", "scene.h5", "--tolerance", "0.01")
    assert tolerated.code == 0
    assert "every pair of bodies overlaps by 0.01 m at most" in tolerated.out


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ("{of-a-scene: {c: 10000}}", "normal force 'of-a-scene' has no option 'c' (options: k)"),
        ("{of-nobody: {k: 10000}}", "there is no normal force 'of-nobody'"),
    ],
)
def test_the_check_of_a_scene_finds_a_law_that_the_run_would_refuse(
    dovetail: Callable, tmp_path: Path, wrong: str, sentence: str
) -> None:
    (tmp_path / "law.py").write_text(LAW.format(name="of-a-scene"))
    right = RESTING.replace("of-a-file", "of-a-scene")
    (tmp_path / "scene.yaml").write_text(right)
    assert dovetail("check", "scene.yaml", "--extension", "law.py").code == 0
    (tmp_path / "scene.yaml").write_text(right.replace("{of-a-scene: {k: 10000}}", wrong))
    said = dovetail("check", "scene.yaml", "--extension", "law.py")
    assert said.code == 2
    assert sentence in said.out


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("law.txt", "", "--extension needs a Python file, got 'law.txt'"),
        ("law.py", "1 / 0", "--extension law.py: ZeroDivisionError: division by zero (law.py, l"),
        ("law.py", LAW.format(name="hertz"), "normal force 'hertz' is one of the package's own"),
    ],
)
def test_an_extension_that_fails_is_a_sentence(
    dovetail: Callable, falling: str, tmp_path: Path, name: str, text: str, sentence: str
) -> None:
    (tmp_path / name).write_text(text)
    said = dovetail("run", falling, "--extension", name)
    assert said.code == 2
    assert sentence in said.err


def test_a_warning_of_a_run_is_a_sentence_without_a_line_of_source_code(
    dovetail: Callable, tmp_path: Path
) -> None:
    (tmp_path / "soft.yaml").write_text(
        """\
version: 1
gravity: [0, 0, -9.81]
run: {duration: 0.05, step: 1.0e-4, contact: {method: sdf, stiffness: 1.0e+4, damping: 10}}
bodies:
  - {name: floor, shape: {half_space: [0, 0, 1]}, motion: static}
  - {name: ball, shape: {sphere: 0.05}, mass: 0.5, position: [0, 0, 0.051], velocity: [0, 0, -3]}
"""
    )
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        ran = dovetail("run", "soft.yaml")
    assert ran.code == 0
    lines = [line for line in ran.err.splitlines() if "inside each other" in line]
    assert lines and all(line.startswith("dovetail: warning: at t = ") for line in lines)
    assert ".py" not in ran.err
