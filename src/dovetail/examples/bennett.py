"""Bennett's linkage: four hinges in space that should not move, and do.

A loop of four hinges has -2 degrees of freedom by counting. With opposite links alike, lengths a, b
and twists alpha, beta with a / sin alpha = b / sin beta, it has one (Bennett, Engineering 76 (1903)
777). Its angles obey tan(phi/2) tan(psi/2) = sin((alpha + beta)/2) / sin((beta - alpha)/2).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.examples.four_bar import add_rod
from dovetail.model import Revolute, Scene
from dovetail.results import Result

DESCRIPTION = "Bennett's overconstrained linkage swings although counting forbids it"
RUN: dict[str, Any] = {"duration": 6.0, "step": 0.004, "every": 5}

A_LENGTH, ALPHA = 0.6, np.pi / 3
B_LENGTH = 0.4
BETA = np.pi - np.arcsin(B_LENGTH * np.sin(ALPHA) / A_LENGTH)
LENGTHS, TWISTS = (A_LENGTH, B_LENGTH) * 2, (ALPHA, BETA) * 2
RATIO = np.sin((ALPHA + BETA) / 2) / np.sin((BETA - ALPHA) / 2)
START = 1.9  # [rad] first joint angle
Array = NDArray[np.float64]


def _turn(axis: int, angle: float) -> Array:
    R = np.eye(4)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i, i] = R[j, j] = np.cos(angle)
    R[i, j], R[j, i] = -np.sin(angle), np.sin(angle)
    return R


def hinges(phi: float) -> list[Array]:
    """Frames of the four hinges, z along the axis and x along the link that follows."""
    psi = 2 * np.arctan(RATIO / np.tan(phi / 2))
    frames, T = [], np.eye(4)
    for angle, length, twist in zip((phi, psi, -phi, -psi), LENGTHS, TWISTS, strict=True):
        T = T @ _turn(2, angle)
        frames.append(T.copy())
        slide = np.eye(4)
        slide[0, 3] = length
        T = T @ slide @ _turn(0, twist)
    assert np.abs(T - np.eye(4)).max() < 1e-12, "the loop must close"
    return frames


def build() -> Scene:
    """The fourth link is the ground; the other three swing under gravity."""
    scene = Scene(gravity=(0.0, -9.81, 0.0))
    frames = hinges(START)
    points = [frame[:3, 3] for frame in frames]
    bodies = ["first", "second", "third", "ground"]
    for k in range(3):
        add_rod(scene, bodies[k], points[k], points[k + 1], 0.02, density=2700)
    for k in range(4):
        joint = Revolute(points[k], frames[k][:3, 2])
        scene.add_joint(f"hinge {k + 1}", joint, bodies[k - 1], bodies[k])
    return scene


def angles(result: Result) -> tuple[Array, Array]:
    """Joint angles phi and psi of the first two hinges over time [rad]."""
    start = hinges(START)
    psi_start = 2 * np.arctan(RATIO / np.tan(START / 2))
    first = result.rotation("first") @ result.rotation("first")[0].T
    second = result.rotation("second") @ result.rotation("second")[0].T
    relative = np.einsum("tji,tjk->tik", first, second)
    return START + _about(first, start[0][:3, 2]), psi_start + _about(relative, start[1][:3, 2])


def _about(R: Array, axis: Array) -> Array:
    """Angle of rotations about a known axis."""
    sine = np.stack((R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]))
    turned: Array = np.unwrap(np.arctan2(axis @ sine, np.trace(R, axis1=1, axis2=2) - 1))
    return turned


def final_check(result: Result) -> None:
    """Bennett's relation, closed loops, bounded energy; and it does move."""
    phi, psi = angles(result)
    assert np.ptp(phi) > 0.5, "the linkage should swing"
    assert np.abs(np.tan(phi / 2) * np.tan(psi / 2) - RATIO).max() < 1e-9
    assert result.constraint_violation["position"].max() < 1e-11
    energy = result.energy["total"]
    assert np.abs(energy - energy[0]).max() < 1e-3 * np.ptp(result.energy["kinetic"])
