"""A top thrown into the air: its centre flies a parabola while its axis cones.

R(t) = exp(t L / I_t) R_0 exp(t (1 - I_a / I_t) omega_3 e_3): the axis keeps its angle to the
angular momentum L and goes round it at |L| / I_t (Landau and Lifshitz, Mechanics, section 33).
"""

from typing import Any

import numpy as np

from dovetail.linalg.lie import so3
from dovetail.model import Compound, Cone, Cylinder, Placed, Scene
from dovetail.results import Result

DESCRIPTION = "A top thrown into the air flies a parabola while its axis cones"
RUN: dict[str, Any] = {"duration": 1.2, "step": 0.001, "every": 10}

GRAVITY = (0.0, 0.0, -9.81)
THROW = (0.4, 0.0, 5.8)  # [m/s]
SPIN = (7.0, 0.0, 40.0)  # [rad/s] at the start, when the axis is upright
DOWNWARD = [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]]


def build() -> Scene:
    """A wooden top: a cone with its tip down, a flat disc and a stem on it."""
    scene = Scene(gravity=GRAVITY)
    body = Placed(Cone(radius=0.04, height=0.04), rotation=DOWNWARD)
    disc = Placed(Cylinder(radius=0.04, height=0.012), position=(0.0, 0.0, 0.006))
    stem = Placed(Cylinder(radius=0.004, height=0.04), position=(0.0, 0.0, 0.032))
    scene.add_body(
        "top", Compound([body, disc, stem]), density=700, velocity=THROW, angular_velocity=SPIN
    )
    return scene


def final_check(result: Result) -> None:
    """Parabola and coning against their closed forms."""
    top, t = result.scene.bodies["top"], result.time[:, None]
    flight = top.position + t * np.array(THROW) + 0.5 * t**2 * np.array(GRAVITY)
    assert np.abs(result.position("top") - flight).max() < 1e-11, "not a parabola"
    transverse, _, axial = np.diag(top.inertia)
    L = top.inertia @ np.array(SPIN)  # the top starts with its axes along the world's
    axis = result.rotation("top")[:, :, 2]
    cosine = axis @ L / np.linalg.norm(L)
    assert np.abs(cosine - cosine[0]).max() < 1e-12, "the axis changed its angle to L"
    about_own = t * (1 - axial / transverse) * SPIN[2] * np.array([0.0, 0.0, 1.0])
    exact = so3.exp(t * L / transverse) @ so3.exp(about_own)
    # second order: the rate is off by (h spin)^2 / 12 relative, over |spin| * duration radians
    angle = np.linalg.norm(L) / transverse * result.time[-1]
    off = angle * (RUN["step"] * np.linalg.norm(SPIN)) ** 2 / 12
    assert np.abs(result.rotation("top") - exact).max() < 2 * off, "the axis cones at another rate"
