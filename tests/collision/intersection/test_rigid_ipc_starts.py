"""The peers' scenes start without an intersection, and the check agrees, exactly."""

from pathlib import Path

import pytest

from dovetail.io import load_scene
from dovetail.scene_check import Finding, check_scene

QUICK = [
    "unit-tests",
    "examples",
    "mechanisms",
    "pendulum",
    "piles",
    "friction/incline-plane",
    "friction/card-house",
    "friction/turntable",
    "codimensional/points",
    "fracture",
]
LARGE = [
    "blender",
    "chain",
    "codimensional/edges",
    "compactor",
    "friction/arch",
    "friction/rolling",
    "minimum-separation",
    "scalability",
]


def wrong_starts(folder: Path) -> tuple[int, list[tuple[str, Finding]]]:
    """How many scenes there are, and every contact in them that involves a moving body."""
    scenes = sorted(folder.rglob("*.json"))
    return len(scenes), [
        (path.name, finding)
        for path in scenes
        for finding in check_scene(load_scene(path).scene)
        if finding.severity == "error"
        or (finding.topic in ("overlap", "touching", "inside") and finding.severity != "note")
    ]


@pytest.mark.parametrize("folder", QUICK)
def test_small_scenes_of_the_reference_start_free_of_intersections(shared_data, folder):
    n_scenes, wrong = wrong_starts(shared_data / "rigid-ipc" / "fixtures" / folder)
    assert n_scenes > 0
    assert wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("folder", LARGE)
def test_large_scenes_of_the_reference_start_free_of_intersections(shared_data, folder):
    n_scenes, wrong = wrong_starts(shared_data / "rigid-ipc" / "fixtures" / folder)
    assert n_scenes > 0
    assert wrong == []


def test_a_scene_of_the_reference_with_one_body_lowered_is_caught(shared_data):
    path = shared_data / "rigid-ipc" / "fixtures" / "mechanisms" / "bolt.json"
    good, bad = load_scene(path).scene, load_scene(path).scene
    assert not [f for f in check_scene(good) if f.topic == "overlap"]
    bolt = list(bad.bodies)[1]
    shape = bad.bodies[bolt].given.shape
    extent = shape.surface().bounds[1] - shape.surface().bounds[0]
    bad.add_body("second bolt", shape, position=bad.bodies[bolt].given.position + 0.01 * extent)
    errors = [f for f in check_scene(bad) if f.topic == "overlap" and f.severity == "error"]
    assert (bolt, "second bolt") in [f.subject for f in errors]
    assert all(f.triangles for f in errors)
