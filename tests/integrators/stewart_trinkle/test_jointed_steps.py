"""Compiled steps of joints give what the longer way gives, bit for bit."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.model.frozen import Model


def arm_above_a_box() -> Model:
    """Two hinged links that swing, one with a damper, and a box that lands and falls asleep."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    for k, name in enumerate(("upper", "lower")):
        scene.add_body(name, dt.Box((0.3, 0.05, 0.05)), mass=1, position=(0.15 + 0.3 * k, 0, 1))
    scene.add_body("box", dt.Box((0.1, 0.1, 0.1)), mass=1, position=(3, 0, 0.051))
    scene.add_joint("hip", dt.Revolute((0, 0, 1), (0, 1, 0)), "ground", "upper")
    knee = dt.Revolute((0.3, 0, 1), (0, 1, 0), actuation=dt.Actuation(damping=0.02))
    scene.add_joint("knee", knee, "upper", "lower")
    return scene.build()


@pytest.mark.parametrize("tolerance", [None, 1e-7])
def test_compiled_steps_of_joints_keep_every_bit(tolerance: float | None) -> None:
    law = dt.contact.LCP(friction=0.5, tolerance=tolerance)
    short, long = (dt.integrators.StewartTrinkle().start(arm_above_a_box(), law) for _ in range(2))
    assert short._jointed is not None and short._plain  # type: ignore[union-attr]
    assert short._quiet is not None  # type: ignore[union-attr]
    long._jointed, long._plain, long._quiet = None, False, None  # type: ignore[union-attr]
    for k in range(1, 300):
        reports = [stepper.step(2e-3 * k) for stepper in (short, long)]
        assert reports[0] == reports[1]
        seen = [stepper.observed for stepper in (short, long)]  # type: ignore[union-attr]
        np.testing.assert_array_equal(seen[0].v, seen[1].v)
        assert seen[0].t == seen[1].t
    assert short._sleeping.asleep.any()  # type: ignore[union-attr]
    before, after = short.snapshot(), long.snapshot()
    for name, array in before.items():
        np.testing.assert_array_equal(array, after[name], err_msg=name)
    for name in ("x", "R", "v", "omega"):
        np.testing.assert_array_equal(getattr(short.bodies, name), getattr(long.bodies, name))
    np.testing.assert_array_equal(short.observe().joint_wrenches(), long.observe().joint_wrenches())  # type: ignore[misc]


def test_redundant_joints_hold_under_compiled_steps() -> None:
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("bar", dt.Box((1, 0.1, 0.1)), mass=1, position=(0.5, 0, 0))
    scene.add_joint("left", dt.Revolute((0, 0, 0), (0, 1, 0)), "ground", "bar")
    scene.add_joint("right", dt.Revolute((1, 0, 0), (0, 1, 0)), "ground", "bar")
    stepper = dt.integrators.StewartTrinkle().start(scene.build(), dt.contact.LCP())
    for k in range(1, 20):
        stepper.step(1e-3 * k)
    assert abs(stepper.bodies.x - [0.5, 0, 0]).max() < 1e-9
