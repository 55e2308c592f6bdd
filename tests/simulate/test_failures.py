"""Whatever stops a run is one sentence with its time, its body and its cause."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.errors import RunError
from dovetail.multibody.state import initial_state
from dovetail.simulate.failures import explained, refuse_not_finite, seems_finite
from dovetail.simulate.runaway import Runaway
from known_runs import two_bodies

WORDS = {"x": "position", "R": "rotation", "v": "velocity", "omega": "angular velocity"}


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("name", WORDS)
def test_one_number_that_is_not_finite_names_its_body_and_what_it_is(name, value):
    model = two_bodies().build()
    state = initial_state(model)
    refuse_not_finite(model, state)
    assert seems_finite(state)
    getattr(state, name)[1].flat[2] = value
    state.t = 0.25
    assert not seems_finite(state)
    for refuse in (
        refuse_not_finite,
        lambda _, state: Runaway(model, 1.0).refuse_state(state, 1e-3),
    ):
        with pytest.raises(RunError, match=f"the {WORDS[name]} of body 'hammer' must") as caught:
            refuse(model, state)
        assert caught.value.time == 0.25


def test_the_first_body_is_named_and_its_value():
    model = two_bodies().build()
    state = initial_state(model)
    state.v[:, 0] = np.nan
    with pytest.raises(RunError, match=r"velocity of body 'anvil' must stay finite, became .*nan"):
        refuse_not_finite(model, state)


def test_an_error_without_time_gets_that_of_the_run_and_its_cause():
    found = explained(ValueError("no root"), 0.5)
    assert found.time == 0.5 and "no root" in str(found) and "; " not in str(found)
    found = explained(RunError("no root"), 0.5, "a motor diverges")
    assert found.time == 0.5 and "no root; a motor diverges" in str(found)


def test_an_error_with_a_time_keeps_it_and_says_its_cause_once():
    first = RunError("no root", 0.25)
    assert explained(first, 0.5) is first
    second = explained(first, 0.5, "a motor diverges")
    assert second.time == 0.25 and str(second) == f"{first}; a motor diverges"
    assert explained(second, 0.5, "a motor diverges") is second
    assert second.__cause__ is first.__cause__


def test_the_scene_of_one_body_has_its_size_and_that_of_two_their_distance():
    """Speeds that are explained: the size of the scene over the duration."""
    lone, pair = dt.Scene(), dt.Scene()
    for scene in (lone, pair):
        scene.add_body("a", dt.Box((1, 1, 1)), density=1)
    pair.add_body("b", dt.Box((1, 1, 1)), density=1, position=(30, 40, 0))
    for scene, size in ((lone, np.sqrt(0.75)), (pair, 50.0)):
        model = scene.build()
        watch, state = Runaway(model, 2.0), initial_state(model)
        largest = max(1e6 * size / 2.0, 1e3 * size / 10.0)
        state.v[0, 0] = 0.999 * largest
        watch.refuse_state(state, 10.0)
        state.v[0, 0] = 1.001 * largest
        with pytest.raises(RunError, match="grows without bound"):
            watch.refuse_state(state, 10.0)


def test_points_without_extent_and_bodies_that_do_not_move_are_not_watched():
    point = dt.Scene()
    point.add_body("a", mass=1, inertia=(1, 1, 1))
    held = dt.Scene()
    held.add_body("a", dt.Box((1, 1, 1)), motion="static")
    for scene in (point, held):
        model = scene.build()
        state = initial_state(model)
        state.v[0, 0] = 1e100
        Runaway(model, 1.0).refuse_state(state, 1.0)
