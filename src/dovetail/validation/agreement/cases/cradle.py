"""Five balls in a row, e = 1: the last one takes the motion of the first."""

import numpy as np

from dovetail.model import Scene, Sphere
from dovetail.validation.agreement.case import Case, Outcome

RADIUS, GAP, COUNT = 0.05, 1e-4, 5  # [m], [m], -


def build() -> Scene:
    scene = Scene()
    for k in range(COUNT):
        x = k * (2 * RADIUS + GAP) - (0.1 if k == 0 else 0.0)
        scene.add_body(f"{k}", Sphere(RADIUS), mass=0.5, position=(x, 0, 0),
                       velocity=(1.0 if k == 0 else 0.0, 0, 0))  # fmt: skip
    return scene


def mjcf() -> str:
    """An undamped contact is the peer's nearest to e = 1."""
    balls = "".join(
        f'<body name="{k}" pos="{k * (2 * RADIUS + GAP) - (0.1 if k == 0 else 0)} 0 0">'
        f'<joint type="slide" axis="1 0 0"/><geom type="sphere" size="{RADIUS}" mass=".5" '
        'solref="-1e5 0"/></body>'
        for k in range(COUNT)
    )
    return f'<worldbody>{balls}</worldbody><keyframe><key qvel="1 0 0 0 0"/></keyframe>'


def values(outcome: Outcome) -> dict[str, float]:
    speeds = np.array([outcome.velocity[f"{k}"][-1, 0] for k in range(COUNT)])
    return {
        "first [m/s]": float(speeds[0]),
        "middle [m/s]": float(speeds[COUNT // 2]),
        "last [m/s]": float(speeds[-1]),
        "energy / start": float(outcome.energy[-1] / outcome.energy[0]),
    }


CASE = Case(
    "Cradle of five balls, e = 1", build, mjcf, 0.3, values, restitution=1.0,
    expected={
        "first [m/s]": 0.0, "middle [m/s]": 0.0, "last [m/s]": 1.0, "energy / start": 1.0,
    },
    key="last [m/s]",
)  # fmt: skip
