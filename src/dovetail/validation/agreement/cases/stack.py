"""Five cubes on each other stay where they are."""

import numpy as np

from dovetail.model import Box, Scene
from dovetail.validation.agreement.case import Case, Outcome

COUNT, SIDE, DENSITY = 5, 0.2, 500.0
WEIGHT = DENSITY * SIDE**3 * 9.81  # [N] of one cube
NAMES = tuple(f"cube {k}" for k in range(COUNT))


def build() -> Scene:
    scene = Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", Box((6, 6, 1)), motion="static", position=(0, 0, -0.5))
    for k, name in enumerate(NAMES):
        scene.add_body(name, Box((SIDE,) * 3), density=DENSITY, position=(0, 0, SIDE * (k + 0.5)))
    return scene


def mjcf() -> str:
    half = SIDE / 2
    cubes = "".join(
        f'<body name="{name}" pos="0 0 {SIDE * (k + 0.5)}"><freejoint/>'
        f'<geom type="box" size="{half} {half} {half}" density="{DENSITY}"/></body>'
        for k, name in enumerate(NAMES)
    )
    floor = '<geom name="floor" type="box" size="3 3 .5" pos="0 0 -.5"/>'
    return f"<worldbody>{floor}{cubes}</worldbody>"


def values(outcome: Outcome) -> dict[str, float]:
    top = outcome.position[NAMES[-1]]
    return {
        "top sinks [mm]": 1e3 * float(top[0, 2] - top[-1, 2]),
        "top drifts [mm]": 1e3 * float(np.hypot(*(top[-1] - top[0])[:2])),
        "force on the floor [N]": -float(outcome.force[NAMES[0], "floor"][-100:, 2].mean()),
        "force under the top [N]": float(outcome.force[NAMES[-2], NAMES[-1]][-100:, 2].mean()),
    }


CASE = Case(
    "Stack of five cubes for 2 s, mu = 0.5", build, mjcf, 2.0, values, friction=0.5,
    pairs=((NAMES[0], "floor"), (NAMES[-2], NAMES[-1])),
    expected={
        "top sinks [mm]": 0.0, "top drifts [mm]": 0.0,
        "force on the floor [N]": COUNT * WEIGHT, "force under the top [N]": WEIGHT,
    },
    key="top sinks [mm]",
)  # fmt: skip
