"""Two blocks on a line: one hits another four times as heavy, without loss.

Zhang, You and Liu 2024, section 4.1: by momentum and energy the light block returns at +3 m/s
and the heavy one leaves at -2 m/s.
"""

from typing import Any

import numpy as np

from dovetail.contact import SDF
from dovetail.model import Box, Scene
from dovetail.results import Result

DESCRIPTION = "A block hits one four times as heavy at 5 m/s: they part at +3 and -2 m/s"
RUN: dict[str, Any] = {
    "duration": 0.7,
    "step": 2e-4,
    "every": 10,
    "contact": SDF(damping=0.0, stiffness=1e7),
}

SIDE, DENSITY, SPEED = 1.0, 1000.0, -5.0  # [m], [kg/m^3], [m/s]
RATIO = 4.0  # of the volumes, so of the masses


def build(start: float = 3.0) -> Scene:
    """Slider 1 at x = `start` [m] moves toward slider 2 at the origin; no gravity."""
    scene = Scene()
    large = SIDE * RATIO ** (1 / 3)
    scene.add_body("slider 2", Box((large, large, large)), density=DENSITY)
    scene.add_body(
        "slider 1", Box((SIDE, SIDE, SIDE)), density=DENSITY, position=(start, 0.0, 0.0),
        velocity=(SPEED, 0.0, 0.0),
    )  # fmt: skip
    return scene


def final_check(result: Result) -> None:
    """Speeds of the elastic impact, momentum at round-off."""
    light = SPEED * (1 - RATIO) / (1 + RATIO)
    heavy = SPEED * 2 / (1 + RATIO)
    ends = result.velocity("slider 1")[-1], result.velocity("slider 2")[-1]
    # over a contact of about 6 ms a step of 0.2 ms leaves (h / duration)^2 = 1e-3 of the speed
    assert np.allclose(ends[0], (light, 0, 0), atol=5e-3), f"slider 1 leaves at {ends[0]} m/s"
    assert np.allclose(ends[1], (heavy, 0, 0), atol=2e-3), f"slider 2 leaves at {ends[1]} m/s"
    momentum = result.momentum["linear"]
    assert np.abs(momentum - momentum[0]).max() < 1e-12 * np.abs(momentum[0]).max()
