"""A ball on a chain swings into a wall of boxes."""

from typing import Any

import numpy as np

from dovetail.contact import IPC
from dovetail.linalg.lie import so3
from dovetail.model import Box, Compound, HalfSpace, Placed, Scene, Sphere, Torus
from dovetail.results import Result
from dovetail.verifier.impulse_balance import impulse_defect

DESCRIPTION = "A ball on a chain of rings swings into a wall of 24 boxes"
RUN: dict[str, Any] = {"duration": 1.2, "step": 0.0125, "contact": IPC()}

MAJOR, MINOR, RINGS = 0.2, 0.04, 6  # [m], [m], number
SPACING = 2 * (MAJOR - MINOR) - 0.01  # [m] from ring to ring
BALL = 0.5  # [m] radius
WIDE, HIGH, SIDE, GAP = 6, 4, 0.4, 1e-3  # boxes, boxes, [m], [m]
SLANT = 1.1  # [rad] at which the ball is let go


def build() -> Scene:
    """The chain hangs from the origin along -x, the wall stands below it at the ball's height."""
    scene = Scene(gravity=(0.0, 0.0, -9.81))
    turn = so3.exp([0.0, SLANT, 0.0])
    line = turn @ np.array([0.0, 0.0, -1.0])
    for k in range(RINGS):
        quarter = so3.exp([0.0, 0.0, k % 2 * np.pi / 2]) @ so3.exp([np.pi / 2, 0.0, 0.0])
        scene.add_body(
            f"ring {k}", Torus(MAJOR, MINOR, segments=16), density=7800.0,
            position=k * SPACING * line, rotation=turn @ quarter,
            motion="static" if k == 0 else "dynamic",
        )  # fmt: skip
    quarter = so3.exp([0.0, 0.0, RINGS % 2 * np.pi / 2]) @ so3.exp([np.pi / 2, 0.0, 0.0])
    eye = Placed(Torus(MAJOR, MINOR, segments=16), rotation=quarter)
    ball = Placed(Sphere(BALL, segments=16), position=(0.0, 0.0, -MAJOR - BALL))
    scene.add_body(
        "ball", Compound([eye, ball]), density=2000.0, position=RINGS * SPACING * line,
        rotation=turn,
    )  # fmt: skip
    lowest = -(RINGS * SPACING + MAJOR + 2 * BALL)
    floor = lowest - 0.3
    scene.add_body("floor", HalfSpace(), motion="static", position=(0.0, 0.0, floor))
    for i in range(WIDE):
        for k in range(HIGH):
            y = (i - (WIDE - 1) / 2) * (SIDE + GAP)
            z = floor + GAP + SIDE / 2 + k * (SIDE + GAP)
            scene.add_body(
                f"box {i} {k}", Box((SIDE, SIDE, SIDE)), density=300.0, position=(BALL + SIDE, y, z)
            )
    return scene


def final_check(result: Result) -> None:
    """The wall is broken, the ball has slowed down, forces balance, and nothing gains energy."""
    start = {name: result.position(name)[0] for name in result.names}
    boxes = [name for name in result.names if name.startswith("box")]
    moved = [np.linalg.norm(result.position(name)[-1] - start[name]) for name in boxes]
    assert sum(distance > SIDE for distance in moved) >= 6, f"only {sorted(moved)[-6:]} m"
    assert result.min_distance.min() > 0
    defect = np.abs(impulse_defect(result)).max()
    most = np.linalg.norm(result.momentum["linear"], axis=1).max()
    # what Newton's tolerance leaves of an impact
    assert defect < 0.03 * most, f"forces leave {defect:.2e} of {most:.2e} kg m/s in a step"
    energy = result.energy["total"]
    assert np.diff(energy).max() < 0.01 * (energy[0] - energy[-1]), "a step added energy"
