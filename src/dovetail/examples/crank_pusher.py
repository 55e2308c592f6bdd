"""A motor turns a four-bar linkage whose rocker pushes a block over the floor.

Joints, motor and frictional contact are solved together: the loop stays closed to rounding, the
crank follows its motor whatever the block resists, and nothing intersects.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.contact import IPC
from dovetail.examples.four_bar import COUPLER, CRANK, GROUND, ROCKER
from dovetail.model import Actuation, Box, Revolute, Scene
from dovetail.results import Result

DESCRIPTION = "A motor-driven four-bar linkage pushes a block, joints and contact in one solve"
SPEED, START = 3.0, 2.6  # [rad/s], [rad] of the crank
RUN: dict[str, Any] = {"duration": 1.7, "step": 0.01, "contact": IPC(friction=0.5)}

THICK, BLOCK = 0.04, 0.1  # [m]
UP = (0.0, 0.0, 1.0)


def pins(angle: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Pins of crank and rocker [m] with the crank at `angle`, the linkage flat on the floor."""
    B = CRANK * np.array([np.cos(angle), np.sin(angle), 0.0])
    span = np.array([GROUND, 0.0, 0.0]) - B
    r = np.linalg.norm(span)
    lift = np.arccos((COUPLER**2 + r**2 - ROCKER**2) / (2 * COUPLER * r))
    direction = np.arctan2(span[1], span[0]) + lift
    return B, B + COUPLER * np.array([np.cos(direction), np.sin(direction), 0.0])


def rocker_angle(angle: float) -> float:
    """[rad] of the rocker against x, from its pivot."""
    _, C = pins(angle)
    return float(np.arctan2(C[1], C[0] - GROUND))


def build() -> Scene:
    """Bars lie a finger above the floor; the block is in the rocker's path."""
    scene = Scene(gravity=(0.0, 0.0, -9.81))
    scene.add_body("floor", Box((1.8, 1.6, 0.1)), motion="static", position=(0.45, 0.2, -0.05))
    A, D = np.zeros(3), np.array([GROUND, 0.0, 0.0])
    B, C = pins(START)
    height = np.array([0.0, 0.0, 0.05])
    for name, start, end in (("crank", A, B), ("coupler", B, C), ("rocker", D, C)):
        along = end - start
        heading = np.arctan2(along[1], along[0])
        c, s = np.cos(heading), np.sin(heading)
        scene.add_body(
            name, Box((np.linalg.norm(along), THICK, THICK)), density=2700,
            position=(start + end) / 2 + height, rotation=[[c, -s, 0], [s, c, 0], [0, 0, 1]],
        )  # fmt: skip
    motor = [Actuation(motor=("velocity", SPEED))]
    scene.add_joint("A", Revolute(A, UP, actuation=motor), "ground", "crank")
    for name, point, first, second in (
        ("B", B, "crank", "coupler"),
        ("C", C, "coupler", "rocker"),
        ("D", D, "rocker", "ground"),
    ):
        scene.add_joint(name, Revolute(point, UP), first, second)
    c, s = np.cos(rocker_angle(START)), np.sin(rocker_angle(START))
    ahead = 0.5 * (THICK + BLOCK) + 0.02  # to the side the rocker swings to first
    at = D + 0.45 * np.array([c, s, 0.0]) + ahead * np.array([s, -c, 0.0])
    scene.add_body(
        "block", Box((BLOCK, BLOCK, BLOCK)), density=1000,
        position=(at[0], at[1], BLOCK / 2 + 1e-4),
        rotation=[[c, -s, 0], [s, c, 0], [0, 0, 1]],
    )  # fmt: skip
    return scene


def final_check(result: Result) -> None:
    """The linkage where its closed form has it at every frame, the block pushed and let go."""
    crank, rocker = result.rotation("crank"), result.rotation("rocker")
    turn = np.unwrap(np.arctan2(crank[:, 1, 0], crank[:, 0, 0]))
    assert np.abs(turn - START - SPEED * result.time).max() < 1e-9, "the crank follows its motor"
    expected = np.array([rocker_angle(angle) for angle in turn])
    assert np.abs(np.arctan2(rocker[:, 1, 0], rocker[:, 0, 0]) - expected).max() < 1e-9
    assert result.constraint_violation["position"].max() < 1e-9
    assert result.min_distance.min() > 0
    block = result.position("block")
    distance = np.linalg.norm(block - block[0], axis=1)
    assert distance[-1] > 0.1, f"the block went {distance[-1]:.3f} m"
    assert np.linalg.norm(result.velocity("block")[-1]) < 1e-6, "friction stops it"
