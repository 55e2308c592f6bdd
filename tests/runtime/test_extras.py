"""What is not installed is reported by name, with what to install."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import dovetail
from dovetail.errors import InputError
from dovetail.runtime.extras import EXTRAS, require

PROGRAM = """
import contextlib, io, json, sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {hidden!r}:
            raise ModuleNotFoundError("No module named " + repr(name), name=name)

sys.meta_path.insert(0, Hidden())
from dovetail.cli import main
done = []
for arguments in {commands!r}:
    sentence = io.StringIO()
    with contextlib.redirect_stderr(sentence), contextlib.redirect_stdout(io.StringIO()):
        try:
            main(arguments)
        except SystemExit as ended:
            done.append((ended.code, sentence.getvalue()))
print(json.dumps(done))
"""
SCENE = """
version: 1
run: {duration: 0.1, step: 0.01}
bodies:
  - {name: ball, shape: {sphere: 0.1}, mass: 1, angular_velocity: [1, 2, 3]}
"""
WITHOUT = [
    ["run", "ball.yaml"],
    ["check", "ball.yaml"],
    ["check", "ball.h5"],
    ["export", "ball.h5", "ball.csv"],
    ["export", "ball.h5", "ball.html"],
    ["topology", "four-bar"],
    ["stability", "rod", "--theta", "63.4deg", "--mu", "1.5"],
]
NEEDS = [
    (["run", "ball.yaml", "--picture", "--out", "other.h5"], "plot"),
    (["plot", "ball.h5", "energy"], "plot"),
    (["report", "ball.h5"], "plot"),
    (["export", "ball.h5", "ball.gif"], "plot"),
    (["export", "ball.h5", "ball.mp4"], "movie"),
    (["stability", "map", "--size", "10"], "plot"),
    (["topology", "four-bar", "--picture", "loops.png"], "plot"),
    (["study", "docking-approaches"], "study"),
    (["reproduce", "xu"], "plot"),
]


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """Exit code and messages of each command, run in one process that has no extra."""
    folder = tmp_path_factory.mktemp("lean")
    (folder / "ball.yaml").write_text(SCENE)
    commands = WITHOUT + [arguments for arguments, _ in NEEDS]
    program = PROGRAM.format(hidden=tuple(EXTRAS), commands=commands)
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=folder, check=False
    )
    assert run.returncode == 0, run.stderr
    done = json.loads(run.stdout.splitlines()[-1])
    found = {" ".join(command): outcome for command, outcome in zip(commands, done, strict=True)}
    return found | {"files": sorted(path.name for path in folder.glob("*.h5"))}


def test_extras_of_the_messages_are_those_of_the_project():
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    extras = tomllib.loads(text)["project"]["optional-dependencies"]
    for package, extra, _ in EXTRAS.values():
        assert any(line.startswith(package) for line in extras[extra]), package
        assert extra in extras["all"][0]


@pytest.mark.parametrize("arguments", WITHOUT, ids=" ".join)
def test_what_needs_no_extra_runs_without_one(ended, arguments):
    code, sentence = ended[" ".join(arguments)]
    assert code == 0, sentence


@pytest.mark.parametrize(("arguments", "extra"), NEEDS, ids=[" ".join(a) for a, _ in NEEDS])
def test_a_command_without_its_extra_names_it_and_exits_with_2(ended, arguments, extra):
    code, sentence = ended[" ".join(arguments)]
    assert code == 2, sentence
    assert f"pip install 'dovetail[{extra}]'" in sentence
    assert "Traceback" not in sentence


def test_a_missing_extra_is_reported_before_the_run(ended):
    assert ended["files"] == ["ball.h5"]


def test_python_gets_an_error_of_the_package(monkeypatch):
    monkeypatch.setitem(EXTRAS, "no_such_package", ("no-such-package", "plot", "tests"))
    with pytest.raises(InputError, match=r"no-such-package is needed for tests.*dovetail\[plot\]"):
        require("no_such_package.inside")
    with pytest.raises(ModuleNotFoundError):
        require("no_other_package")


def test_only_figures_and_fmus_need_an_extra_to_be_imported():
    """What an extra brings is imported where it is used, so that the rest works without it."""
    folder = Path(dovetail.__file__).parent
    found = set()
    for path in sorted(folder.rglob("*.py")):
        for line in path.read_text().splitlines():
            words = line.split()
            if line.startswith(("import ", "from ")) and words[1].partition(".")[0] in EXTRAS:
                found.add(path.relative_to(folder).as_posix())
    assert found == {"simulate/live/fmu.py", "view/figures.py"}
