"""A chain of twenty links let go from a slant: it swings and folds, and keeps its energy."""

from typing import Any

import numpy as np

from dovetail.integrators import RATTLie
from dovetail.linalg.lie import so3
from dovetail.model import Scene, Spherical
from dovetail.results import Result

DESCRIPTION = "A chain of twenty links swings from one end and keeps its energy"
RUN: dict[str, Any] = {"duration": 5.0, "step": 2e-3, "every": 4, "integrator": RATTLie()}

LINKS, LENGTH, DROP = 20, 0.1, 0.7  # number, [m] of one link, [rad] below level


def build() -> Scene:
    """Slender links of 0.2 kg in a straight line from the origin."""
    scene = Scene(gravity=(0.0, 0.0, -9.81))
    R = so3.exp([0.0, DROP, 0.0])
    along = R[:, 0]
    J = 0.2 * LENGTH**2 / 12
    for k in range(LINKS):
        middle = along * LENGTH * (k + 0.5)
        scene.add_body(f"link{k}", mass=0.2, inertia=(0.1 * J, J, J), position=middle, rotation=R)
        above = "ground" if k == 0 else f"link{k - 1}"
        scene.add_joint(f"ball{k}", Spherical(point=along * LENGTH * k), above, f"link{k}")
    return scene


def final_check(result: Result) -> None:
    """Energy in its band, links together, and the first joint pulled by the whole chain."""
    mass = 0.2 * LINKS
    fall = mass * 9.81 * LINKS * LENGTH / 2 * (1 - np.sin(DROP))  # [J] there is to swing with
    energy = result.energy["total"]
    assert np.abs(energy - energy[0]).max() < 1e-3 * fall, "energy left its band"
    assert result.constraint_violation["position"].max() < 1e-12, "links came apart"
    # Newton for the whole chain: joint force = rate of momentum - weight
    P, t = result.momentum["linear"], result.time
    rate = (P[2:] - P[:-2]) / (t[2:] - t[:-2])[:, None]
    pull = result.joint_force("ball0")[1:-1]
    wanted = rate - mass * np.array([0.0, 0.0, -9.81])
    off = np.sqrt(np.mean((pull - wanted) ** 2)) / np.sqrt(np.mean(wanted**2))
    assert off < 0.05, f"the anchor's force is off by {off:.3f} of its size"
