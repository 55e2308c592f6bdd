"""A fast symmetric top on its tip: its axis circles the vertical at a steady rate.

Steady precession p at tilt q obeys (C - A) cos(q) p^2 + C s p = m g l with the spin s about the
axis and moments A, C about the tip (Goldstein, Classical Mechanics, section 5.7).
"""

from typing import Any

import numpy as np

from dovetail.integrators import RATTLie
from dovetail.linalg.lie import so3
from dovetail.model import Scene, Spherical
from dovetail.results import Result

DESCRIPTION = "A spinning top on its tip precesses steadily around the vertical"
RUN: dict[str, Any] = {"duration": 4.0, "step": 5e-4, "every": 20, "integrator": RATTLie()}

MASS, ARM = 1.5, 0.2  # [kg], [m] from the tip to the centre of mass
TRANSVERSE, AXIAL = 0.05, 0.02  # [kg m^2] about the centre of mass
TILT, SPIN = 0.5, 150.0  # [rad], [rad/s]


def precession_rate() -> float:
    """[rad/s] the slow one of the two steady rates."""
    about_tip = TRANSVERSE + MASS * ARM**2
    bend = (AXIAL - about_tip) * np.cos(TILT)
    roots = np.roots([bend, AXIAL * SPIN, -MASS * 9.81 * ARM])
    return float(min(roots.real, key=abs))


def build() -> Scene:
    """The top tilted towards +x, started at its steady rate."""
    scene = Scene(gravity=(0.0, 0.0, -9.81))
    R = so3.exp([0.0, TILT, 0.0])
    axis = R[:, 2]
    omega = SPIN * axis + precession_rate() * np.array([0.0, 0.0, 1.0])
    scene.add_body(
        "top",
        mass=MASS,
        inertia=(TRANSVERSE, TRANSVERSE, AXIAL),
        position=ARM * axis,
        rotation=R,
        velocity=np.cross(omega, ARM * axis),
        angular_velocity=omega,
    )
    scene.add_joint("tip", Spherical(point=(0.0, 0.0, 0.0)), "ground", "top")
    return scene


def final_check(result: Result) -> None:
    """Constant tilt, uniform precession, and the momenta that Noether's theorem keeps."""
    axis = result.rotation("top")[:, :, 2]
    turned = np.unwrap(np.arctan2(axis[:, 1], axis[:, 0]))
    share = (RUN["step"] * SPIN) ** 2 / 12  # relative error of the rate, second order
    expected = precession_rate() * result.time
    assert np.abs(np.arccos(axis[:, 2]) - TILT).max() < 4 * share, "the tilt changed"
    assert np.abs(turned - expected).max() < 4 * share * expected[-1], "another rate"
    L = result.momentum["angular"][:, 2]
    assert np.abs(L / L[0] - 1).max() < 1e-11, "momentum about the vertical changed"
    weight = MASS * 9.81
    vertical = result.joint_force("tip")[:, 2]
    assert np.abs(vertical - weight).max() < 0.02 * weight, "the tip does not carry the weight"
