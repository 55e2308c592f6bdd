"""A gripper closes on a box, lifts it by friction and holds it.

The palm follows a lifting motor, each finger slides on the palm and is pushed by a constant effort:
prismatic joints, motors and frictional contact in one solve. Friction can lift up to
2 mu F = 2 x 0.6 x 20 N, the box weighs 9.8 N.
"""

from typing import Any

import numpy as np

from dovetail.contact import IPC
from dovetail.model import Actuation, Box, Prismatic, Scene
from dovetail.results import Result

DESCRIPTION = "A gripper with sliding fingers lifts a box by friction and holds it"
RUN: dict[str, Any] = {"duration": 1.0, "step": 0.01, "contact": IPC(friction=0.6)}

SIZE, GAP, GRIP = 0.1, 0.01, 20.0  # [m], [m] finger to box at the start, [N] of each finger
RISE, BEGIN, END = 0.1, 0.3, 0.8  # [m], [s], [s]


def height(t: float) -> float:
    """[m] of the palm over its start: at rest, a smooth rise, at rest."""
    s = min(max((t - BEGIN) / (END - BEGIN), 0.0), 1.0)
    return RISE * s**3 * (10 - 15 * s + 6 * s * s)


def build() -> Scene:
    """A box on the floor between two open fingers under a palm."""
    scene = Scene(gravity=(0.0, 0.0, -9.81))
    scene.add_body("floor", Box((1, 1, 0.1)), motion="static", position=(0, 0, -0.05))
    scene.add_body("box", Box((SIZE, SIZE, SIZE)), mass=1.0, position=(0, 0, SIZE / 2 + 1e-4))
    scene.add_body("palm", Box((0.3, 0.1, 0.04)), mass=2.0, position=(0, 0, 0.2))
    lift = [Actuation(motor=("position", height))]
    up = (0.0, 0.0, 1.0)
    scene.add_joint("lift", Prismatic((0, 0, 0.2), up, actuation=lift), "ground", "palm")
    for name, side in (("left", -1.0), ("right", 1.0)):
        x = side * (SIZE / 2 + GAP + 0.01)
        scene.add_body(name, Box((0.02, 0.08, 0.12)), mass=0.2, position=(x, 0, 0.1))
        grip = [Actuation(motor=GRIP, damping=20.0)]
        axis = (-side, 0.0, 0.0)
        scene.add_joint(
            f"{name} slide", Prismatic((x, 0, 0.16), axis, actuation=grip), "palm", name
        )
    return scene


def final_check(result: Result) -> None:
    """The box hangs between the fingers, lifted as far as the palm, half its weight on each."""
    z, palm = result.position("box")[:, 2], result.position("palm")[:, 2]
    assert np.abs(palm - palm[0] - [height(t) for t in result.time]).max() < 1e-9
    gripped = result.time > BEGIN
    slip = np.ptp((z - palm)[gripped])
    assert slip < 2e-3, f"the box slipped by {slip:.2e} m"
    assert z[-1] - z[0] > 0.95 * RISE
    assert np.linalg.norm(result.velocity("box")[-1]) < 1e-4
    assert result.constraint_violation["position"].max() < 1e-9
    assert result.min_distance.min() > 0
    for name in ("left", "right"):
        force = result.joint_force(f"{name} slide")[-1]
        assert abs(force[2] - (9.81 * (0.5 + 0.2))) < 0.05 * 9.81, (
            f"{name} carries {force[2]:.2f} N"
        )
