"""An eccentric disk turns under a flat follower.

A flat face on a circle whose centre moves on a circle of radius e: the follower's height is
that of the centre plus R, z = R - e cos(w t), so the force on it is m (g + z'') + k (z - z(0)).
"""

import numpy as np

from dovetail.model import Actuation, Box, Cylinder, Prismatic, Revolute, Scene
from dovetail.validation.agreement.case import Array, Case, Outcome

RADIUS, OFFSET, SPEED = 0.03, 0.008, 4 * np.pi  # [m], [m] of the axis, [rad/s]
MASS, SPRING, G = 0.5, 200.0, 9.81  # [kg] and [N/m] of the follower
SIZE = (0.1, 0.02, 0.02)  # [m]
GAP = 1e-5  # [m] at the start: bodies that joints hold must not touch there under IPC
Y = ((1, 0, 0), (0, 0, 1), (0, -1, 0))  # turns the cylinder's axis to y


def build() -> Scene:
    scene = Scene(gravity=(0, 0, -G))
    scene.add_body("cam", Cylinder(RADIUS, 0.02, segments=128), density=7800, rotation=Y,
                   position=(0, 0, -OFFSET), velocity=(-SPEED * OFFSET, 0, 0),
                   angular_velocity=(0, SPEED, 0))  # fmt: skip
    height = RADIUS - OFFSET + SIZE[2] / 2 + GAP
    scene.add_body("follower", Box(SIZE), mass=MASS, position=(0, 0, height))
    motor = [Actuation(motor=("velocity", SPEED))]
    scene.add_joint("shaft", Revolute((0, 0, 0), (0, 1, 0), actuation=motor), "ground", "cam")
    spring = [Actuation(stiffness=SPRING)]
    scene.add_joint("guide", Prismatic((0, 0, height), (0, 0, 1), actuation=spring),
                    "ground", "follower")  # fmt: skip
    return scene


def mjcf() -> str:
    return (
        f'<worldbody><body name="cam"><joint name="shaft" axis="0 1 0"/>'
        f'<geom type="cylinder" size="{RADIUS} .01" pos="0 0 {-OFFSET}" zaxis="0 1 0" '
        'density="7800"/></body>'
        f'<body name="follower" pos="0 0 {RADIUS - OFFSET + SIZE[2] / 2 + GAP}">'
        f'<joint type="slide" axis="0 0 1" stiffness="{SPRING}"/>'
        f'<geom type="box" size=".05 .01 .01" mass="{MASS}"/></body></worldbody>'
        '<actuator><velocity joint="shaft" kv="1000"/></actuator>'
        f'<keyframe><key qvel="{SPEED} 0" ctrl="{SPEED}"/></keyframe>'
    )


def theory(time: Array) -> Array:
    """(n,) [N] on the follower."""
    rise = OFFSET * (1 - np.cos(SPEED * time))
    return np.asarray(MASS * (G + OFFSET * SPEED**2 * np.cos(SPEED * time)) + SPRING * rise)


def values(outcome: Outcome) -> dict[str, float]:
    """After a tenth of a turn, which the start may disturb."""
    late = outcome.time > 0.05
    force = outcome.force["cam", "follower"][late, 2]
    expected = theory(outcome.time[late])
    rise = outcome.position["follower"][:, 2] - outcome.position["follower"][0, 2]
    return {
        "rise [m]": float(np.max(rise)),
        "least force [N]": float(force.min()),
        "largest force [N]": float(force.max()),
        "force, r.m.s. error [N]": float(np.sqrt(np.mean((force - expected) ** 2))),
    }


_CURVE = theory(np.linspace(0.05, 1, 2001))
CASE = Case(
    "Cam: an eccentric disk lifts a flat follower, no friction", build, mjcf, 1.0, values,
    pairs=(("cam", "follower"),), driven=True,
    expected={
        "rise [m]": 2 * OFFSET, "least force [N]": float(_CURVE.min()),
        "largest force [N]": float(_CURVE.max()), "force, r.m.s. error [N]": 0.0,
    },
    key="force, r.m.s. error [N]",
)  # fmt: skip
