"""A joint of one's own: a pin of the second body that slides in a slot of the first and rotates.

The class says which motions the joint leaves, in order, and which equations it keeps. With that it
works in joint coordinates, as the joint that closes a loop, in maximal coordinates under every
scheme and contact method, in assembly, in pictures, and in scene files that say

    joints:
      - {name: pin, type: pin-in-slot, bodies: [yoke, crank], axis: [0, 0, 1], axis2: [0, 1, 0]}

Its coordinates are the place of the pin along the slot [m] and the angle about it [rad]; limits,
springs and motors act on them in this order.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

import dovetail as dt
from dovetail.model.joints import (
    DIRECTION,
    Joint,
    Rotation,
    Translation,
    X,
    Y,
    Z,
    gap,
    same_axis,
)


@dataclass(frozen=True)
class PinInSlot(Joint):
    """A slot of the first body along `axis2` guides a pin along `axis` of the second."""

    axis2: Any = field(default=(1.0, 0.0, 0.0), metadata=DIRECTION)

    axes: ClassVar = 2
    motions: ClassVar = (Translation(X), Rotation(Z))
    equations: ClassVar = (gap(Y), gap(Z), *same_axis(Z))


dt.extend.register("joints", "pin-in-slot", PinInSlot)

RADIUS = 0.1  # [m] of the crank


def scene(angle=0.3, speed=10.0):
    """A Scotch yoke: a pin on a crank that runs at `speed` [rad/s] moves a yoke by its slot.

    The pin is at RADIUS (cos, sin) of the crank's angle, so the yoke at x = RADIUS cos(angle).
    """
    made = dt.Scene(gravity=(0, -9.81, 0))
    pin = RADIUS * np.array([np.cos(angle), np.sin(angle), 0.0])
    made.add_body("crank", mass=2.0, inertia=(0.01, 0.01, 0.02), angular_velocity=(0, 0, speed))
    made.add_body("yoke", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(pin[0], 0, 0),
                  velocity=(-speed * pin[1], 0, 0))  # fmt: skip
    drive = dt.Actuation(motor=("velocity", speed))
    made.add_joint("shaft", dt.Revolute((0, 0, 0), (0, 0, 1), actuation=[drive]), "ground", "crank")
    made.add_joint("guide", dt.Prismatic((0, 0, 0), (1, 0, 0)), "ground", "yoke")
    made.add_joint("pin", PinInSlot(pin, (0, 0, 1), (0, 1, 0)), "yoke", "crank")
    return made


if __name__ == "__main__":
    result = dt.simulate(scene(), 1.0, 1e-3)
    off = result.position("yoke")[:, 0] - RADIUS * np.cos(0.3 + 10.0 * result.time)
    print(f"{result}; the yoke is within {np.abs(off).max():.1e} m of RADIUS cos(angle)")
