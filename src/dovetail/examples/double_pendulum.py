"""Two steel rods on ball joints, swinging in space: the case of Huang et al. (2022), section 3.

Rod 1 lies along y from the origin, rod 2 along -x from its end; both start from rest. The motion
is chaotic, yet in exact arithmetic the total energy stays 0.
"""

from typing import Any

import numpy as np

from dovetail.model import Compound, Cylinder, Placed, Scene, Spherical
from dovetail.results import Result

DESCRIPTION = "Two rods on ball joints swing chaotically in space, energy in a narrow band"
RUN: dict[str, Any] = {"duration": 5.0, "step": 1e-3, "every": 10}

MASS = 61.6538  # [kg] a cylinder of 7850 kg/m^3, radius 0.05 m, length 1 m
INERTIA = (5.1763, 0.0771, 5.1763)  # [kg m^2] axis y
TURNED_TO_Y = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]
ROD = Compound([Placed(Cylinder(0.05, 1.0), rotation=TURNED_TO_Y)])
QUARTER_TURN = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
AT_5_S = np.array([0.05069787, 1.10696386, -0.88226829])  # [m] of rod 2, minimal coordinates


def build() -> Scene:
    """The paper's pendulum; gravity along -z, which alone makes rod 2 spin about its x axis.

    Mass and inertia are the paper's rounded ones; the shape is there to be seen.
    """
    scene = Scene(gravity=(0.0, 0.0, -9.81))
    rod: dict[str, Any] = {"mass": MASS, "inertia": INERTIA, "group": "rods"}
    scene.add_body("rod1", ROD, position=(0.0, 0.5, 0.0), **rod)
    scene.add_body("rod2", ROD, position=(-0.5, 1.0, 0.0), rotation=QUARTER_TURN, **rod)
    scene.add_joint("O", Spherical(point=(0.0, 0.0, 0.0)), "ground", "rod1")
    scene.add_joint("A", Spherical(point=(0.0, 1.0, 0.0)), "rod1", "rod2")
    return scene


def final_check(result: Result) -> None:
    """On the reference at 5 s, energy in its band, rods together to round-off."""
    assert np.abs(result.position("rod2")[-1] - AT_5_S).max() < 1e-3, "off the reference at 5 s"
    scale = MASS * 9.81 * 2.0  # [J] of one rod falling through twice its length
    assert np.abs(result.energy["total"]).max() < 1e-4 * scale, "energy left its band"
    for kind, violation in result.constraint_violation.items():
        assert violation.max() < 1e-12, f"the joints' {kind}s are off"
