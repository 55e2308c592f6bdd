"""Conservative advancement on rotating paths: never late, seldom early, never stuck at zero."""

import numpy as np
import pytest
from curved_queries import KINDS, earliness, late, separated, verified

from dovetail.collision.ccd.additive_ccd import (
    FREE,
    LIMIT,
    NEAR,
    TOUCHING,
    advance_edge_edge,
    advance_point_point,
    advance_point_triangle,
)

ZERO = (0.0, 0.0, 0.0)
FACE = ((-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (0.0, 1.0, 0.0))


def assert_never_late_and_seldom_early(kind, n, seed):
    found = verified(kind, n, np.random.default_rng(seed))
    assert not late(found).any()
    early = earliness(found)
    assert len(early) > 0.2 * n  # many of them do meet
    assert np.median(early) < 0.03
    assert np.mean(found["time"] == 0) < 1e-3
    clear = (found["doubt"] == 1) & (found["known"] == 1)
    assert np.mean(found["time"][clear] == 1) > 0.95


def assert_separation_is_kept(kind, n, seed):
    dmin = 0.01
    found = separated(kind, n, np.random.default_rng(seed), dmin)
    assert np.all(found["least_gap"] > dmin)
    hit = found["contact"] < 1
    assert hit.sum() > 0.05 * len(hit)
    assert np.all(found["time"][hit] < found["contact"][hit])
    assert (
        np.median(1 - found["time"][hit] / found["contact"][hit]) < 0.05
    )  # samples are 0.01 apart
    assert np.all(found["time"] > 0)


@pytest.mark.parametrize("kind", ["point-triangle", "edge-edge"])
def test_no_curved_query_returns_a_time_after_the_contact(kind):
    assert_never_late_and_seldom_early(kind, 1500, 0)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["point-triangle", "edge-edge"])
def test_no_curved_query_of_a_hundred_thousand_returns_a_time_after_the_contact(kind):
    assert_never_late_and_seldom_early(kind, 50_000, 1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_minimum_separation_is_kept_on_every_curved_path(kind):
    assert_separation_is_kept(kind, 2000, 2)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_minimum_separation_is_kept_on_a_hundred_thousand_curved_paths(kind):
    assert_separation_is_kept(kind, 25_000, 3)


def fall(
    height, dmin=0.0, min_gap_fraction=0.01, iterations=200, t_max=1.0, w=ZERO, ds=(0.0, 0.0, 2.0)
):
    """A point `height` above a face that comes up by 2 in the time 1."""
    corners = tuple((x, y, z - height) for x, y, z in FACE)
    return advance_point_triangle(
        (ZERO,), corners, ZERO, ds, ZERO, w, dmin, t_max, min_gap_fraction, iterations
    )


def test_falling_onto_a_face_takes_two_evaluations_and_keeps_the_rest_of_the_gap():
    time, outcome, evaluations = fall(1.0)
    assert outcome == NEAR
    assert evaluations == 2
    assert time == pytest.approx(0.5 * 0.99, rel=1e-9)


def test_a_minimum_separation_stops_a_fall_that_much_earlier():
    time, _, _ = fall(1.0, dmin=0.2)
    assert time == pytest.approx(0.4 * 0.99, rel=1e-9)


def test_the_earliest_impact_so_far_limits_all_later_queries():
    assert fall(1.0, t_max=0.3)[:2] == (0.3, FREE)


def test_sliding_along_a_face_a_micrometre_above_it_is_free_at_once():
    time, outcome, evaluations = fall(1e-6, ds=(0.5, 0.3, 0.0))
    assert (time, outcome, evaluations) == (1.0, FREE, 1)


def test_at_the_limit_of_iterations_the_collision_free_time_so_far_is_returned_and_not_zero():
    spin = (3.0, 0.5, 1.0)
    full, outcome, evaluations = fall(0.3, w=spin)
    assert outcome == NEAR and evaluations > 4
    short, outcome, evaluations = fall(0.3, w=spin, iterations=3)
    assert (outcome, evaluations) == (LIMIT, 3)
    assert 0 < short < full


def test_a_pair_that_touches_gets_time_zero_and_one_a_nanometre_apart_does_not():
    assert fall(0.0)[:2] == (0.0, TOUCHING)
    time, _, _ = fall(1e-9)
    assert 0 < time < 0.5e-9


@pytest.mark.parametrize("turns", [0.25, 3.25, 1000.25])
def test_a_fast_spin_is_followed_for_any_number_of_turns(turns):
    """An arm of length 1 turns about z into a wire at a quarter of a turn, or a micrometre past."""
    arm, wire = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)), ((0.0, 0.5, -1.0), (0.0, 0.5, 1.0))
    spin = (0.0, 0.0, 2 * np.pi * turns)
    time, outcome, _ = advance_edge_edge(arm, wire, ZERO, ZERO, spin, ZERO, 0.0, 1.0, 0.01, 5000)
    assert outcome == NEAR
    assert 0.97 * 0.25 / turns < time < 0.25 / turns
    passed = advance_edge_edge(
        arm, wire, (0.0, 0.5 + 1e-6, 0.0), ZERO, spin, ZERO, 0.0, 1.0, 1e-7, 1_000_000
    )
    assert passed[:2] == (1.0, FREE)


def test_bodies_at_rest_are_free_in_one_evaluation():
    found = advance_point_point(
        (ZERO,), (ZERO,), (1e-9, 0.0, 0.0), ZERO, ZERO, ZERO, 0.0, 1.0, 0.1, 9
    )
    assert found == (1.0, FREE, 1)


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_times_do_not_depend_on_the_unit_of_length(scale):
    scaled = tuple(tuple(scale * x for x in p) for p in FACE)
    arguments = (ZERO, (0.3, 0.2, -0.1), 0.0, 1.0, 0.01, 200)
    D, ds = np.array([0.1, 0.2, -1.0]), np.array([0.0, 0.1, 2.0])
    one = advance_point_triangle((ZERO,), FACE, tuple(D), tuple(ds), *arguments)
    other = advance_point_triangle((ZERO,), scaled, tuple(scale * D), tuple(scale * ds), *arguments)
    assert other[0] == pytest.approx(one[0], rel=1e-9)
