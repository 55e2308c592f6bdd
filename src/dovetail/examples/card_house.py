"""A house of cards stands, until two blocks fall on it.

Cards are shells without thickness that lean against each other by friction. Ferguson et al., Rigid
IPC (2021), fig. 10.
"""

from typing import Any

import numpy as np

from dovetail.contact import IPC
from dovetail.linalg.lie import so3
from dovetail.model import Box, Mesh, Scene
from dovetail.model.values import Array
from dovetail.results import Result

DESCRIPTION = "A house of cards stands for a second, then two falling blocks bring it down"
RUN: dict[str, Any] = {
    "duration": 2.2,
    "step": 0.01,
    "every": 2,
    "contact": IPC(friction=0.9, dhat=1e-3),
}

LEVELS = 2
LENGTH, WIDTH = 2.0, 1.0  # [m] of a card
LEAN = np.deg2rad(65.0)
GAP = 8e-4  # [m] where cards nearly touch at the start
SURFACE_DENSITY = 50.0  # [kg/m^2]
DROP = 1.0  # [s] the blocks fall before they reach the house
QUAD = [(0, 1, 2), (0, 2, 3)]


def card() -> Mesh:
    """A rectangle in its xy-plane."""
    x, y = LENGTH / 2, WIDTH / 2
    return Mesh([(-x, -y, 0), (x, -y, 0), (x, y, 0), (-x, y, 0)], faces=QUAD, shell=True)


def cards() -> list[tuple[str, float, float, float]]:
    """(name, x, z, angle about -y) of every card, from the floor up."""
    run, rise = LENGTH / 2 * np.cos(LEAN), LENGTH / 2 * np.sin(LEAN)
    pitch = 4 * run + 4 * GAP  # from tent to tent
    placed, base = [], 0.0
    for level in range(LEVELS):
        tents = LEVELS - level
        for k in range(tents):
            centre = (k - (tents - 1) / 2) * pitch
            z = base + GAP + rise
            placed.append((f"left {level}.{k}", centre - run - GAP / 2, z, LEAN))
            placed.append((f"right {level}.{k}", centre + run + GAP / 2, z, -LEAN))
        base += 2 * rise + 2 * GAP
        for k in range(tents - 1):
            placed.append((f"flat {level}.{k}", (k - (tents - 2) / 2) * pitch, base, 0.0))
    return placed


def build() -> Scene:
    """The house on its floor, and two blocks above it that meet it after `DROP`."""
    scene = Scene(gravity=(0.0, 0.0, -9.81))
    scene.add_body("floor", Box((20.0, 20.0, 0.2)), position=(0, 0, -0.1), motion="static")
    top = 0.0
    for name, x, z, lean in cards():
        turn = so3.exp(np.array([0.0, -lean, 0.0]))
        scene.add_body(name, card(), density=SURFACE_DENSITY, position=(x, 0.0, z), rotation=turn)
        top = max(top, z + LENGTH / 2 * np.sin(abs(lean)))
    height = top + 9.81 / 2 * DROP**2 + 0.5
    for place, y in (("front", -0.3), ("back", 0.3)):  # beside the ridge: both push the same way
        scene.add_body(
            f"block {place}", Box((0.5, 0.5, 0.5)), density=6000, position=(-0.35, y, height)
        )
    return scene


def heights(result: Result) -> Array:
    """(frames, cards) [m] of the centres of all cards."""
    return np.array([result.position(name)[:, 2] for name, *_ in cards()]).T


def final_check(result: Result) -> None:
    """Nothing moves before the blocks come; the top tent is down at the end."""
    z, t = heights(result), result.time
    standing = (t > 0.5) & (t < 0.95 * DROP)
    # the gaps close by contact and nothing else happens
    assert np.abs(z[standing] - z[0]).max() < 8 * GAP, "the house does not stand"
    assert np.ptp(z[standing], axis=0).max() < 1e-3, "the house moves by more than dhat"
    top = [i for i, (name, *_) in enumerate(cards()) if f" {LEVELS - 1}." in name]
    fallen = z[0, top] - z[-1, top]  # flat on what lies below: by half the height of a card
    assert np.all(fallen > 0.45 * LENGTH * np.sin(LEAN)), "the house still stands"
    assert np.min(result.min_distance) > 0
