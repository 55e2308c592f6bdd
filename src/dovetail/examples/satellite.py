"""A satellite spun up by two thrusters that turn with it.

The pair is a pure torque about a principal axis, so that omega = tau t / I, the angle is
tau t^2 / (2 I), and the work of the thrusters, tau times the angle, is the energy of the spin.
"""

from typing import Any

import numpy as np

from dovetail.model import Box, Compound, Cylinder, Placed, Scene
from dovetail.results import Result

DESCRIPTION = "A satellite with solar panels is spun up by a pair of thrusters"
RUN: dict[str, Any] = {"duration": 20.0, "step": 0.01, "every": 5}

THRUST, ARM = 6.0, 0.5  # [N] each, [m] from the axis
DRIFT = (0.05, -0.02, 0.1)  # [m/s]


def build() -> Scene:
    """A box with two panels along y, an antenna along z, thrusters at the box's sides."""
    scene = Scene()
    hub = Placed(Box((1.0, 1.0, 1.2)), weight=300)
    panels = [
        Placed(Box((0.9, 2.4, 0.04)), position=(0, side * 1.8, 0), weight=150) for side in (-1, 1)
    ]
    masts = [
        Placed(Cylinder(0.03, 0.4), position=(0, 0, side * 0.8), weight=2000) for side in (-1, 1)
    ]
    scene.add_body("satellite", Compound([hub, *panels, *masts]), density=1, velocity=DRIFT)
    for name, side in (("right thruster", 1.0), ("left thruster", -1.0)):
        scene.add_force(
            name, "satellite", force=(0, side * THRUST, 0), point=(side * ARM, 0, 0), frame="body"
        )
    return scene


def final_check(result: Result) -> None:
    """Spin, angle and energy against the closed form; the centre drifts as if nothing happened."""
    satellite, t = result.scene.bodies["satellite"], result.time
    torque, moment = 2 * THRUST * ARM, satellite.inertia[2, 2]
    spin, angle = torque * t / moment, 0.5 * torque * t**2 / moment
    found = result.angular_velocity("satellite")
    steps = RUN["duration"] / RUN["step"]
    assert np.abs(found - spin[:, None] * [0, 0, 1]).max() < steps * 1e-15 * spin[-1], "spin"
    R = result.rotation("satellite")
    # Verlet is exact under a constant torque about one axis
    assert np.abs(R[:, 0, 0] - np.cos(angle)).max() < steps * 1e-15 * angle[-1], "angle"
    assert np.abs(R[:, 1, 0] - np.sin(angle)).max() < steps * 1e-15 * angle[-1], "angle"
    gained = result.energy["kinetic"] - result.energy["kinetic"][0]
    assert np.abs(gained - torque * angle).max() < 1e-11 * gained[-1], "work is not energy"
    drifted = satellite.position + t[:, None] * np.array(DRIFT)
    assert np.abs(result.position("satellite") - drifted).max() < 1e-11, "the centre was pushed"
