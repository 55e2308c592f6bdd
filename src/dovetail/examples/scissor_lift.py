"""A scissor lift: twelve bars in six crossed pairs raise a table, with seven loops to close.

With bars of length L whose lower ends are w apart each stage is sqrt(L^2 - w^2) high.
"""

from typing import Any

import numpy as np

from dovetail.examples.four_bar import add_rod
from dovetail.model import Actuation, Box, Prismatic, Revolute, Scene
from dovetail.results import Result

DESCRIPTION = "A six-stage scissor lift raised by one driven slider"
RUN: dict[str, Any] = {"duration": 3.0, "step": 0.005, "every": 4}

STAGES, BAR = 6, 1.0  # [m]
WIDE, STROKE = 0.9, 0.35  # [m] at the start, and how far the slider is pulled in
ALONG_Y = (0.0, -1.0, 0.0)
DEPTH = 0.06  # [m] between the two layers of bars


def pulled(t: float) -> float:
    """How far the slider has moved at time t [m]: smooth from rest to rest."""
    return float(-STROKE * (1 - np.cos(np.pi * t / RUN["duration"])) / 2)


def build() -> Scene:
    """Left ends pinned below and above, right ends on sliders; the lower slider is driven."""
    scene = Scene(gravity=(0.0, 0.0, -9.81))
    h = float(np.sqrt(BAR**2 - WIDE**2))
    front, back = np.array([0, -DEPTH / 2, 0]), np.array([0, DEPTH / 2, 0])

    def corner(stage: int, right: bool) -> Any:
        return np.array([WIDE if right else 0.0, 0.0, stage * h])

    for k in range(STAGES):
        rising = (corner(k, False) + front, corner(k + 1, True) + front)
        add_rod(scene, f"rising {k}", *rising, 0.02, density=2700)
        falling = (corner(k, True) + back, corner(k + 1, False) + back)
        add_rod(scene, f"falling {k}", *falling, 0.02, density=2700)
    block = Box((0.08, 0.14, 0.06))
    scene.add_body("slider", block, density=7850, position=corner(0, True))
    scene.add_body("roller", block, density=7850, position=corner(STAGES, True))
    top = STAGES * h
    table = Box((1.1, 0.5, 0.03))
    scene.add_body("table", table, density=2700, position=(0.45, 0, top + 0.06))

    def hinge(name: str, point: Any, first: str, second: str) -> None:
        scene.add_joint(name, Revolute(point, ALONG_Y), first, second)

    for k in range(STAGES):
        middle = (corner(k, False) + corner(k + 1, True)) / 2
        hinge(f"cross {k}", middle, f"rising {k}", f"falling {k}")
    for k in range(STAGES - 1):
        hinge(f"right {k}", corner(k + 1, True), f"rising {k}", f"falling {k + 1}")
        hinge(f"left {k}", corner(k + 1, False), f"falling {k}", f"rising {k + 1}")
    hinge("foot", corner(0, False), "ground", "rising 0")
    hinge("slider pin", corner(0, True), "slider", "falling 0")
    motor = Actuation(motor=("position", pulled))
    guide = Prismatic(corner(0, True), (1, 0, 0), actuation=[motor])
    scene.add_joint("guide", guide, "ground", "slider")
    hinge("table pin", corner(STAGES, False), f"falling {STAGES - 1}", "table")
    hinge("roller pin", corner(STAGES, True), f"rising {STAGES - 1}", "roller")
    scene.add_joint("roller guide", Prismatic(corner(STAGES, True), (1, 0, 0)), "table", "roller")
    return scene


def final_check(result: Result) -> None:
    """The table is level and as high as the width allows."""
    width = WIDE + np.array([pulled(t) for t in result.time])
    height = STAGES * np.sqrt(BAR**2 - width**2) + 0.06
    assert np.abs(result.position("table")[:, 2] - height).max() < 1e-9
    assert np.abs(result.rotation("table") - np.eye(3)).max() < 1e-9
    assert result.constraint_violation["position"].max() < 1e-11
