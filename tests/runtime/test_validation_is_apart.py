"""`dovetail.validation` reproduces papers and measures speed; the product does without it."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "dovetail"

RUN_A_SCENE = """
import sys
import dovetail as dt
scene = dt.Scene(gravity=(0, 0, -9.81))
scene.add_body("ball", dt.Sphere(0.1), mass=1, position=(0, 0, 0.2))
scene.add_body("floor", dt.HalfSpace(), motion="static")
result = dt.simulate(scene, 0.02, 0.01, contact=dt.contact.SDF())
assert len(result.time) == 3
"""

RUN_A_COMMAND = """
import sys
from dovetail.cli import main
try:
    main(["run", "satellite", "--duration", "0.02", "--step", "0.01", "--out", sys.argv[1]])
except SystemExit as end:
    assert not end.code, end.code
"""

REPORT = "print(sorted(name for name in sys.modules if name.startswith('dovetail.validation')))"


def imports_of(path: Path) -> set[str]:
    """Modules that a file imports anywhere, inside functions too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_only_commands_import_validation():
    files = [path for path in PACKAGE.rglob("*.py") if "validation" not in path.parts]
    users = {
        str(path.relative_to(PACKAGE))
        for path in files
        if any(name.startswith("dovetail.validation") for name in imports_of(path))
    }
    assert users == {"cli/bench_command.py", "cli/reproduce_command.py"}


@pytest.mark.parametrize("program", [RUN_A_SCENE, RUN_A_COMMAND], ids=["scene", "command"])
def test_a_run_does_not_import_validation(program, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", program + REPORT, str(tmp_path / "out.h5")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_commands_that_need_validation_do_import_it():
    program = "import sys\nimport dovetail.cli.reproduce_command\n" + REPORT
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "dovetail.validation.reproduce" in done.stdout
