"""The next step from the error of the last one, or from what is near."""

from dataclasses import replace

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators.interface import StepReport
from dovetail.simulate.step_control import LargeAndSmallSteps, StepFromError


def after(control, h, **report):
    return control.next(h, replace(StepReport(), **report))


@pytest.mark.parametrize(
    ("error", "accepted", "factor"),
    [
        (0.0, True, 5.0),
        (1e-9, True, 5.0),
        (0.25, True, 0.9 * 2),  # order 1: error^(-1/2)
        (1.0, True, 0.9),
        (1.0001, False, 0.9 / np.sqrt(1.0001)),
        (4.0, False, 0.45),
        (1e6, False, 0.2),
        (np.inf, False, 0.2),
        (np.nan, False, 0.2),
    ],
)
def test_the_step_is_scaled_by_the_error_to_the_order(error, accepted, factor):
    found = after(StepFromError(order=1), 0.01, error=error)
    assert found == (accepted, pytest.approx(0.01 * factor))


def test_higher_orders_answer_less_and_no_step_is_longer_than_the_largest():
    assert after(StepFromError(order=3), 1.0, error=16.0)[1] == pytest.approx(0.45)
    control = StepFromError(order=1, largest=0.5)
    assert control.first(2.0) == 0.5 and control.first(0.1) == 0.1
    assert after(control, 0.4, error=0.0) == (True, 0.5)


def test_an_integrator_without_an_error_is_refused():
    with pytest.raises(ValueError, match="needs an integrator that estimates its error"):
        after(StepFromError(order=1), 0.1)


def started(large=None, small=None, step=0.01):
    control = LargeAndSmallSteps(large, small)
    assert control.first(step) == (small or step)
    return control


def test_steps_double_away_from_others_up_to_the_large_one():
    control = started()  # 20 times the step of the run
    steps = [0.01]
    for _ in range(6):
        accepted, h = after(control, steps[-1])
        assert accepted
        steps.append(h)
    assert steps == pytest.approx([0.01, 0.02, 0.04, 0.08, 0.16, 0.2, 0.2])


def test_a_longer_step_that_ends_near_another_body_is_taken_again_at_a_quarter():
    control = started(large=0.2)
    assert after(control, 0.16, near=True) == (False, 0.04)
    assert after(control, 0.03, near=True) == (False, 0.01)
    assert after(control, 0.01, near=True) == (True, 0.01)
    assert after(control, 0.01 * 1.0005, near=True) == (True, 0.01)  # rounding of times
    assert after(control, 0.01 * 1.01, near=True)[0] is False


def test_a_longer_step_that_fails_is_taken_again_and_a_small_one_is_not():
    control = started(large=0.2)
    assert after(control, 0.16, error=np.inf) == (False, 0.04)
    assert after(control, 0.01, error=np.inf) == (True, 0.01)
    assert after(control, 0.08, error=0.5) == (True, 0.16)


def test_steps_of_the_control_are_kept_by_its_snapshot():
    control, other = started(large=0.4, small=0.02), LargeAndSmallSteps()
    other.restore(control.snapshot())
    for h in (0.02, 0.1, 0.3):
        for near in (False, True):
            assert after(other, h, near=near) == after(control, h, near=near)
    assert repr(control) == "LargeAndSmallSteps(large=0.4, small=0.02)"


def test_steps_that_do_not_fit_are_refused():
    with pytest.raises(
        dt.InputError, match=r"`small` must be less than `large`, got 0\.2 s and 0\.2"
    ):
        LargeAndSmallSteps(0.2, 0.2)
    with pytest.raises(dt.InputError, match="`large` must be > 0 s, got -1"):
        LargeAndSmallSteps(large=-1)
    with pytest.raises(dt.InputError, match="`small` must be > 0 s, got 0"):
        LargeAndSmallSteps(small=0)
    with pytest.raises(dt.InputError, match=r"`large` .* the run's step of 0.01 s, got 0.01 s"):
        LargeAndSmallSteps(large=0.01).first(0.01)


def test_before_the_run_s_step_is_known_the_steps_given_hold():
    control = LargeAndSmallSteps(large=0.5, small=0.1)
    assert after(control, 0.4) == (True, 0.5)
    assert after(control, 0.05, near=True) == (True, 0.1)
