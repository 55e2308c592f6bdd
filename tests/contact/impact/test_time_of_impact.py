"""When contacts close."""

import numpy as np
import pytest

from dovetail.contact.impact.time_of_impact import times_of_impact


@pytest.mark.parametrize("acceleration", [-9.81, 0.0, 0.3])
def test_gap_is_zero_at_the_time_of_impact(acceleration):
    rng = np.random.default_rng(0)
    gap, rate = 10 ** rng.uniform(-12, 0, 50), -(10 ** rng.uniform(-3, 1, 50))
    time = times_of_impact(gap, rate, np.full(50, acceleration))
    closes = np.isfinite(time)
    t = time[closes]
    left = gap[closes] + rate[closes] * t + 0.5 * acceleration * t**2
    terms = gap[closes] + np.abs(rate[closes] * t) + np.abs(acceleration * t**2)
    np.testing.assert_allclose(left / terms, 0.0, atol=1e-14)
    assert np.all(rate**2 < 2 * acceleration * gap, where=~closes)


def test_what_opens_or_turns_before_it_arrives_never_closes():
    time = times_of_impact(np.ones(3), np.array([1.0, 0.0, -1.0]), np.array([0.0, 0.0, 0.6]))
    assert np.isinf(time).all()


def test_overlapping_contacts_that_approach_close_now():
    assert times_of_impact(np.array([-1e-3]), np.array([-1.0]), np.zeros(1))[0] == 0.0
