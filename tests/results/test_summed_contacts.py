"""Contacts of a run added up, from records whose sums are known."""

from types import SimpleNamespace

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.law import ContactRecord
from dovetail.model.frozen import GROUND
from dovetail.results.net_forces import body_wrench, number_of, pair_wrench, touching_pairs

UP = np.array([0.0, 0, 1])
ROWS = [  # frame, bodies, point, force on the first, couple on it
    (0, (0, 1), (1, 0, 0), (0, 0, 2.0), (0, 0, 0.1)),
    (0, (0, 1), (3, 0, 0), (0, 0, 6.0), (0, 0, 0.2)),
    (0, (1, 2), (0, 1, 0), (1, 0, 5.0), (0, 0, 0.4)),
    (1, (1, 0), (2, 0, 0), (0, 0, -3.0), (0, 0, 0.8)),
    (1, (0, GROUND), (0, 0, 0), (0, 0, 50.0), (0, 0, 0)),
    (1, (2, 3), (0, 0, 9), (0, 0, 0.0), (0, 0, 0)),
]
CENTRES = np.array([[0.5, 0, 0], [0.0, 1, 0]])


@pytest.fixture
def result():
    frames = np.array([row[0] for row in ROWS])
    columns = [np.array([row[k] for row in ROWS], float) for k in (2, 3, 4)]
    bodies = np.array([row[1] for row in ROWS], np.int32)
    record = ContactRecord(
        bodies, columns[0], np.tile(UP, (len(ROWS), 1)), columns[1], np.zeros(len(ROWS)), columns[2]
    )
    return SimpleNamespace(
        names=["a", "b", "c", "d"], time=np.array([0.0, 1.0, 2.0]),
        contacts=SimpleNamespace(all=lambda: (frames, record)),
        position=lambda name: np.array([*CENTRES, CENTRES[0]]),
    )  # fmt: skip


def test_the_force_of_a_pair_acts_where_its_normal_forces_have_their_mean(result):
    found = pair_wrench(result, "a", "b")
    assert found.force[:, 2].tolist() == [8.0, 3.0, 0.0]
    assert found.point[0] == pytest.approx([(2 * 1 + 6 * 3) / 8, 0, 0])
    assert found.point[1] == pytest.approx([2, 0, 0]) and np.isnan(found.point[2]).all()
    assert found.torque[0] == pytest.approx([0, 0, 0.3], abs=1e-12)
    assert found.torque[1] == pytest.approx([0, 0, -0.8])


def test_action_equals_reaction(result):
    one, other = pair_wrench(result, "a", "b"), pair_wrench(result, "b", "a")
    assert np.array_equal(one.force, -other.force) and np.allclose(one.torque, -other.torque)
    assert np.array_equal(one.point, other.point, equal_nan=True)


def test_contacts_that_carry_nothing_count_alike(result):
    found = pair_wrench(result, "c", "d")
    assert found.point[1] == pytest.approx([0, 0, 9]) and not found.force.any()


def test_the_wrench_on_a_body_is_about_its_centre(result):
    found = body_wrench(result, "a")
    assert found.force[:, 2].tolist() == [8.0, 53.0, 0.0]
    moments = np.cross(np.array([[1, 0, 0], [3, 0, 0]]) - CENTRES[0], [[0, 0, 2], [0, 0, 6]])
    assert found.torque[0] == pytest.approx(moments.sum(axis=0) + 0.3 * UP)
    second = np.cross([2, 0, 0] - CENTRES[1], [0, 0, 3]) + np.cross(-CENTRES[1], [0, 0, 50])
    assert found.torque[1] == pytest.approx(second - [0, 0, 0.8])


def test_pairs_are_listed_by_their_largest_force_in_any_frame(result):
    assert touching_pairs(result) == [("a", "ground"), ("a", "b"), ("b", "c"), ("b", "a")]
    nothing = ContactRecord(np.zeros((0, 2), np.int32), *(np.zeros((0, 3)),) * 3, np.zeros(0))
    result.contacts = SimpleNamespace(all=lambda: (np.zeros(0, int), nothing))
    assert touching_pairs(result) == []


def test_an_unknown_body_is_answered_with_the_first_twenty(result):
    assert number_of(result, "c") == 2 and number_of(result, "ground") == GROUND
    with pytest.raises(dt.InputError, match=r"no body 'e' .*it has: a, b, c, d$"):
        number_of(result, "e")
    result.names = [f"n{k}" for k in range(20)]
    with pytest.raises(dt.InputError, match=r"n18, n19$"):
        number_of(result, "e")
    result.names = [f"n{k}" for k in range(21)]
    with pytest.raises(dt.InputError, match=r"n18, n19, \.\.\.$"):
        number_of(result, "e")
