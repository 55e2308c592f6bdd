"""A T-handle spun about its stem, the axis of the middle moment of inertia: it turns over and over.

The flips come at regular intervals 2 K(m) / rate, where Jacobi's functions solve Euler's equations
(Landau and Lifshitz, Mechanics, section 37).
"""

from typing import Any

import numpy as np

from dovetail.model import Compound, Cylinder, Placed, Scene
from dovetail.results import Result

DESCRIPTION = "A T-handle spinning in weightlessness flips over at regular intervals"
RUN: dict[str, Any] = {"duration": 12.0, "step": 0.002, "every": 10}

SPIN = 9.0  # [rad/s] about the stem (z), whose moment is the middle one
NUDGE = 0.02  # [rad/s] about y, the largest moment
ALONG_X = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]  # turns the z axis to x


def build() -> Scene:
    """A steel bar along x on a stem along z, floating."""
    scene = Scene()
    bar = Placed(Cylinder(radius=0.008, height=0.12), rotation=ALONG_X)
    stem = Placed(Cylinder(radius=0.008, height=0.06), position=(0.0, 0.0, -0.038))
    scene.add_body(
        "handle", Compound([bar, stem]), density=7850, angular_velocity=(0.0, NUDGE, SPIN)
    )
    return scene


def flip_interval(inertia: Any) -> float:
    """2 K(m) / rate [s] between flips of a body with moments I_x < I_z < I_y started as above."""
    small, large, middle = np.diag(inertia)
    assert small < middle < large, "the stem must be the axis of the middle moment"
    L_squared = (middle * SPIN) ** 2 + (large * NUDGE) ** 2
    twice_T = middle * SPIN**2 + large * NUDGE**2
    toward = (large - middle) * (L_squared - twice_T * small)
    m = (middle - small) * (twice_T * large - L_squared) / toward
    return float(2 * _complete_elliptic(m) / np.sqrt(toward / (small * middle * large)))


def _complete_elliptic(m: float) -> float:
    """K(m) = pi / (2 agm(1, sqrt(1 - m))), the first kind: Abramowitz and Stegun 17.6.3."""
    a, b = 1.0, np.sqrt(1.0 - m)
    while abs(a - b) > 1e-15 * a:
        a, b = 0.5 * (a + b), np.sqrt(a * b)
    return float(0.5 * np.pi / a)


def final_check(result: Result) -> None:
    """Flips on time, momentum constant, energy in its band."""
    R, spin = result.rotation("handle"), result.angular_velocity("handle")
    about_stem = np.einsum("ti,ti->t", R[:, :, 2], spin)
    k = np.flatnonzero(about_stem[1:] * about_stem[:-1] < 0)
    part = about_stem[k] / (about_stem[k] - about_stem[k + 1])
    flips = result.time[k] + part * (result.time[k + 1] - result.time[k])
    interval = flip_interval(result.scene.bodies["handle"].inertia)
    assert len(flips) >= 3, f"only {len(flips)} flips"
    expected = interval * (np.arange(len(flips)) + 0.5)
    # the step's own error is (h spin)^2 / 12 = 3e-5; between frames a line replaces the curve
    assert np.allclose(flips, expected, rtol=1e-3), f"flips at {flips} s, expected {expected} s"
    L = result.momentum["angular"]
    assert np.abs(L - L[0]).max() < 1e-13 * np.linalg.norm(L[0]), "angular momentum changed"
    energy = result.energy["total"]
    assert np.abs(energy / energy[0] - 1).max() < (RUN["step"] * SPIN) ** 2 / 12, "energy changed"
