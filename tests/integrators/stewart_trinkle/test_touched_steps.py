"""Compiled steps of joints with contacts give what the longer way gives, bit for bit."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators.stewart_trinkle import touched_steps
from dovetail.model.frozen import Model


def legs_on_a_floor() -> Model:
    """Two hinged legs that fall onto a floor, slide, and hold a box that rests on them."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    scene.add_body("hip", dt.Box((0.3, 0.3, 0.1)), mass=2, position=(0, 0, 0.46))
    for side, x in (("left", -0.1), ("right", 0.1)):
        scene.add_body(side, dt.Box((0.06, 0.2, 0.4)), mass=0.5, position=(x, 0, 0.205))
        limited = dt.Actuation(lower=-0.6, upper=0.6, damping=0.05, friction=0.02)
        joint = dt.Revolute((x, 0, 0.41), (0, 1, 0), actuation=limited)
        scene.add_joint(side, joint, "hip", side)
    return scene.build()


def steppers(tolerance: float | None, friction: object, facets: int | None) -> list[object]:
    """One with compiled steps, and one without."""
    law = dt.contact.LCP(friction=friction, tolerance=tolerance, facets=facets)
    found = [dt.integrators.StewartTrinkle().start(legs_on_a_floor(), law) for _ in range(2)]
    found[1]._touched = None  # type: ignore[union-attr]
    return found


@pytest.mark.parametrize(
    ("tolerance", "friction", "facets"),
    [(None, 0.3, None), (1e-7, 0.3, None), (None, (0.6, 0.2, 0.01, 0.1), None), (None, 0.3, 8)],
)
def test_compiled_steps_with_contacts_keep_every_bit(
    monkeypatch: pytest.MonkeyPatch, tolerance: float | None, friction: object, facets: int | None
) -> None:
    calls = []
    end = touched_steps.end_touched
    monkeypatch.setattr(
        touched_steps, "end_touched", lambda *call: (calls.append(1), end(*call))[1]
    )
    short, long = steppers(tolerance, friction, facets)
    pressed = 0
    for k in range(1, 300):
        reports = [stepper.step(2e-3 * k) for stepper in (short, long)]  # type: ignore[attr-defined]
        assert reports[0] == reports[1]
        found = [stepper.observe().contact.contacts for stepper in (short, long)]  # type: ignore[attr-defined]
        for name, array in vars(found[0]).items():
            np.testing.assert_array_equal(array, vars(found[1])[name], err_msg=name)
        pressed += bool(found[0].forces.any())
    assert pressed > 200 and len(calls) > 0.9 * pressed
    before, after = short.snapshot(), long.snapshot()  # type: ignore[attr-defined]
    for name, array in before.items():
        np.testing.assert_array_equal(array, after[name], err_msg=name)
    wrenches = [stepper.observe().joint_wrenches() for stepper in (short, long)]  # type: ignore[attr-defined]
    np.testing.assert_array_equal(*wrenches)


def test_contacts_that_bounce_are_left_to_the_longer_way() -> None:
    law = dt.contact.LCP(friction=0.3, restitution=0.5)
    stepper = dt.integrators.StewartTrinkle().start(legs_on_a_floor(), law)
    ended = []
    for k in range(1, 100):
        stepper.step(2e-3 * k)
        ended.append(stepper._ended)  # type: ignore[attr-defined]
    assert not any(ended)
