"""Boxes dropped at random: each ends elsewhere, but as a heap they end alike."""

import numpy as np

from dovetail.linalg.lie import so3
from dovetail.model import Box, Scene
from dovetail.validation.agreement.case import Case, Outcome

COUNT, SIDE, DENSITY = 18, 0.1, 1000.0
_rng = np.random.default_rng(3)
_k = np.arange(COUNT)
PLACE = 0.18 * np.column_stack([_k % 3 - 1, _k // 3 % 3 - 1, _k // 9 + 0.6])
PLACE = PLACE + 0.005 * _rng.uniform(-1, 1, (COUNT, 3))
TURN = _rng.normal(size=(COUNT, 3))  # rotation vectors


def build() -> Scene:
    scene = Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", Box((6, 6, 1)), motion="static", position=(0, 0, -0.5))
    for k, (place, turn) in enumerate(zip(PLACE, TURN)):
        scene.add_body(f"{k}", Box((SIDE,) * 3), density=DENSITY, position=place,
                       rotation=so3.exp(turn))  # fmt: skip
    return scene


def mjcf() -> str:
    half = SIDE / 2
    boxes = "".join(
        f'<body name="{k}" pos="{place[0]} {place[1]} {place[2]}" axisangle="{turn[0]} {turn[1]} '
        f'{turn[2]} {np.linalg.norm(turn)}"><freejoint/><geom type="box" '
        f'size="{half} {half} {half}" density="{DENSITY}"/></body>'
        for k, (place, turn) in enumerate(zip(PLACE, TURN))
    )
    floor = '<geom name="floor" type="box" size="3 3 .5" pos="0 0 -.5"/>'
    return f"<worldbody>{floor}{boxes}</worldbody>"


def values(outcome: Outcome) -> dict[str, float]:
    centres = np.array([outcome.position[f"{k}"][-1] for k in range(COUNT)])
    speeds = np.array([outcome.velocity[f"{k}"][-1] for k in range(COUNT)])
    middle = centres[:, :2] - centres[:, :2].mean(axis=0)
    return {
        "mean height [m]": float(centres[:, 2].mean()),
        "spread, r.m.s. [m]": float(np.sqrt((middle**2).sum(axis=1).mean())),
        "fastest at the end [m/s]": float(np.linalg.norm(speeds, axis=1).max()),
        "lowest centre [m]": float(centres[:, 2].min()),
    }


CASE = Case(
    f"Heap of {COUNT} cubes, mu = 0.5, after 1.5 s", build, mjcf, 1.5, values, friction=0.5,
    expected={"fastest at the end [m/s]": 0.0, "lowest centre [m]": SIDE / 2},
    key="mean height [m]",
)  # fmt: skip
