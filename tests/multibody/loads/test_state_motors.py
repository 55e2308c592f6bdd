"""Motors f(t, q, v) under every scheme whose forces at the end of a step are solved for."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators import (
    DH,
    DL,
    EulerParameterDAE,
    JointCoordinates,
    LieGeneralizedAlpha,
    RATTLie,
)
from jointed_scenes import hanging_rod

SCHEMES = [RATTLie, DH, DL, EulerParameterDAE, LieGeneralizedAlpha, JointCoordinates]


def feedback(t, q, v):
    return -5 * q - 0.8 * v + np.sin(3 * t)


def ended(scheme, entry, seconds=0.5):
    scene = hanging_rod((entry,), angular_velocity=(0, 2, 0), velocity=(-1, 0, 0))
    result = dt.simulate(scene, seconds, 5e-3, integrator=scheme(), progress=False)
    return result.position("rod")[-1]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_spring_and_damper_by_feedback_act_as_those_of_the_joint(scheme):
    by_feedback = ended(scheme, dt.Actuation(motor=feedback))
    own = dt.Actuation(stiffness=5.0, damping=0.8, motor=lambda t: np.sin(3 * t))
    assert np.allclose(by_feedback, ended(scheme, own), atol=1e-9)


def test_effort_limits_and_mistakes_of_the_function_are_kept():
    strong = dt.Actuation(motor=lambda t, q, v: 100.0, effort_limit=0.5)
    assert np.allclose(ended(RATTLie, strong), ended(RATTLie, dt.Actuation(motor=0.5)), atol=1e-10)
    with pytest.raises(dt.RunError, match=r"motor of joint .* must give a finite number"):
        ended(RATTLie, dt.Actuation(motor=lambda t, q, v: np.nan))
    with pytest.raises(dt.RunError, match="ZeroDivisionError"):
        ended(RATTLie, dt.Actuation(motor=lambda t, q, v: 1 / 0))


def test_revolutions_count_and_are_a_part_of_the_state():
    """A torque that depends on whole revolutions goes on after a restore to the bit."""
    spun = dt.Actuation(motor=lambda t, q, v: 3.0 - 0.05 * q)
    scene = hanging_rod((spun,), angular_velocity=(0, 40, 0), velocity=(-20, 0, 0))
    through, resumed = (RATTLie().start(scene.build(), None) for _ in range(2))
    for k in range(1, 201):
        through.step(5e-3 * k)
        if k == 120:
            resumed.restore(through.snapshot())
        if k > 120:
            resumed.step(5e-3 * k)
    assert np.array_equal(through.bodies.x, resumed.bodies.x)


@pytest.mark.parametrize("method", ["lcp", "sdf", "ipc"])
def test_contact_methods_apply_them_as_schemes_without_contact_do(method):
    """Of first order at least: half the step, half the distance."""

    def end(motors, h, contact="none"):
        scene = hanging_rod(motors, angular_velocity=(0, 2, 0), velocity=(-1, 0, 0))
        result = dt.simulate(scene, 0.2, h, contact=contact, progress=False)
        return result.position("rod")[-1]

    motors = (dt.Actuation(motor=feedback),)
    exact, passive = end(motors, 1e-3), end((), 1e-3)
    coarse, fine = (np.abs(end(motors, h, method) - exact).max() for h in (2e-3, 1e-3))
    assert fine < 0.02 * np.abs(exact - passive).max()
    assert fine < 0.6 * coarse
