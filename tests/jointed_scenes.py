"""Scenes of jointed bodies whose motion is known, for the tests of the schemes."""

import numpy as np

from dovetail.integrators import SCHEMES
from dovetail.linalg.lie import so3
from dovetail.model import (
    Cylindrical,
    Fixed,
    Free,
    Planar,
    Prismatic,
    Revolute,
    Scene,
    Screw,
    Spherical,
    Universal,
)

GRAVITY = 9.81
JOINTED = [  # schemes that solve for contact are of first order and have tests of their own
    name for name, scheme in SCHEMES.items()
    if scheme.takes_joints and scheme.order >= 2 and not scheme.takes & {"impulse", "potential"}
]  # fmt: skip
VARIATIONAL = ["RATTLie", "DH", "DL"]

AXIS = np.array([0.3, 0.5, 0.8]) / np.linalg.norm([0.3, 0.5, 0.8])
AXIS2 = np.cross(AXIS, [1, 0, 0]) / np.linalg.norm(np.cross(AXIS, [1, 0, 0]))
POINT = (0.3, 0.3, 0.3)
EVERY_JOINT = {
    "fixed": Fixed(POINT),
    "revolute": Revolute(POINT, AXIS),
    "prismatic": Prismatic(POINT, AXIS),
    "cylindrical": Cylindrical(POINT, AXIS),
    "universal": Universal(POINT, AXIS, axis2=AXIS2),
    "spherical": Spherical(POINT),
    "planar": Planar(POINT, AXIS),
    "screw": Screw(POINT, AXIS, pitch=0.3),
    "free": Free(),
}


def two_bodies_joined_by(joint):
    """A ball-jointed body with a second one hung to it by `joint`."""
    scene = Scene(gravity=(0, -3, -GRAVITY))
    tilts = so3.exp([0.3, -0.2, 0.5]), so3.exp([-0.3, 0.7, 0.5])
    J = (0.3, 0.5, 0.6)
    scene.add_body("a", mass=2, inertia=J, position=(0.1, 0.2, 0.3), rotation=tilts[0])
    scene.add_body("b", mass=1, inertia=J, position=(0.6, 0.5, 0.1), rotation=tilts[1])
    scene.add_joint("anchor", Spherical((0, 0, 0)), "ground", "a")
    scene.add_joint("joint", joint, "a", "b")
    return scene


def chain(n, length=0.1, drop=0.0):
    """`n` slender links of 1 kg in a line by ball joints, `drop` [rad] below level, at rest."""
    scene = Scene(gravity=(0, 0, -GRAVITY))
    R = so3.exp([0, drop, 0])
    J = (0.01 * length**2, length**2 / 12, length**2 / 12)
    for k in range(n):
        middle = R[:, 0] * length * (k + 0.5)
        scene.add_body(f"link{k}", mass=1, inertia=J, position=middle, rotation=R)
        below = "ground" if k == 0 else f"link{k - 1}"
        scene.add_joint(f"ball{k}", Spherical(R[:, 0] * length * k), below, f"link{k}")
    return scene


def four_bar():
    """A parallel crank of four revolute joints about y: mobility -2 by counting, 1 in truth."""
    scene = Scene(gravity=(0, 0, -GRAVITY))
    J = (0.02, 0.02, 0.002)
    scene.add_body("crank", mass=1, inertia=J, position=(0, 0, 0.5), angular_velocity=(0, 2, 0),
                   velocity=(1.0, 0, 0))  # fmt: skip
    scene.add_body("rocker", mass=1, inertia=J, position=(2, 0, 0.5), angular_velocity=(0, 2, 0),
                   velocity=(1.0, 0, 0))  # fmt: skip
    scene.add_body("coupler", mass=2, inertia=J, position=(1, 0, 1), velocity=(2.0, 0, 0))
    y = (0, 1, 0)
    scene.add_joint("base1", Revolute((0, 0, 0), y), "ground", "crank")
    scene.add_joint("base2", Revolute((2, 0, 0), y), "ground", "rocker")
    scene.add_joint("pin1", Revolute((0, 0, 1), y), "crank", "coupler")
    scene.add_joint("pin2", Revolute((2, 0, 1), y), "coupler", "rocker")
    return scene


def hanging_rod(actuation=(), axis=(0, 1, 0), **options):
    """A rod on a hinge, its centre 0.5 m below; turning about -y by q swings it to +x."""
    scene = Scene(gravity=(0, 0, -options.pop("gravity", GRAVITY)))
    scene.add_body("rod", mass=2, inertia=(0.2, 0.2, 0.01), position=(0, 0, -0.5), **options)
    scene.add_joint("hinge", Revolute((0, 0, 0), axis, actuation=actuation), "ground", "rod")
    return scene
