"""The nearest configuration of two bodies by descent."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.prove.kinematic.descent import Descent
from dovetail.prove.kinematic.prepared_pairs import PairRequest, prepared_pairs
from dovetail.prove.motion.plan import plan_of
from dovetail.prove.motion.records import MEET


def search_of(scene, sweep):
    model = scene.build()
    plan = plan_of(model, sweep)
    low = np.array([one.low for one in plan.parameters])
    high = np.array([one.high for one in plan.parameters])
    ((pair,), _) = prepared_pairs(model, PairRequest(plan, low, high, 0.0, frozenset()))
    return pair.search, pair.low, pair.high  # in the order of the pair


def arm_over_a_table():
    """A bar of 100 mm turns about one end, 110 mm above a table, and slides."""
    scene = dt.Scene()
    scene.add_body("arm", dt.Box((0.02, 0.02, 0.1)), density=1000, position=(0, 0, -0.05))
    scene.add_body("table", dt.Box((1, 1, 0.02)), position=(0, 0, -0.12), motion="static")
    scene.add_joint("h", dt.Cylindrical(axis=(0, 1, 0)), "ground", "arm")
    return search_of(scene, {"h": [(0.02, 0.9), (-0.1, 0.13)]})


def test_a_descent_ends_at_the_least_distance_to_rounding():
    """A corner at (10, 100) mm from the axis is nearest where it is right below it."""
    search, low, high = arm_over_a_table()
    found, at = Descent(search, low, high, 10**6).lowest(0.02)
    assert found.code == MEET
    assert found.distance == pytest.approx(0.11 - np.hypot(0.01, 0.1), abs=1e-12)
    turned = at[search.motion.parameters.index(0)]
    assert turned == pytest.approx(np.arctan2(0.01, 0.1), abs=1e-5)


def test_no_distance_below_the_limit_is_no_meeting_and_the_budget_is_kept():
    search, low, high = arm_over_a_table()
    assert Descent(search, low, high, 10**6).lowest(0.009) is None
    began = search.tests
    Descent(search, low, high, 500).lowest(0.02)
    assert search.tests - began < 1000


def bar_past_a_block():
    """In general position, so that no face is along another."""
    scene, random = dt.Scene(), np.random.default_rng(5)
    q, p = random.normal(size=(2, 4))
    axis = tuple(random.normal(size=3) * 0.2 + (0, 0, 1))
    bar, block = dt.Cylinder(0.02, 0.08), dt.Box((0.05, 0.1, 0.03))
    scene.add_body(
        "bar", bar, density=1000, position=(0.1, 0, 0), rotation=tuple(q / np.linalg.norm(q))
    )
    scene.add_body(
        "block", block, position=(0.02, 0.19, 0.03), rotation=tuple(p / np.linalg.norm(p)),
        motion="static",
    )  # fmt: skip
    scene.add_joint("h", dt.Cylindrical(axis=axis), "ground", "bar")
    return scene, {"h": [(-1.0, 3.0), (-0.02, 0.02)]}


def test_a_clearance_next_to_the_true_one_takes_few_tests():
    """1.5 million by search alone: cells all over the range are searched before the nearest."""
    scene, sweep = bar_past_a_block()
    least = dt.prove(scene, sweep=sweep).least_clearance
    proof = dt.prove(scene, sweep=sweep, clearance=1.003 * least)
    assert proof.verdict in ("proven", "meets") and proof.tests < 800_000
