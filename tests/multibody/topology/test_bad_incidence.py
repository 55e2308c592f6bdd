"""Bad incidence lists: every mistake in one message that says what to do."""

import numpy as np
import pytest

from dovetail.errors import InputError
from dovetail.multibody.topology import analyse


def mistakes_of(incidence, **options):
    with pytest.raises(InputError) as caught:
        analyse(incidence, **options)
    return caught.value.mistakes


def test_all_mistakes_come_in_one_message_in_order_of_joints():
    found = mistakes_of(
        [(0, 1), (2, 3), (4, 4), (1, -5), (1.5, 1), (1,), ("x", 1), (9, 1)], n_bodies=6
    )
    assert [" ".join(text.split()[:2]) for text in found] == [
        "joint 3",
        "joint 4",
        "joint 5",
        "joint 6",
        "joint 7",
        "joint 8",
        "bodies must",
        "bodies 2,",
        "body 4",
    ]
    assert "different bodies, got body 4 with itself" in found[0]
    assert "got -5" in found[1]
    assert "got 1.5" in found[2]
    assert "pair, got (1,)" in found[3]
    assert "got 'x'" in found[4]
    assert "unknown body 9; the bodies are 1 to 6" in found[5]
    assert "no joint holds body 5 to 6" in found[6]
    assert "bodies 2, 3 must be connected to the ground" in found[7]
    assert "floating=True" in found[7]


def test_each_island_is_named_once():
    found = mistakes_of([(0, 1), (2, 3), (5, 4), (3, 2)])
    assert [text.split(" must")[0] for text in found] == ["bodies 2, 3", "bodies 4, 5"]


def test_island_is_not_blamed_when_a_faulty_joint_may_connect_it():
    found = mistakes_of([(0, 1), (2, 3), (-1, 2)])
    assert len(found) == 1
    assert "got -1" in found[0]


def test_gap_in_the_numbers_is_an_error_even_when_floating():
    (found,) = mistakes_of([(0, 1), (1, 4)], floating=True)
    assert "1 to 4 without gaps" in found
    assert "body 2 to 3" in found


def test_absurdly_large_number_is_an_error_and_not_an_allocation():
    (found,) = mistakes_of([(0, 1), (1, 2_000_000_000)])
    assert "body 2 to 1999999999" in found
    assert "got 100000000000000000000" in mistakes_of([(0, 1), (1, 10**20)])[0]


@pytest.mark.parametrize("value", [2.5, float("nan"), None, "1", 1 + 0j])
def test_body_that_is_not_a_whole_number_is_named(value):
    found = mistakes_of([(0, 1), (1, value)])
    assert "joint 2 must name bodies by whole numbers" in found[0]


def test_whole_numbers_stored_as_floats_are_accepted():
    assert analyse(np.array([[0.0, 1.0], [1.0, 2.0]])) == analyse([(0, 1), (1, 2)])


@pytest.mark.parametrize("incidence", [7, None, "ab", [1, 2, 3]])
def test_incidence_of_another_shape_is_refused_with_the_right_one(incidence):
    assert "pair" in mistakes_of(incidence)[0]


def test_matrix_of_the_papers_shape_is_refused_with_advice_to_transpose():
    assert "transpose" in mistakes_of([[0, 1, 2], [1, 2, 3]])[0]
    assert "transpose" in mistakes_of(np.array([[0, 1, 2], [1, 2, 3], [1, 2, 3]]))[0]


def test_nothing_at_all_is_an_error():
    assert "at least one" in mistakes_of([])[0]


@pytest.mark.parametrize("n_bodies", [-1, 1.5, "3"])
def test_number_of_bodies_must_be_whole_and_not_negative(n_bodies):
    assert "`n_bodies` must be a whole number >= 0" in mistakes_of([(0, 1)], n_bodies=n_bodies)[0]


def test_order_and_weights_are_checked_in_the_same_message():
    found = mistakes_of([(0, 1), (1, 1)], order="deep", weights=[1.0, float("inf")])
    assert len(found) == 3
    assert "joint 2 must join two different bodies" in found[0]
    assert "joint 2 must have a finite weight, got inf" in found[1]
    assert "'as_given', 'shallow'" in found[2]


def test_sequence_and_weights_must_cover_every_joint():
    found = mistakes_of([(0, 1), (1, 2)], order=[1, 1], weights=[1.0])
    assert "each of the joints 1 to 2 once, got [1, 1]" in found[0]
    assert "each of the 2 joints, got shape (1,)" in found[1]


def test_thousands_of_mistakes_are_counted_beyond_the_first_fifty():
    found = mistakes_of([(1, 1)] * 2000)
    assert len(found) == 51
    assert found[-1] == "... and 1951 more mistakes"
