"""A two-armed robot read from URDF that lets its arms fall: a tree of ten joints.

Nothing but the fingers has friction, so energy only leaves through their dampers, and the vertical
axis of the waist keeps the angular momentum about it.
"""

from pathlib import Path
from typing import Any

import numpy as np

from dovetail.io import load_scene
from dovetail.model import Scene
from dovetail.results import Result

DESCRIPTION = "A two-armed robot from a URDF file lets its arms fall"
RUN: dict[str, Any] = {"duration": 3.0, "step": 0.001, "every": 20}

URDF = Path(__file__).with_suffix(".urdf")


def build() -> Scene:
    """The robot as its file has it, under gravity."""
    scene = load_scene(URDF).scene
    scene.gravity = (0.0, 0.0, -9.81)
    return scene


def final_check(result: Result) -> None:
    """Energy never grows beyond its band, nothing turns about the vertical on the whole."""
    energy, kinetic = result.energy["total"], result.energy["kinetic"]
    band = 1e-4 * np.ptp(kinetic)
    assert np.all(energy - np.minimum.accumulate(energy) < band), "energy grew"
    assert kinetic.max() > 10.0, "the arms should fall"
    vertical = result.momentum["angular"][:, 2]
    turning = [np.linalg.norm(result.angular_velocity(name), axis=1).max() for name in result.names]
    assert max(turning) > 3.0, "the arms should swing"
    assert np.abs(vertical).max() < 1e-9, "the waist has no torque to give"
