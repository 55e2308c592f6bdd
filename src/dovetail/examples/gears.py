"""A pinion drives a wheel against a brake, by nothing but the contact of their teeth."""

from math import pi
from typing import Any

import numpy as np

from dovetail.contact import IPC
from dovetail.linalg.lie import so3
from dovetail.model import Scene
from dovetail.model.shapes.gear import gear
from dovetail.results import Result

DESCRIPTION = "A pinion of 12 teeth turns a wheel of 18 against a brake, tooth on tooth"
RUN: dict[str, Any] = {"duration": 1.0, "step": 5e-3, "contact": IPC()}

MODULE, WIDTH, BACKLASH = 0.01, 0.03, 4e-4  # [m]
PINION, WHEEL = 12, 18  # teeth
SPIN, BRAKE = 2.0, 0.05  # [rad/s], [N m]
HINGE = (True, True, True, True, True, False)


def build() -> Scene:
    """The pinion turns at a constant rate; the wheel is free to turn about z."""
    scene = Scene()
    scene.add_body(
        "pinion", gear(MODULE, PINION, WIDTH, backlash=BACKLASH), motion="kinematic",
        angular_velocity=(0.0, 0.0, SPIN),
    )  # fmt: skip
    scene.add_body(
        "wheel", gear(MODULE, WHEEL, WIDTH, backlash=BACKLASH), density=7800.0, fixed=HINGE,
        position=(MODULE * (PINION + WHEEL) / 2, 0.0, 0.0), rotation=so3.exp([0, 0, pi / WHEEL]),
    )  # fmt: skip
    scene.add_force("brake", "wheel", torque=(0.0, 0.0, BRAKE))
    return scene


def angles(result: Result, name: str) -> Any:
    """(frames,) [rad] turned about z since the start."""
    R = result.rotation(name)
    heading = np.unwrap(np.arctan2(R[:, 1, 0], R[:, 0, 0]))
    return heading - heading[0]


def final_check(result: Result) -> None:
    """The ratio of the teeth within the backlash, at every frame and on average."""
    driven, driving = angles(result, "wheel"), angles(result, "pinion")
    assert np.allclose(driving[-1], SPIN * result.time[-1], atol=1e-9), "the pinion was blocked"
    play = 2 * BACKLASH / (MODULE * WHEEL / 2)  # [rad] of the wheel between flanks
    off = np.abs(driven + driving * PINION / WHEEL).max()
    assert off < 2 * play, f"the wheel is {off:.2e} rad from the ratio of the teeth"
    assert result.min_distance.min() > 0
    half = len(result.time) // 2
    rate = (driven[-1] - driven[half]) / (result.time[-1] - result.time[half])
    wanted = -SPIN * PINION / WHEEL
    slack = 2 * play / (result.time[-1] - result.time[half])  # [rad/s] flank to flank in between
    assert abs(rate - wanted) < slack, f"the wheel turns at {rate:.4f} rad/s, not {wanted:.4f}"
