"""One friction curve, as a formula, compiled, and as the three contact methods use it."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.friction_curve import coefficients, smooth_coulomb
from dovetail.contact.ipc.friction.potential import coefficient
from dovetail.contact.penalty.force import friction_coefficient
from dovetail.model import friction_curve

NUMBERS = (0.6, 0.2, 0.01, 0.3)
SPEEDS = np.concatenate([np.linspace(0.011, 0.4, 40), [0.01, 0.3, 2.0]])


def cubic(v):
    s = np.clip((v - 0.01) / 0.29, 0, 1)
    return 0.6 - 0.4 * (3 * s**2 - 2 * s**3)


def test_all_methods_have_the_same_curve():
    expected = cubic(SPEEDS)
    for name, values in {
        "formula": [friction_curve.smooth_coulomb(v, *NUMBERS) for v in SPEEDS],
        "compiled": [smooth_coulomb(v, *NUMBERS) for v in SPEEDS],
        "IPC": [coefficient(NUMBERS, v) for v in SPEEDS],
        "SDF": [v * friction_coefficient(v, *NUMBERS) for v in SPEEDS],
        "curve object": friction_curve.SmoothCoulomb(*NUMBERS).coefficient(SPEEDS),
    }.items():
        np.testing.assert_allclose(values, expected, rtol=1e-14, err_msg=name)
    out, columns = np.zeros(len(SPEEDS)), [np.full(len(SPEEDS), x) for x in NUMBERS]
    coefficients(SPEEDS, *columns, out)
    np.testing.assert_allclose(out, expected, rtol=1e-14)


@pytest.mark.parametrize("speed", [0.05, 0.155, 0.25])
def test_block_under_lcp_is_braked_by_the_curve(speed):
    """One step of a sliding block: dv = h mu(v) g."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    scene.add_body("block", dt.Box((1, 1, 0.1)), mass=2, position=(0, 0, 0.05),
                   velocity=(speed, 0, 0))  # fmt: skip
    stepper = dt.integrators.StewartTrinkle().start(scene.build(), dt.contact.LCP(friction=NUMBERS))
    stepper.step(1e-4)
    braked = (speed - stepper.bodies.v[1, 0]) / (9.81e-4)
    assert braked == pytest.approx(cubic(speed), rel=1e-6)
