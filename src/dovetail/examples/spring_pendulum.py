"""A ball on a spring tuned so that it bounces twice per swing: bouncing turns into swinging.

With k = 3 m g / l_0 the stretched length is l = 4/3 l_0, and the spring's frequency sqrt(k/m) is
twice the pendulum's sqrt(g/l): the 2:1 resonance of Vitt and Gorelik (1933). Any small swing then
grows at the cost of the bounce until most of the energy has changed place, and back again.
"""

from typing import Any

import numpy as np

from dovetail.model import Scene, Sphere
from dovetail.results import Result

DESCRIPTION = "A ball on a spring bounces, then swings, then bounces: a 2:1 resonance"
RUN: dict[str, Any] = {"duration": 30.0, "step": 0.002, "every": 20}

MASS, G, REST = 1.0, 9.81, 0.75  # [kg], [m/s^2], [m]
STIFFNESS = 3 * MASS * G / REST  # [N/m]
HANG = REST + MASS * G / STIFFNESS  # [m] length at rest: 1 m
BOUNCE, SWAY = 0.12, 0.03  # [m] down and [m/s] sideways at the start


def build() -> Scene:
    """The ball hangs below the origin, pulled down and pushed a little sideways."""
    scene = Scene(gravity=(0.0, 0.0, -G))
    start = (0.0, 0.0, -HANG - BOUNCE)
    scene.add_body("ball", Sphere(0.08), mass=MASS, position=start, velocity=(SWAY, 0.01, 0.0))
    scene.add_spring("spring", "ground", "ball", (0, 0, 0), start, STIFFNESS, rest_length=REST)
    return scene


def final_check(result: Result) -> None:
    """Energy in its band, momentum about the vertical constant, the bounce became a swing."""
    energy = result.energy["total"]
    moving = 0.5 * STIFFNESS * BOUNCE**2  # [J] what bounces and swings
    w = np.sqrt(STIFFNESS / MASS)
    # Verlet's energy is off by (h w)^2 / 8 of the vibration's
    assert np.abs(energy - energy[0]).max() < (RUN["step"] * w) ** 2 * moving, "energy drifts"
    about_vertical = result.momentum["angular"][:, 2]
    size = MASS * np.linalg.norm(result.position("ball"), axis=1).max() * SWAY
    assert np.abs(about_vertical - about_vertical[0]).max() < 1e-11 * size, "torque about vertical"
    x = result.position("ball")
    swing = np.hypot(x[:, 0], x[:, 1])
    sway_alone = np.hypot(SWAY, 0.01) / np.sqrt(G / HANG)  # [m] without the resonance
    assert swing.max() > 5 * sway_alone, "the bounce did not feed the swing"
    stretch = np.abs(np.linalg.norm(x, axis=1) - HANG)
    full = int(np.argmax(swing))
    near = np.abs(result.time - result.time[full]) < np.pi / w  # one bounce around that time
    assert stretch[near].max() < 0.8 * BOUNCE, "the bounce gave nothing to the swing"
