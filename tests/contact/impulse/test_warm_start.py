"""What is kept of the contacts of a step: the first iterate of the next, and the record."""

import numpy as np
import pytest

from dovetail.contact.impulse.warm_start import (
    SolvedContacts,
    WarmStart,
    joined_contacts,
    some_contacts,
)


def contacts(count, h, first=0):
    """Contacts with numbers that tell them apart."""
    k = first + np.arange(count, dtype=float)
    rows = np.column_stack([k + 1, 10 * k + 1, 100 * k + 1])
    return SolvedContacts(
        np.column_stack([k, k + 1]).astype(np.int32), rows, 2 * rows, 3 * rows, k, 4 * rows,
        np.array([h]),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("h_first", "h_second", "h", "ratio"),
    [
        (0.01, 0.02, 0.02, 2.0),
        (0.01, 0.0, 0.01, 1.0),
        (0.0, 0.02, 0.02, 1.0),
        (0.04, 0.01, 0.01, 0.25),
    ],
)
def test_impulses_of_the_first_are_scaled_to_the_length_of_the_seconds_step(
    h_first, h_second, h, ratio
):
    a, b = contacts(2, h_first), contacts(3, h_second, first=5)
    both = joined_contacts(a, b)
    assert both.h.tolist() == [h]
    assert np.array_equal(both.impulse, np.concatenate([ratio * a.impulse, b.impulse]))
    for name in ("body", "place", "point", "normal", "gap"):
        parts = getattr(a, name), getattr(b, name)
        assert np.array_equal(getattr(both, name), np.concatenate(parts))


def test_chosen_contacts_keep_their_rows_and_their_step():
    some = some_contacts(contacts(3, 0.01), np.array([True, False, True]))
    assert some.gap.tolist() == [0.0, 2.0] and some.h.tolist() == [0.01]
    assert np.array_equal(some.impulse, contacts(3, 0.01).impulse[[0, 2]])


def test_contacts_that_are_added_come_before_those_solved_and_can_be_removed():
    warm = WarmStart()
    warm.add(contacts(2, 0.01))
    warm.add(contacts(1, 0.02, first=7))
    assert warm.solved.gap.tolist() == [7.0, 0.0, 1.0] and warm.solved.h.tolist() == [0.01]
    assert np.array_equal(warm.solved.impulse[0], contacts(1, 0.02, first=7).impulse[0] / 2)
    warm.remove(np.array([False, True, False]))
    assert warm.solved.gap.tolist() == [7.0, 1.0]


def test_forces_of_the_record_are_all_impulses_over_the_time_of_the_step():
    """A step of two pieces, 1 ms and 3 ms: a contact with an impulse in both has 4 ms of it."""
    warm = WarmStart()
    warm.begin_step()
    first = contacts(3, 0.001)
    first.impulse[1] = 0.0
    warm.add(first)
    warm.end_piece()
    warm.remove(np.ones(3, bool))
    warm.restore(warm.snapshot() | contacts(2, 0.003, first=5)._asdict())
    record = warm.record()
    assert record.gaps.tolist() == [0.0, 2.0, 5.0, 6.0]  # without the one that does not press
    impulses = np.concatenate([first.impulse[[0, 2]], contacts(2, 0.003, first=5).impulse])
    np.testing.assert_allclose(record.forces, impulses / 0.004, rtol=1e-15)
    after = contacts(2, 0.003, first=5)
    assert np.array_equal(record.bodies, np.concatenate([first.body[[0, 2]], after.body]))
    assert np.array_equal(record.points, np.concatenate([first.point[[0, 2]], after.point]))
    assert np.array_equal(record.normals, np.concatenate([first.normal[[0, 2]], after.normal]))
    warm.begin_step()
    np.testing.assert_allclose(warm.record().forces, after.impulse / 0.003, rtol=1e-15)


def test_nothing_solved_is_no_force():
    record = WarmStart().record()
    assert record.forces.shape == (0, 3) and record.bodies.shape == (0, 2)
    assert record.gaps.shape == (0,) and WarmStart().solved.h.tolist() == [0.0]


def test_a_snapshot_is_a_copy_of_both_parts():
    warm = WarmStart()
    warm.add(contacts(2, 0.01))
    warm.end_piece()
    kept = warm.snapshot()
    other = WarmStart()
    other.restore(kept)
    for array in kept.values():
        array[...] = 0
    assert np.array_equal(other.record().forces, warm.record().forces)
    assert other.record().forces.any() and other.record().gaps.tolist() == [0.0, 1.0, 0.0, 1.0]
