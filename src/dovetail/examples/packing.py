"""Parts for a 3D printer fall into a box that is shaken, and keep 1 mm from each other always.

The box is filled as a printer's volume is: the settled parts can be printed as they lie. The
clearance is not hoped for, it is a bound of the method, kept at every time and on every path
between; the verifier proves it (`dovetail check RESULT --clearance 0.001`). Ferguson
et al., Rigid IPC (2021), fig. 14.
"""

from functools import cache
from typing import Any

import numpy as np

from dovetail.contact import IPC
from dovetail.linalg.lie import so3
from dovetail.model import Box, Compound, Placed, Scene
from dovetail.model.shapes import Shape
from dovetail.model.values import Array
from dovetail.results import Result
from dovetail.verifier.certificate import certify

DESCRIPTION = "Six parts are shaken into a printer's box and keep 1 mm from each other"
CLEARANCE = 1e-3  # [m]
RUN: dict[str, Any] = {
    "duration": 1.2,
    "step": 0.005,
    "every": 4,
    "contact": IPC(friction=0.1, min_separation=CLEARANCE, dhat=5e-4),
}

SIDE, HEIGHT, WALL = 0.12, 0.16, 0.01  # [m] of the box inside, and its walls
SHAKE, RATE, UNTIL = 4e-3, 6.0, 0.9  # [m], [1/s], [s]: how far, how often and how long


def box() -> Compound:
    """Open at the top; its floor is at z = 0."""
    across, out = SIDE + 2 * WALL, SIDE / 2 + WALL / 2
    parts = [Placed(Box((across, across, WALL)), position=(0, 0, -WALL / 2))]
    for sign in (-1, 1):
        parts.append(Placed(Box((WALL, across, HEIGHT)), position=(sign * out, 0, HEIGHT / 2)))
        parts.append(Placed(Box((SIDE, WALL, HEIGHT)), position=(0, sign * out, HEIGHT / 2)))
    return Compound(parts)


def shaken(t: float) -> tuple[Array, Array]:
    """Centre of mass of the box: a sideways wave that swells and dies away."""
    swell = np.sin(np.pi * t / UNTIL) ** 2 if t < UNTIL else 0.0
    shift = SHAKE * swell * np.sin(2 * np.pi * RATE * t)
    return centre_of_box() + np.array([shift, 0.0, 0.0]), np.eye(3)


@cache
def centre_of_box() -> Array:
    """[m] of mass, when the floor inside is at z = 0."""
    return Scene().add_body("box", box()).position


def bracket() -> Compound:
    """Two plates at a right angle."""
    return Compound([
        Placed(Box((0.05, 0.03, 0.006))),
        Placed(Box((0.006, 0.03, 0.04)), position=(-0.022, 0, 0.023)),
    ])  # fmt: skip


def parts() -> list[tuple[str, Shape]]:
    """What is to be printed."""
    return [
        ("plate", Box((0.05, 0.035, 0.006))),
        ("bracket", bracket()),
        ("cube", Box((0.025, 0.025, 0.025))),
        ("bar", Box((0.01, 0.01, 0.07))),
        ("second bracket", bracket()),
        ("tile", Box((0.04, 0.04, 0.008))),
    ]


def build() -> Scene:
    """Parts hang above each other over the box, each rotated differently."""
    scene = Scene(gravity=(0.0, 0.0, -9.81))
    scene.add_body(
        "box", box(), motion="kinematic", trajectory=shaken, position=(0.0, 0.0, 0.0),
    )  # fmt: skip
    for k, (name, shape) in enumerate(parts()):
        turn = so3.exp(np.array([0.9 * k, 0.5 - 0.4 * k, 0.3 * k]))
        side = 0.02 * np.array([np.cos(2.4 * k), np.sin(2.4 * k)])
        scene.add_body(
            name, shape, density=1100, position=(*side, 0.05 + 0.07 * k), rotation=turn,
        )  # fmt: skip
    return scene


def final_check(result: Result) -> None:
    """The clearance holds at all times, and every part has come to rest inside the box."""
    found = certify(result, clearance=CLEARANCE)
    assert found.verdict == "free", f"{found.verdict}: {found.states.crossings}, {found.paths}"
    for name, _ in parts():
        body = result.scene.bodies[name]
        world = body.vertices @ result.rotation(name)[-1].T + result.position(name)[-1]
        assert np.all(np.abs(world[:, :2]) < SIDE / 2), f"'{name}' is not in the box"
        assert world[:, 2].min() > 0 and world[:, 2].max() < HEIGHT, f"'{name}' sticks out"
