"""The reference's own scenes: all of them load, and bodies are where the reference has them."""

from pathlib import Path

import numpy as np
import pytest

from dovetail.io.rigid_ipc import read
from dovetail.io.safe_paths import MeshFolder
from dovetail.model.shapes.mesh import Mesh


@pytest.mark.slow
def test_every_scene_of_the_reference_loads(shared_data: Path) -> None:
    scenes = sorted((shared_data / "rigid-ipc" / "fixtures").rglob("*.json"))
    assert len(scenes) == 103
    for path in scenes:
        loaded = read(path, MeshFolder(path.parent))
        assert loaded.run.step is not None and loaded.run.step > 0
        assert loaded.scene.bodies, path
        for body in loaded.scene.bodies.values():
            assert isinstance(body.shape, Mesh)


@pytest.mark.slow
def test_centres_of_mass_start_where_the_reference_has_them(shared_data: Path) -> None:
    root = shared_data / "rigid-ipc"
    recorded = sorted((root / "reference").glob("*.npz"))
    assert len(recorded) >= 40
    for record in recorded:
        path = root / "fixtures" / (record.stem.replace("__", "/") + ".json")
        with np.load(record) as data:
            expected, step = data["position"][0], float(data["h"])
        loaded = read(path, MeshFolder(path.parent))
        position = np.array([body.position for body in loaded.scene.bodies.values()])
        # Two records are in single precision; the others agree to round-off.
        tolerance = 1e-12 if expected.dtype == np.float64 else 1e-6
        assert position.shape == expected.shape, record.stem
        assert np.max(np.abs(position - expected)) < tolerance * (1 + np.max(np.abs(expected)))
        assert loaded.run.step == pytest.approx(step)
