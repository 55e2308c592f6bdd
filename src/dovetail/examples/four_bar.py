"""A crank-rocker four-bar linkage set spinning in a vertical plane.

Freudenstein's closed form gives the rocker from the crank: the pins B on the crank and C on the
rocker are always one coupler apart (Freudenstein, Trans. ASME 77 (1955) 853).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.model import Capsule, Revolute, Scene
from dovetail.results import Result

DESCRIPTION = "A four-bar linkage spinning under gravity, its loop closed to round-off"
RUN: dict[str, Any] = {"duration": 4.0, "step": 0.002, "every": 5}

CRANK, COUPLER, ROCKER, GROUND = 0.3, 0.8, 0.6, 0.7  # [m] between pins: the crank turns fully
ALONG_Y = (0.0, -1.0, 0.0)
START, SPIN = 1.0, 9.0  # [rad], [rad/s] of the crank


def pins(angle: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Pins B and C [m] when the crank is at `angle` [rad], with the linkage not crossed."""
    B = CRANK * np.array([np.cos(angle), 0.0, np.sin(angle)])
    span = np.array([GROUND, 0.0, 0.0]) - B
    r = np.linalg.norm(span)
    lift = np.arccos((COUPLER**2 + r**2 - ROCKER**2) / (2 * COUPLER * r))
    direction = np.arctan2(span[2], span[0]) + lift
    return B, B + COUPLER * np.array([np.cos(direction), 0.0, np.sin(direction)])


def add_rod(scene: Scene, name: str, start: Any, end: Any, radius: float, **options: Any) -> None:
    """A round rod between two points."""
    start, end = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    length = float(np.linalg.norm(end - start))
    z = (end - start) / length
    x = np.eye(3)[np.argmin(np.abs(z))]
    x = x - (x @ z) * z
    x /= np.linalg.norm(x)
    scene.add_body(
        name,
        Capsule(radius, length),
        position=(start + end) / 2,
        rotation=np.column_stack((x, np.cross(z, x), z)),
        **options,
    )


def build() -> Scene:
    """Three aluminium rods on four hinges; what is only nearly consistent is made so at the start.

    Velocities of the pins are differences of the closed form, good to nine digits.
    """
    scene = Scene(gravity=(0.0, 0.0, -9.81))
    A, D = np.zeros(3), np.array([GROUND, 0.0, 0.0])
    B, C = pins(START)
    before, after = pins(START - 1e-6), pins(START + 1e-6)
    speeds = [SPIN * (new - old) / 2e-6 for old, new in zip(before, after, strict=True)]
    for name, start, end, v_start, v_end, radius in (
        ("crank", A, B, np.zeros(3), speeds[0], 0.02),
        ("coupler", B, C, speeds[0], speeds[1], 0.015),
        ("rocker", D, C, np.zeros(3), speeds[1], 0.02),
    ):
        along = end - start
        spin = np.cross(along, v_end - v_start) / (along @ along)
        middle = (v_start + v_end) / 2
        add_rod(
            scene, name, start, end, radius,
            density=2700, velocity=middle, angular_velocity=spin,
        )  # fmt: skip
    for name, point, first, second in (
        ("A", A, "ground", "crank"),
        ("B", B, "crank", "coupler"),
        ("C", C, "coupler", "rocker"),
        ("D", D, "rocker", "ground"),
    ):
        scene.add_joint(name, Revolute(point, ALONG_Y), first, second)
    return scene


def final_check(result: Result) -> None:
    """Rocker where Freudenstein has it, loops closed, energy in its band."""
    crank, rocker = result.position("crank"), result.position("rocker")
    turns = np.unwrap(np.arctan2(crank[:, 2], crank[:, 0]))
    assert np.ptp(turns) > 2 * np.pi, "the crank should turn fully"
    D = np.array([GROUND, 0.0, 0.0])
    expected = np.array([(D + pins(angle)[1]) / 2 for angle in turns])
    assert np.abs(rocker - expected).max() < 1e-9
    assert result.constraint_violation["position"].max() < 1e-12
    assert result.constraint_violation["velocity"].max() < 1e-11
    energy = result.energy["total"]
    assert np.abs(energy - energy[0]).max() < 1e-3 * np.ptp(result.energy["kinetic"])
