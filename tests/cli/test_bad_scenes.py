"""Damaged scene files: each is run or refused with exit code 2, none crashes.

`tests/io/scene_file/test_scene_fuzz.py` has thousands more for the reader alone.
"""

import contextlib
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damaged_documents import Damage
from dovetail.cli import main

SCENE: dict[str, Any] = {
    "version": 1,
    "gravity": [0, 0, -9.81],
    "run": {"duration": 0.02, "step": 0.01},
    "bodies": [
        {"name": "box", "shape": {"box": [1, 2, 3]}, "density": 800, "rotation": [1, 0, 0, 0]},
        {"name": "ball", "shape": {"sphere": 0.5, "segments": 8}, "mass": 2, "position": [4, 0, 0]},
        {"name": "led", "motion": "kinematic", "shape": {"box": [1, 1, 1]}, "position": [9, 0, 0]},
    ],
    "loads": [
        {"name": "push", "type": "force", "body": "box", "force": [1, 0, 0]},
        {"name": "pull", "type": "spring", "bodies": ["box", "ball"], "point_a": [0, 0, 0],
         "point_b": [4, 0, 0], "stiffness": 10},
    ],
    "materials": [{"pair": ["box", "ball"], "friction": 0.3}],
}  # fmt: skip


def damaged(seed: int) -> Any:
    """The scene with some values changed; how long it runs stays."""
    return Damage(SCENE, seed).changed(SCENE) | {"run": SCENE["run"]}


def outcome(folder: Path, scene: Any) -> tuple[int, str]:
    """Exit code and what was said on stderr by `dovetail run` on this document."""
    (folder / "scene.json").write_text(json.dumps(scene))
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        try:
            main(["run", str(folder / "scene.json"), "--quiet", "--out", str(folder / "out.h5")])
        except SystemExit as request:
            return int(request.code or 0), said.getvalue()
    raise AssertionError("main returned")


def assert_refused_or_run(folder: Path, scene: Any) -> None:
    code, said = outcome(folder, scene)
    if code == 0:
        return
    # A run may fail honestly on absurd but valid numbers (exit code 1); input is refused with 2.
    assert code in (1, 2)
    assert said.startswith("error: ")
    assert "Traceback" not in said
    assert len(said) > 20


def test_the_undamaged_scene_runs(tmp_path: Path) -> None:
    assert outcome(tmp_path, SCENE) == (0, "")


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_damaged_scenes_are_refused_with_a_message(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    assert_refused_or_run(_folder(tmp_path_factory), damaged(seed))


@pytest.mark.slow
def test_thousands_of_damaged_scenes_are_refused_with_a_message(tmp_path: Path) -> None:
    for seed in range(2500):
        scene = damaged(seed)
        try:
            assert_refused_or_run(tmp_path, scene)
        except BaseException:
            print(f"seed {seed}: {json.dumps(scene)}")
            raise


def _folder(factory: pytest.TempPathFactory) -> Path:
    folder = factory.getbasetemp() / f"scenes-{os.getpid()}"
    folder.mkdir(exist_ok=True)
    return folder
