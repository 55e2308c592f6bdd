"""The step of a build in `examples/prove_in_a_build.py`."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PUSH = "push: prismatic pin, -30..5 mm"


def test_the_build_fails_where_a_motion_is_not_proven(tmp_path):
    pytest.importorskip("cascadio")
    shutil.copy(ROOT / "tests" / "io" / "cad" / "pin_in_block.step", tmp_path / "clamp.step")
    tests = {
        "opens": {"type": "motion", "joints": [PUSH], "clearance": "15 um"},
        "is loose": {"type": "motion", "joints": [PUSH], "clearance": "25 um"},
        "has a mistake": {"type": "motion", "joints": [PUSH.replace("pin", "pinn")]},
        "is misspelt": {"type": "motion", "joints": [PUSH], "clearence": "15 um"},
        "may touch": {
            "type": "motion",
            "joints": [PUSH],
            "clearance": "25 um",
            "ignore": [["pin", "block"]],
            "tolerance": "20 um",
            "unit": "mm",
        },
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
    first, second, third, fourth, fifth = done.stdout.splitlines()
    assert done.returncode == 1, done.stderr
    assert first.startswith("ok clamp, opens: proven")
    assert second.startswith("FAILED clamp, is loose: meets")
    assert third.startswith("FAILED clamp, has a mistake") and "did you mean 'pin'" in third
    assert fourth.startswith("FAILED clamp, is misspelt") and "clearence" in fourth
    assert fifth.startswith("ok clamp, may touch: proven")
    proof = json.loads((tmp_path / "proofs" / "clamp-opens.json").read_text())
    assert proof["verdict"] == "proven"
    assert (tmp_path / "proofs" / "clamp-opens.html").exists()


def test_the_workflow_of_the_page_runs_and_leaves_its_artifacts(tmp_path):
    """Its command lines as they are written, but for the installation."""
    page = (ROOT / "docs" / "how-to" / "prove.md").read_text()
    (scene,) = re.findall(r'```yaml title="latch.yaml"\n(.*?)```', page, re.DOTALL)
    blocks = re.findall(r"```yaml[^\n]*\n(.*?)```", page, re.DOTALL)
    (workflow,) = [block for block in blocks if "jobs:" in block]
    (tmp_path / "latch.yaml").write_text(scene)
    steps = yaml.safe_load(workflow)["jobs"]["motions"]["steps"]
    commands = [shlex.split(step["run"]) for step in steps if "run" in step]
    assert [words[0] for words in commands] == ["pip", "dovetail"]
    for _, *words in commands[1:]:
        done = subprocess.run(
            [sys.executable, "-m", "dovetail", *words],
            cwd=tmp_path, capture_output=True, text=True, timeout=200,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.splitlines()[-1].startswith("proven")
    (kept,) = [step["with"]["path"] for step in steps if "upload" in step.get("uses", "")]
    assert sorted(one.name for one in tmp_path.glob(kept)) == ["proof.html", "proof.json"]
