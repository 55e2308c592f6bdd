"""Dry friction of joints that start at rest: it holds, or acts from the first moment on."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dovetail as dt
from dovetail.integrators.shared.observed_joints import least_in_range

FROM_REST = ("RATTLie", "DH", "DL", "LieGeneralizedAlpha", "JointCoordinates")


@pytest.mark.parametrize("scheme", FROM_REST)
@pytest.mark.parametrize("up", [1.0, -1.0])
def test_friction_of_a_joint_that_starts_to_slide_acts_from_the_start(scheme, up):
    """A bar released from the level: I a'' = m g l cos a - f from rest on.

    Half a step without friction, or with it in any direction, would be f h t / (2 I) = 1e-4 rad.
    """
    f, m, arm, size, end, h = 0.3, 1.0, 0.25, 0.4, 0.05, 1e-3
    scene = dt.Scene(gravity=(0, 0, -9.81 * up))
    scene.add_body("a", dt.Box((size, 0.05, 0.05)), mass=m, position=(arm, 0, 0))
    hinge = dt.Revolute((0, 0, 0), (0, 1, 0), actuation=[dt.Actuation(friction=f)])
    scene.add_joint("u", hinge, "ground", "a")
    inertia = m * (size**2 + 0.05**2) / 12 + m * arm**2
    exact = solve_ivp(
        lambda t, y: (y[1], (m * 9.81 * arm * np.cos(y[0]) - f) / inertia), (0, end), (0, 0),
        "DOP853", rtol=1e-12, atol=1e-14,
    ).y[0, -1]  # fmt: skip
    result = dt.simulate(scene, end, h, integrator=scheme, progress=False, check=False)
    assert result.joint("u").position[-1] == pytest.approx(up * exact, abs=5e-7)


@pytest.mark.parametrize("scheme", FROM_REST)
def test_joints_that_start_to_slide_together_slide_in_the_right_direction(scheme):
    """A double pendulum from the level: held, the second hinge would carry the weight of its bar;
    sliding, it opens the other way, as the first bar falls faster than the second turns.
    """
    f, ends = [dt.Actuation(friction=0.3)], []
    for name, h in ((scheme, 1e-3), ("JointCoordinates", 2e-5)):
        scene = dt.Scene(gravity=(0, 0, -9.81))
        for bar, x in (("a", 0.25), ("b", 0.75)):
            scene.add_body(bar, dt.Box((0.4, 0.05, 0.05)), mass=1, position=(x, 0, 0))
        scene.add_joint("u", dt.Revolute((0, 0, 0), (0, 1, 0), actuation=f), "ground", "a")
        scene.add_joint("w", dt.Revolute((0.5, 0, 0), (0, 1, 0), actuation=f), "a", "b")
        result = dt.simulate(scene, 0.05, h, integrator=name, progress=False, check=False)
        ends.append([result.joint(joint).position[-1] for joint in "uw"])
    assert ends[0] == pytest.approx(ends[1], abs=2e-5)  # 3e-4 in the wrong direction
    assert ends[1][0] * ends[1][1] < 0


def test_forces_in_a_range_slip_only_against_what_they_accelerate():
    rng = np.random.default_rng(5)
    for _ in range(20):
        n = int(rng.integers(1, 6))
        root = rng.normal(size=(n, n))
        W, f = root @ root.T + 0.1 * np.eye(n), rng.uniform(0.1, 2.0, n)
        held = 3.0 * rng.normal(size=n)
        tau = least_in_range(W, held, f)
        a = W @ (tau - held)
        inside = np.abs(tau) < f * (1 - 1e-9)
        assert np.abs(a[inside]).max(initial=0.0) < 1e-9
        assert (a * tau)[~inside].max(initial=0.0) <= 1e-9
