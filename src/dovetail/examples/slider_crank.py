"""A motor turns a crank at constant speed; a rod drives a slider to and fro.

With crank a, rod b and crank angle phi = omega t the wrist pin is at
x = a cos phi + sqrt(b^2 - a^2 sin^2 phi).
"""

from typing import Any

import numpy as np

from dovetail.examples.four_bar import add_rod
from dovetail.model import Actuation, Box, Prismatic, Revolute, Scene
from dovetail.results import Result

DESCRIPTION = "A motor-driven slider-crank, its slider where the closed form has it"
RUN: dict[str, Any] = {"duration": 2.0, "step": 0.002, "every": 5}

CRANK, ROD = 0.2, 0.7  # [m]
SPEED = 4 * np.pi  # [rad/s]
ALONG_Y = (0.0, -1.0, 0.0)


def build() -> Scene:
    """Crank along x at the start; the motor holds its speed whatever the load."""
    scene = Scene(gravity=(0.0, 0.0, -9.81))
    B, C = (CRANK, 0.0, 0.0), (CRANK + ROD, 0.0, 0.0)
    add_rod(scene, "crank", (0, 0, 0), B, 0.03, density=7850)
    add_rod(scene, "rod", B, C, 0.02, density=7850)
    scene.add_body("slider", Box((0.12, 0.08, 0.08)), density=7850, position=C)
    motor = Actuation(motor=("velocity", SPEED))
    scene.add_joint("main", Revolute((0, 0, 0), ALONG_Y, actuation=[motor]), "ground", "crank")
    scene.add_joint("pin", Revolute(B, ALONG_Y), "crank", "rod")
    scene.add_joint("wrist", Revolute(C, ALONG_Y), "rod", "slider")
    scene.add_joint("guide", Prismatic(C, (1, 0, 0)), "ground", "slider")
    return scene


def final_check(result: Result) -> None:
    """The slider against the closed form, position and velocity."""
    phi = SPEED * result.time
    s, c = np.sin(phi), np.cos(phi)
    root = np.sqrt(ROD**2 - CRANK**2 * s**2)
    x = CRANK * c + root
    speed = -SPEED * CRANK * s - SPEED * CRANK**2 * s * c / root
    assert np.abs(result.position("slider") - np.outer(x, [1, 0, 0])).max() < 1e-9
    assert np.abs(result.velocity("slider") - np.outer(speed, [1, 0, 0])).max() < 1e-9
    assert result.constraint_violation["position"].max() < 1e-12
