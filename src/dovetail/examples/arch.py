"""An arch of loose stones carries itself by friction alone.

Its middle line is a catenary, the curve in which the thrust of its own weight runs (Hooke 1675),
so every joint is pressed at right angles; at the foot the thrust leans by less than the friction
angle against the floor. Ferguson et al., Rigid IPC (2021), fig. 11.
"""

from typing import Any

import numpy as np

from dovetail.contact import IPC
from dovetail.model import Box, Mesh, Scene
from dovetail.model.values import Array
from dovetail.results import Result

DESCRIPTION = "A catenary arch of 25 loose stones stands by friction alone"
FRICTION = 0.5
RUN: dict[str, Any] = {
    "duration": 3.0,
    "step": 0.01,
    "every": 10,
    "contact": IPC(friction=FRICTION, dhat=1e-3),
}

STONES = 25
SHAPE = 1.0  # [m] a of the catenary z = top - a cosh(x / a)
FOOT = 2.0  # x / a at the floor: slope sinh(2) = 3.6, so the thrust leans by 15 degrees
THICK, WIDE = 0.35, 0.5  # [m]
GAP = 5e-4  # [m] between stones at the start
QUAD = ((0, 1, 2), (0, 2, 3))


def stone(corners: Array) -> Mesh:
    """The prism over four points (4, 2) of the xz-plane, counter-clockwise seen from -y."""
    low = np.insert(corners, 1, -WIDE / 2, axis=1)
    high = np.insert(corners, 1, WIDE / 2, axis=1)
    faces = [QUAD[0], QUAD[1]] + [tuple(4 + i for i in reversed(face)) for face in QUAD]
    for i in range(4):
        j = (i + 1) % 4
        faces += [(j, i, 4 + i), (j, 4 + i, 4 + j)]
    return Mesh(np.vstack([low, high]), faces=faces)


def outline(count: int) -> list[Array]:
    """Corners (4, 2) in x and z of every stone, from the left foot to the right one."""
    length = np.sinh(FOOT)  # of half the line, in units of a
    s = np.linspace(-length, length, count + 1)
    x = SHAPE * np.arcsinh(s)
    z = SHAPE * (np.cosh(FOOT) - np.cosh(x / SHAPE))
    across = np.column_stack([np.tanh(x / SHAPE), 1 / np.cosh(x / SHAPE)])  # outward unit normals
    along = np.column_stack([across[:, 1], -across[:, 0]])
    middle = np.column_stack([x, z])
    stones = []
    for k in range(count):
        back, front = middle[k] + GAP / 2 * along[k], middle[k + 1] - GAP / 2 * along[k + 1]
        corners = np.array([
            back - THICK / 2 * across[k], front - THICK / 2 * across[k + 1],
            front + THICK / 2 * across[k + 1], back + THICK / 2 * across[k],
        ])  # fmt: skip
        if k == 0:
            corners[[0, 3]] = _on_floor(corners[[0, 3]], along[0])
        if k == count - 1:
            corners[[1, 2]] = _on_floor(corners[[1, 2]], along[-1])
        stones.append(corners)
    return stones


def _on_floor(points: Array, along: Array) -> Array:
    """Points moved along the line to the height of half a gap: a foot that is cut level."""
    rise = GAP / 2 - points[:, 1]
    moved: Array = points + rise[:, None] / along[1] * along
    return moved


def build() -> Scene:
    """Stones of limestone on a floor."""
    scene = Scene(gravity=(0.0, 0.0, -9.81))
    scene.add_body("floor", Box((10.0, 4.0, 0.2)), position=(0, 0, -0.1), motion="static")
    for k, corners in enumerate(outline(STONES)):
        scene.add_body(f"stone {k + 1}", stone(corners), density=2300)
    return scene


def final_check(result: Result) -> None:
    """Every stone is where it was, but for the gaps that closed, and stays there."""
    for k in range(STONES):
        moved = result.position(f"stone {k + 1}") - result.position(f"stone {k + 1}")[0]
        sunk = np.linalg.norm(moved, axis=1).max()
        assert sunk < STONES * GAP, f"stone {k + 1} moved by {sunk:g} m"
        speed = np.linalg.norm(result.velocity(f"stone {k + 1}")[-1])
        assert speed < 1e-6, f"stone {k + 1} still moves at {speed:g} m/s"
    assert np.min(result.min_distance) > 0
