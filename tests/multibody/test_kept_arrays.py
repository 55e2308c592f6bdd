"""A state whose arrays stay the same is read through one pointer."""

import numpy as np
import pytest

from dovetail.multibody.kept_arrays import KeptArrays
from dovetail.multibody.motion_squares import bundle_motion_arrays, motion_squares
from dovetail.multibody.state import BodyState


def state(n: int = 3) -> BodyState:
    rng = np.random.default_rng(n)
    return BodyState(0.0, *(rng.normal(size=(n, *shape)) for shape in ((3,), (3, 3), (3,), (3,))))


def test_arrays_seen_twice_are_bundled_once_and_others_are_not():
    made = []

    def bundled(*arrays):
        made.append(arrays)
        return len(made)

    kept, one = KeptArrays(bundled), state()
    assert kept.of(one) is None  # seen once
    assert kept.of(one) == 1 and kept.of(one) == 1 and made == [(one.x, one.R, one.v, one.omega)]
    moved = BodyState(1.0, one.x, one.R, one.v.copy(), one.omega)
    assert kept.of(moved) is None  # other velocities in the same poses
    assert kept.of(moved) == 2
    assert kept.of(one) is None


def test_the_bundle_of_a_run_outlives_states_that_are_looked_at_once():
    made = []
    kept, run = KeptArrays(lambda *arrays: made.append(arrays) or len(made)), state()
    assert [kept.of(run), kept.of(run)] == [None, 1]
    for _ in range(3):
        assert kept.of(run.copy()) is None
        assert kept.of(run) == 1


def test_arrays_that_kernels_do_not_know_are_not_bundled():
    given = state()
    given.x = np.asfortranarray(given.x)
    frozen = state()
    frozen.v.flags.writeable = False
    for one in (given, frozen):
        kept = KeptArrays(bundle_motion_arrays)
        assert [kept.of(one) for _ in range(3)] == [None] * 3


def test_squares_of_a_motion_are_sums_over_all_bodies():
    one = state(5)
    v2, w2, places = motion_squares(bundle_motion_arrays(one.x, one.R, one.v, one.omega))
    assert v2 == pytest.approx(np.sum(one.v**2), rel=1e-14)
    assert w2 == pytest.approx(np.sum(one.omega**2), rel=1e-14)
    assert places == pytest.approx(np.sum(one.x**2) + np.sum(one.R**2), rel=1e-14)


@pytest.mark.parametrize("which", ["x", "R", "v", "omega"])
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
def test_a_number_that_is_not_finite_is_seen_in_the_squares(which, value):
    one = state(4)
    getattr(one, which)[-1, -1] = value
    found = motion_squares(bundle_motion_arrays(one.x, one.R, one.v, one.omega))
    assert not sum(found) < np.inf
