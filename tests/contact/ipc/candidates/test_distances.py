"""Distances at a pose: nothing is measured twice, and nothing out of date is used."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.ipc.candidates.lists import update_body_pairs
from dovetail.contact.ipc.islands.settled import begin_islands
from dovetail.contact.ipc.islands.state import SETTLED
from dovetail.contact.ipc.line_search.step_size import collision_free_step_size
from dovetail.contact.ipc.records import Poses
from ipc_arrays import IpcArrays, identities

REACH, DHAT = 0.02, 0.01
APART = np.array([[0, 0, 0], [1.015, 0.1, 0], [2.03, 0.0, 0.05]])


class Boxes(IpcArrays):
    """Three unit boxes in a row, 15 mm apart."""

    def __init__(self):
        scene = dt.Scene()
        for name in "abc":
            scene.add_body(name, dt.Box((1, 1, 1)), mass=1)
        super().__init__(scene.build(), candidates=1 << 12)
        begin_islands(*self.parts)

    def distances(self, x, R, reach=REACH, path_length=0.0):
        """Least squared distance, those of all candidates, and whether anything was measured."""
        before = int(self.counters.pose)
        least = self.measure(x, R, reach, DHAT, path_length)
        return least, self.squared.copy(), self.counters.pose > before


@pytest.fixture
def there():
    boxes = Boxes()
    assert boxes.distances(APART, identities(3))[2]
    return boxes


def test_a_pose_measured_before_is_not_measured_again(there):
    R = identities(3)
    least, squared, measured = there.distances(APART.copy(), R)
    assert not measured
    new_least, new_squared, _ = Boxes().distances(APART, R)
    assert least == new_least
    assert np.array_equal(squared, new_squared)


@pytest.mark.parametrize(
    "change", ["position", "rotation", "reach", "settled", "sweep", "other pose"]
)
def test_whatever_changes_is_measured_again(there, change):
    x, R, reach = APART.copy(), identities(3), REACH
    if change == "position":
        x[1, 2] = np.nextafter(x[1, 2], 1.0)
    elif change == "rotation":
        R[2, 0, 1] = 1e-16
    elif change == "reach":
        reach *= 1.01
    elif change == "settled":
        there.workspace.islands.state[:2] = SETTLED
    elif change == "sweep":
        there.counters.sweeps = 0
    else:  # vertex offsets are those of the CCD's pose now
        still = np.zeros((3, 6))
        collision_free_step_size(*there.parts, Poses(x + 1.0, R), still, 0.0, 0.0, 0.1)
    assert there.distances(x, R, reach)[2]


def test_longer_paths_make_a_new_sweep_and_new_distances(there):
    R = identities(3)
    sweeps = int(there.counters.sweeps)
    least, _, measured = there.distances(APART, R, path_length=5.0)
    assert measured
    assert there.counters.sweeps == sweeps + 1
    assert least == Boxes().distances(APART, R)[0]


def test_a_new_sweep_that_counts_as_many_as_before_is_a_new_one(there):
    R = identities(3)
    sweeps = int(there.counters.sweeps)
    there.counters.sweeps = 0
    assert update_body_pairs(*there.parts[:2], Poses(APART, R), np.zeros(3), REACH)
    assert there.counters.sweeps == sweeps
    assert there.distances(APART, R)[2]


def test_of_pairs_that_are_passed_over_nothing_is_known(there):
    there.workspace.islands.state[:2] = SETTLED
    there.distances(APART, identities(3))
    assert there.pairs[0].tolist() == [0, 1]
    assert there.lists.state.nearest[0] == -1.0
    assert there.lists.state.nearest[1] > 0.0


def test_nearest_is_below_all_distances_of_a_pair_also_from_old_lists():
    rng = np.random.default_rng(0)
    boxes, close = Boxes(), 0
    x, R = APART.copy(), identities(3)
    for _ in range(200):
        x = APART + 2e-3 * rng.normal(size=x.shape)
        boxes.distances(x, R)
        nearest = boxes.lists.state.nearest
        for p, (a, b) in enumerate(boxes.pairs):
            gaps = np.maximum(np.abs(x[b] - x[a]) - 1.0, 0.0)  # of boxes along the axes
            distance = np.linalg.norm(gaps)
            assert nearest[p] <= distance * (1 + 1e-12)
            close += nearest[p] > 0.8 * distance
    assert close > 100  # of 400: it says something, too
