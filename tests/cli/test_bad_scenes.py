"""Ten thousand damaged scene files: each is run or refused with exit code 2, none crashes."""

import contextlib
import copy
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

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

NUMBERS = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.integers(-(10**40), 10**40),
    st.sampled_from([0, -1, 1e-320, 1e308, -0.0, 2**63, 1e-200, 1e200]),
)
LEAVES = st.one_of(st.none(), st.booleans(), NUMBERS, st.text(max_size=12))
NAMED = st.text(max_size=6)
JUNK = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(NAMED, inner, max_size=3),
    max_leaves=8,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path to every value inside a document."""
    found = [path]
    if isinstance(value, dict | list):
        for key, entry in value.items() if isinstance(value, dict) else enumerate(value):
            found += places(entry, (*path, key))
    return found


PLACES = [path for path in places(SCENE) if path and path[0] != "run"]


@st.composite
def damaged_scenes(draw: st.DrawFn) -> Any:
    """The scene with one to three values replaced, removed, or joined by a stranger."""
    scene = copy.deepcopy(SCENE)
    for _ in range(draw(st.integers(1, 3))):
        *path, last = draw(st.sampled_from(PLACES))
        with contextlib.suppress(KeyError, IndexError, TypeError, AttributeError):
            inside: Any = scene
            for key in path:
                inside = inside[key]
            what = draw(st.sampled_from(["replace", "remove", "add"]))
            if what == "replace":
                inside[last] = draw(JUNK)
            elif what == "remove":
                del inside[last]
            elif isinstance(inside, dict):
                inside[draw(st.text(max_size=8))] = draw(JUNK)
            else:
                inside.append(draw(JUNK))
    return scene


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


QUICK = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
THOROUGH = settings(max_examples=10_000, deadline=None, suppress_health_check=list(HealthCheck))


@QUICK
@given(scene=damaged_scenes())
def test_damaged_scenes_are_refused_with_a_message(
    tmp_path_factory: pytest.TempPathFactory, scene: Any
) -> None:
    assert_refused_or_run(_folder(tmp_path_factory), scene)


@pytest.mark.slow
@THOROUGH
@given(scene=damaged_scenes())
def test_ten_thousand_damaged_scenes_are_refused_with_a_message(
    tmp_path_factory: pytest.TempPathFactory, scene: Any
) -> None:
    assert_refused_or_run(_folder(tmp_path_factory), scene)


def _folder(factory: pytest.TempPathFactory) -> Path:
    folder = factory.getbasetemp() / f"scenes-{os.getpid()}"
    folder.mkdir(exist_ok=True)
    return folder
