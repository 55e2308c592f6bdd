"""A Stewart platform: six legs of driven length carry a plate through a chosen motion.

Each leg is a universal joint at the base, a driven slide and a ball at the plate. The lengths
|p(t) + R(t) b_i - a_i| that the motion needs are closed form (Stewart, Proc. IMechE 180 (1965)
371); the simulation has to give the motion back.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.examples.four_bar import add_rod
from dovetail.linalg.lie import so3
from dovetail.model import Actuation, Cylinder, Prismatic, Scene, Spherical, Universal
from dovetail.results import Result

DESCRIPTION = "Six driven legs carry a Stewart platform through a chosen motion"
RUN: dict[str, Any] = {"duration": 4.0, "step": 0.005, "every": 4}

BASE_RADIUS, PLATE_RADIUS, HEIGHT = 0.9, 0.5, 0.8  # [m]
Array = NDArray[np.float64]


def _ring(radius: float, spread: float, turned: float) -> Array:
    """Three pairs of points on a circle, `spread` [rad] apart in each pair."""
    angles = [turned + 2 * np.pi * k / 3 + s * spread / 2 for k in range(3) for s in (-1, 1)]
    return np.array([[radius * np.cos(a), radius * np.sin(a), 0.0] for a in angles])


FEET = _ring(BASE_RADIUS, 0.5, 0.0)
BALLS = np.roll(_ring(PLATE_RADIUS, 0.5, np.pi / 3), 1, axis=0)


def plate_pose(t: float) -> tuple[Array, Array]:
    """The prescribed motion: position [m] and rotation of the plate."""
    s = (1 - np.cos(np.pi * t / 2)) / 2
    position = np.array([0.15 * np.sin(np.pi * t) * s, 0.1 * s, HEIGHT + 0.12 * s])
    return position, so3.exp(np.array([0.25 * s, 0.2 * np.sin(np.pi * t) * s, 0.3 * s]))


def leg_length(leg: int, t: float) -> float:
    """Distance [m] of the leg's ball from its foot."""
    position, R = plate_pose(t)
    return float(np.linalg.norm(position + R @ BALLS[leg] - FEET[leg]))


def _stroke(leg: int) -> Callable[[float], float]:
    rest = leg_length(leg, 0.0)
    return lambda t: leg_length(leg, t) - rest


def build() -> Scene:
    """A steel plate on six legs, each a cylinder and a piston."""
    scene = Scene(gravity=(0.0, 0.0, -9.81))
    scene.add_body("plate", Cylinder(0.6, 0.04), density=7850, position=(0, 0, HEIGHT))
    for leg in range(6):
        foot, ball = FEET[leg], np.array([0.0, 0.0, HEIGHT]) + BALLS[leg]
        along = (ball - foot) / np.linalg.norm(ball - foot)
        across = np.cross([0.0, 0.0, 1.0], along)
        add_rod(scene, f"cylinder {leg}", foot, foot + 0.65 * along, 0.035, density=2700)
        add_rod(scene, f"piston {leg}", ball - 0.75 * along, ball, 0.02, density=7850)
        second = np.cross(along, across)
        foot_joint = Universal(foot, across, axis2=second)
        scene.add_joint(f"foot {leg}", foot_joint, "ground", f"cylinder {leg}")
        motor = Actuation(motor=("position", _stroke(leg)))
        slide = Prismatic(foot, along, actuation=[motor])
        scene.add_joint(f"slide {leg}", slide, f"cylinder {leg}", f"piston {leg}")
        scene.add_joint(f"ball {leg}", Spherical(ball), f"piston {leg}", "plate")
    return scene


def final_check(result: Result) -> None:
    """The plate goes where the leg lengths were computed for."""
    poses = [plate_pose(t) for t in result.time]
    assert np.abs(result.position("plate") - [p for p, _ in poses]).max() < 1e-9
    assert np.abs(result.rotation("plate") - [R for _, R in poses]).max() < 1e-9
    assert result.constraint_violation["position"].max() < 1e-12
