"""The step of a build in `examples/prove_in_a_build.py`."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PUSH = "push: prismatic pin, -30..5 mm"


def test_the_build_fails_where_a_motion_is_not_proven(tmp_path):
    pytest.importorskip("cascadio")
    shutil.copy(ROOT / "tests" / "io" / "cad" / "pin_in_block.step", tmp_path / "clamp.step")
    tests = {
        "opens": {"type": "motion", "joints": [PUSH], "clearance": "15 um"},
        "is loose": {"type": "motion", "joints": [PUSH], "clearance": "25 um"},
        "has a mistake": {"type": "motion", "joints": [PUSH.replace("pin", "pinn")]},
        "is of another kind": {"type": "cad"},
    }
    project = tmp_path / "project.json"
    project.write_text(
        json.dumps({"assemblies": {"clamp": {"path": "clamp.step", "tests": tests}}})
    )
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "prove_in_a_build.py"), str(project)],
        capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    first, second, third = done.stdout.splitlines()
    assert done.returncode == 1, done.stderr
    assert first.startswith("ok clamp, opens: proven")
    assert second.startswith("FAILED clamp, is loose: meets")
    assert third.startswith("FAILED clamp, has a mistake") and "did you mean 'pin'" in third
    proof = json.loads((tmp_path / "proofs" / "clamp-opens.json").read_text())
    assert proof["verdict"] == "proven"
    assert (tmp_path / "proofs" / "clamp-opens.html").exists()
