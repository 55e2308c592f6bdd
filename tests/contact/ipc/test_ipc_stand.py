"""Standing at a pose: nothing is measured twice, and nothing old is taken for new."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.ipc.candidates.distances import stand
from dovetail.contact.ipc.candidates.lists import pairs_ready
from dovetail.contact.ipc.islands.settled import begin_islands
from dovetail.contact.ipc.line_search.step_size import safe_time
from dovetail.contact.ipc.model_bodies import body_arrays
from dovetail.contact.ipc.records import (
    N_PAIRS,
    POSE,
    SETTLED,
    SWEEPS,
    WHICH,
    bundle_bodies,
    bundle_lists,
    bundle_room,
)
from dovetail.contact.ipc.workspace import list_room, step_room

REACH, DHAT = 0.02, 0.01
APART = np.array([[0, 0, 0], [1.015, 0.1, 0], [2.03, 0.0, 0.05]])


class Boxes:
    """Three unit boxes in a row, 15 mm apart."""

    def __init__(self):
        scene = dt.Scene()
        for name in "abc":
            scene.add_body(name, dt.Box((1, 1, 1)), mass=1)
        self.bodies = body_arrays(scene.build())
        self.lists = list_room(self.bodies, 8, 1 << 12)
        self.room = step_room(self.bodies, 8, 1 << 12, 2, 8)
        self.parts = (
            bundle_bodies(*self.bodies), bundle_lists(*self.lists), bundle_room(*self.room)
        )  # fmt: skip
        begin_islands(*self.parts)

    def stands(self, x, R, reach=REACH, path=0.0):
        """Least squared distance, those of all candidates, and whether anything was measured."""
        before = self.lists.numbers[POSE]
        fits, least = stand(*self.parts, x, R, np.full(3, path), reach, DHAT)
        assert fits
        end = self.lists.start[self.lists.numbers[WHICH], self.lists.numbers[N_PAIRS]]
        return least, self.room.squared[:end].copy(), self.lists.numbers[POSE] > before


@pytest.fixture
def there():
    boxes = Boxes()
    assert boxes.stands(APART, np.tile(np.eye(3), (3, 1, 1)))[2]
    return boxes


def test_the_pose_where_all_stand_costs_nothing(there):
    R = np.tile(np.eye(3), (3, 1, 1))
    least, squared, measured = there.stands(APART.copy(), R)
    assert not measured
    new_least, new_squared, _ = Boxes().stands(APART, R)
    assert least == new_least
    assert np.array_equal(squared, new_squared)


@pytest.mark.parametrize("change", ["place", "turn", "reach", "settled", "sweep", "other pose"])
def test_whatever_changes_is_measured_anew(there, change):
    x, R, reach = APART.copy(), np.tile(np.eye(3), (3, 1, 1)), REACH
    if change == "place":
        x[1, 2] = np.nextafter(x[1, 2], 1.0)
    elif change == "turn":
        R[2, 0, 1] = 1e-16
    elif change == "reach":
        reach *= 1.01
    elif change == "settled":
        there.room.still[:2] = SETTLED
    elif change == "sweep":
        there.lists.numbers[SWEEPS] = 0
    else:  # levers are those of the CCD's pose now
        safe_time(*there.parts, x + 1.0, R, np.zeros((3, 6)), 0.0, 0.0, 0.1)
    assert there.stands(x, R, reach)[2]


def test_longer_ways_make_a_new_sweep_and_new_distances(there):
    R = np.tile(np.eye(3), (3, 1, 1))
    swept = there.lists.numbers[SWEEPS]
    least, _, measured = there.stands(APART, R, path=5.0)
    assert measured
    assert there.lists.numbers[SWEEPS] == swept + 1
    assert least == Boxes().stands(APART, R)[0]


def test_a_new_sweep_that_counts_as_many_as_before_is_a_new_one(there):
    R = np.tile(np.eye(3), (3, 1, 1))
    swept = there.lists.numbers[SWEEPS]
    there.lists.numbers[SWEEPS] = 0
    assert pairs_ready(*there.parts[:2], APART, R, np.zeros(3), REACH)
    assert there.lists.numbers[SWEEPS] == swept
    assert there.stands(APART, R)[2]


def test_of_pairs_that_are_passed_over_nothing_is_known(there):
    there.room.still[:2] = SETTLED
    there.stands(APART, np.tile(np.eye(3), (3, 1, 1)))
    first = there.lists.pairs[there.lists.numbers[WHICH], 0].tolist()
    assert first == [0, 1]
    assert there.lists.nearest[0] == -1.0
    assert there.lists.nearest[1] > 0.0


def test_nearest_is_below_all_distances_of_a_pair_also_from_old_lists():
    rng = np.random.default_rng(0)
    boxes, close = Boxes(), 0
    x, R = APART.copy(), np.tile(np.eye(3), (3, 1, 1))
    for _ in range(200):
        x = APART + 2e-3 * rng.normal(size=x.shape)
        boxes.stands(x, R)
        lists = boxes.lists
        for p in range(lists.numbers[N_PAIRS]):
            a, b = lists.pairs[lists.numbers[WHICH], p]
            gaps = np.maximum(np.abs(x[b] - x[a]) - 1.0, 0.0)  # of boxes along the axes
            distance = np.linalg.norm(gaps)
            assert lists.nearest[p] <= distance * (1 + 1e-12)
            close += lists.nearest[p] > 0.8 * distance
    assert close > 100  # of 400: it says something, too
