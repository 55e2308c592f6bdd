"""A bolt turns down into its nut by its own weight, without friction."""

from math import pi
from typing import Any

import numpy as np

from dovetail.contact import IPC
from dovetail.model import Scene
from dovetail.model.shapes.threads import Thread, bolt, nut
from dovetail.results import Result

DESCRIPTION = "A bolt turns down into a nut by its own weight: contact makes the screw"
RUN: dict[str, Any] = {"duration": 0.3, "step": 2e-3, "contact": IPC()}

THREAD = Thread(diameter=0.04, pitch=0.01)  # [m]
TURNS, NUT_TURNS, CLEARANCE = 5, 2, 4e-4  # -, -, [m]


def build() -> Scene:
    """The nut is fixed; the bolt is centred in it, its head up."""
    scene = Scene(gravity=(0.0, 0.0, -9.81))
    shape = bolt(THREAD, TURNS, segments=24, head=(0.06, 0.02))
    scene.add_body("bolt", shape, density=7800.0, rotation=np.diag([1.0, -1.0, -1.0]))
    shape = nut(THREAD, NUT_TURNS, 0.06, clearance=CLEARANCE, segments=30)
    at = -(TURNS - 0.5) * THREAD.pitch
    scene.add_body("nut", shape, motion="static", position=(0.0, 0.0, at))
    return scene


def turned(result: Result) -> Any:
    """(frames,) [rad] of the bolt about z since the start."""
    R = result.rotation("bolt")
    heading = np.unwrap(np.arctan2(R[:, 1, 0], R[:, 0, 0]))
    return heading - heading[0]


def expected_turn(result: Result) -> float:
    """[rad] of a screw without friction, with the damping of implicit Euler.

    (I + m p^2) w' = m g p - I h w^3,   p = pitch / 2 pi: the scheme takes h w^3 from a spin.
    """
    body = result.scene.bodies["bolt"]
    inertia, p = float(body.inertia[2, 2]), THREAD.pitch / (2 * pi)
    h = result.time[1] - result.time[0]
    spin = turn = 0.0
    for _ in range(len(result.time) - 1):
        torque = body.mass * 9.81 * p - inertia * h * spin**3
        spin += h * torque / (inertia + body.mass * p * p)
        turn += h * spin
    return turn


def final_check(result: Result) -> None:
    """The screw relation within the play of the thread, and the turn of a frictionless screw."""
    angle = turned(result)
    drop = result.position("bolt")[:, 2] - result.position("bolt")[0, 2]
    play = 2 * CLEARANCE / np.cos(THREAD.flank_angle)  # [m] along the axis, flank to flank
    off = np.abs(drop - THREAD.pitch * angle / (2 * pi)).max()
    assert off < play, f"{off:.2e} m from the screw's pitch, its play is {play:.2e} m"
    assert result.min_distance.min() > 0
    wanted = expected_turn(result)
    assert abs(-angle[-1] - wanted) < 0.1 * wanted, f"turned {-angle[-1]:.2f} of {wanted:.2f} rad"
