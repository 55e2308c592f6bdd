"""A chain of rings whose first is fixed: no joint, only rings that pass through each other."""

from itertools import pairwise
from typing import Any

import numpy as np

from dovetail.contact import IPC
from dovetail.linalg.lie import so3
from dovetail.model import Scene, Torus
from dovetail.model.values import Array
from dovetail.results import Result
from dovetail.verifier.impulse_balance import impulse_defect

DESCRIPTION = "A chain of six rings swings from its first; contact alone holds it together"
RUN: dict[str, Any] = {"duration": 0.8, "step": 5e-3, "contact": IPC(velocity_tolerance=1e-4)}

RINGS, MAJOR, MINOR, SPACING = 6, 0.04, 0.007, 0.058  # number, [m], [m], [m] from ring to ring
SLANT = 0.9  # [rad] from hanging straight down


def build(rings: int = RINGS) -> Scene:
    """Rings in a line from the origin, each turned a quarter about the line."""
    scene = Scene(gravity=(0.0, 0.0, -9.81))
    line = so3.exp([0.0, -SLANT, 0.0]) @ np.array([0.0, 0.0, -1.0])
    frame = so3.exp([0.0, -SLANT, 0.0])
    for k in range(rings):
        quarter = so3.exp([0.0, 0.0, k % 2 * np.pi / 2]) @ so3.exp([np.pi / 2, 0.0, 0.0])
        scene.add_body(
            f"ring {k}", Torus(MAJOR, MINOR, segments=16), density=7800.0,
            position=k * SPACING * line, rotation=frame @ quarter,
            motion="static" if k == 0 else "dynamic",
        )  # fmt: skip
    return scene


def linking_number(result: Result, a: str, b: str, frame: int, points: int = 200) -> float:
    """How often the middle circle of one ring passes through the other: Gauss's integral.

    Lk = 1/(4 pi) sum of (x_a - x_b) . (dx_a x dx_b) / |x_a - x_b|^3.
    """
    x_a, d_a = _circle(result, a, frame, points)
    x_b, d_b = _circle(result, b, frame, points)
    apart = x_a[:, None] - x_b[None]
    turn = np.cross(d_a[:, None], d_b[None])
    distance = np.linalg.norm(apart, axis=2)
    return float(np.sum(np.einsum("ijk,ijk->ij", apart, turn) / distance**3) / (4 * np.pi))


def _circle(result: Result, name: str, frame: int, points: int) -> tuple[Array, Array]:
    """Points of the middle circle and the vector from each to the next, (points, 3) [m]."""
    s = 2 * np.pi * np.arange(points) / points
    R, x = result.rotation(name)[frame], result.position(name)[frame]
    circle = MAJOR * np.column_stack([np.cos(s), np.sin(s), 0 * s]) @ R.T + x
    along = MAJOR * np.column_stack([-np.sin(s), np.cos(s), 0 * s]) @ R.T * (2 * np.pi / points)
    return circle, along


def final_check(result: Result) -> None:
    """All rings still linked, forces balance, energy only goes down."""
    names = result.names
    for frame in (0, len(result.time) // 2, -1):
        for a, b in pairwise(names):
            linked = abs(linking_number(result, a, b, frame))
            assert abs(linked - 1) < 1e-3, f"{a} and {b} are linked {linked:.3f} times"
    assert result.min_distance.min() > 0
    mass = float(result.stored.header.mass[1:].sum())
    defect = np.abs(impulse_defect(result)).max()
    most = np.linalg.norm(result.momentum["linear"], axis=1).max()
    # what Newton's tolerance leaves of an impact
    assert defect < 0.003 * most, f"forces leave {defect:.2e} of {most:.2e} kg m/s in a step"
    available = mass * 9.81 * (len(names) * SPACING / 2) * (1 - np.cos(SLANT))  # [J] to swing with
    assert np.diff(result.energy["total"]).max() < 0.01 * available, "a step added energy"
    lowest = min(result.position(name)[:, 2].min() for name in names)
    longest = (len(names) - 1) * 2 * (MAJOR - MINOR)
    assert -longest < lowest < -0.9 * longest, f"the chain reached down to {lowest:.3f} m"
