"""A rod pushed along the ground with its end in front: Painleve's paradox.

A rod of length 2 l leans back at tan(theta) = 2 and slides with its lower end leading, mu = 1.8 >
4/3. Rigid bodies with Coulomb friction then have no force that keeps the end from sinking
(A < 0, B < 0 in table 1 of Xu, Dai, Xie, Li). Impulses do: the end jams within one step, which is
called an impact without collision, and the rod turns over it.
"""

from typing import Any

import numpy as np

from dovetail.contact import LCP
from dovetail.model import Capsule, HalfSpace, Scene
from dovetail.model.values import Array
from dovetail.results import Result
from dovetail.stability.rod import rod

DESCRIPTION = "A rod slides into Painleve's paradox and jams within one step"
FRICTION, SPEED = 1.8, 1.0  # [-], [m/s]
THETA = float(np.arctan(2.0))  # [rad] from the ground
HALF_LENGTH, RADIUS, MASS = 1.0, 1e-3, 1.0  # [m], [m], [kg]
RUN: dict[str, Any] = {
    "duration": 0.2,
    "step": 1e-3,
    "contact": LCP(friction=FRICTION),
}


def along(theta: float = THETA) -> Array:
    """From the end on the ground to the centre, unit length."""
    return np.array([np.cos(theta), 0.0, np.sin(theta)])


def build(theta: float = THETA, speed: float = SPEED) -> Scene:
    """The end slides to -x, the centre is above and behind it."""
    scene = Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", HalfSpace((0, 0, 1)), motion="static")
    axis = along(theta)
    moment = MASS * HALF_LENGTH**2 / 3
    scene.add_body(
        "rod",
        Capsule(RADIUS, 2 * HALF_LENGTH),
        mass=MASS,
        inertia=(moment, moment, 1e-4 * moment),
        position=HALF_LENGTH * axis + (0, 0, RADIUS),
        rotation=np.column_stack([np.cross((0, 1, 0), axis), (0, 1, 0), axis]),
        velocity=(-speed, 0, 0),
    )
    return scene


def final_check(result: Result) -> None:
    """The start has no solution, the end jams in the first step, and no energy appears."""
    assert float(rod(THETA, FRICTION).A) < 0
    axis = result.rotation("rod")[:, :, 2]
    arm = -HALF_LENGTH * axis
    end = result.velocity("rod") + np.cross(result.angular_velocity("rod"), arm)
    assert abs(end[0, 0] + SPEED) < 1e-12
    assert np.abs(end[1]).max() < 2e-2 * SPEED, f"the end still moves at {end[1]} m/s"
    energy = result.energy["total"]
    assert np.diff(energy).max() < 1e-3 * energy[0], "energy appears"
    height = result.position("rod")[:, 2] - HALF_LENGTH * axis[:, 2] - RADIUS
    assert height.min() > -1e-4, f"the end sinks by {-height.min()} m"
