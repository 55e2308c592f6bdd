"""Blocks on four turntables that spin up: one slips through, two are thrown off, one stays.

A block at radius r is carried along until (Omega^4 + Omega'^2) r^2 > mu^2 g^2. Ferguson et al.,
Rigid IPC (2021), fig. 13.
"""

from typing import Any

import numpy as np

from dovetail.contact import IPC
from dovetail.linalg.lie import so3
from dovetail.model import Box, Cylinder, Scene
from dovetail.model.values import Array
from dovetail.results import Result

DESCRIPTION = "Blocks on turntables: mu = 0 stays behind, 0.1 and 0.5 fly off, 1 goes round"
RUN: dict[str, Any] = {
    "duration": 8.0,
    "step": 0.01,
    "every": 2,
    "contact": IPC(dhat=1e-3),
}

GRAVITY = 9.81
RADIUS, DISC = 1.0, 2.0  # [m] of the blocks' circle and of the table
SPEED_UP, FULL = 0.35, 2.6  # [rad/s^2], [rad/s]: Omega^2 r / g grows to 0.69
SIDE = 0.2  # [m]
COEFFICIENTS = (0.0, 0.1, 0.5, 1.0)


def name_of(mu: float) -> str:
    return f"block mu={mu:g}"


def angle(t: float) -> float:
    """[rad] of the table, which speeds up evenly to its full speed."""
    ramp = FULL / SPEED_UP
    return SPEED_UP * t * t / 2 if t < ramp else FULL * (t - ramp / 2)


def turning(centre: Array) -> Any:
    """The motion of the table at `centre`: t -> (position, rotation)."""
    return lambda t: (centre, so3.exp(np.array([0.0, 0.0, angle(t)])))


def build() -> Scene:
    """A table and a block on it for each coefficient."""
    scene = Scene(gravity=(0.0, 0.0, -GRAVITY))
    for k, mu in enumerate(COEFFICIENTS):
        centre = np.array([5.0 * k, 0.0, -0.05])
        table = f"table mu={mu:g}"
        scene.add_body(
            table, Cylinder(radius=DISC, height=0.1), motion="kinematic", position=centre,
            trajectory=turning(centre),
        )  # fmt: skip
        place = centre + np.array([RADIUS, 0.0, 0.05 + SIDE / 2 + 5e-4])
        scene.add_body(name_of(mu), Box((SIDE, SIDE, SIDE)), density=1000, position=place)
        scene.add_material_pair(name_of(mu), table, friction=mu)
    return scene


def seen_from_table(result: Result, mu: float) -> Array:
    """(frames, 2) [m] where the block is, in axes at the centre that turn with its table."""
    away = result.position(name_of(mu)) - [5.0 * COEFFICIENTS.index(mu), 0.0, 0.0]
    turned = [so3.exp(np.array([0, 0, -angle(t)])) @ p for t, p in zip(result.time, away)]
    return np.array(turned)[:, :2]


def leaves_at(result: Result, mu: float) -> float:
    """[s] when the block has slid outward by a hundredth of its radius; infinite if never."""
    out = np.flatnonzero(np.linalg.norm(seen_from_table(result, mu), axis=1) > 1.01 * RADIUS)
    return float(result.time[out[0]]) if len(out) else np.inf


def final_check(result: Result) -> None:
    """Each block does what its coefficient says."""
    early = result.time < 2.0
    left = np.linalg.norm(seen_from_table(result, 0.0)[early] - [RADIUS, 0.0], axis=1)[-1]
    carried = np.linalg.norm(np.diff(result.position(name_of(0.0))[early][[0, -1]], axis=0))
    assert carried < 0.1 * left, f"without friction the block is carried along by {carried:g} m"
    for mu in (0.1, 0.5):
        limit = np.sqrt(np.sqrt((mu * GRAVITY / RADIUS) ** 2 - SPEED_UP**2))  # [rad/s]
        begins = limit / SPEED_UP
        t = leaves_at(result, mu)
        # it slides out by 1 % within a second once the cone is passed
        assert begins < t < begins + 1.0, f"mu = {mu} leaves at {t} s, it slips at {begins:.2f} s"
    at_rest = seen_from_table(result, 1.0)
    moved = np.linalg.norm(at_rest - at_rest[0], axis=1).max()
    assert moved < 1e-3, f"the block with mu = 1 slid by {moved:g} m"
    assert np.min(result.min_distance) > 0
