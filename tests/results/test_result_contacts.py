"""The contacts of a run: those of one frame, and all with their frames."""

import dataclasses

import numpy as np
import pytest

import dovetail as dt
from dovetail.results.contacts import Contacts
from dovetail.simulate import simulate
from known_runs import Chaotic, Touching, two_bodies

COLUMNS = ("bodies", "points", "normals", "forces", "gaps", "torques")


@pytest.fixture(scope="module")
def result():
    return simulate(two_bodies(), 1.0, 0.01, Touching(), Chaotic())


class Changed:
    """A stored result with other columns."""

    def __init__(self, stored, rows=None, **columns):
        self._stored, self._columns = stored, {f"contacts/{k}": v for k, v in columns.items()}
        self.header, self.rows = stored.header, {**stored.rows, **(rows or {})}

    def column(self, path):
        return self._columns.get(path, self._stored.column(path))


def test_every_frame_has_the_next_rows(result):
    contacts = result.contacts
    frames, every = contacts.all()
    assert frames.tolist() == [k for k, n in enumerate(contacts.count) for _ in range(n)]
    for frame in range(len(contacts)):
        for name in COLUMNS:
            own = getattr(every, name)[frames == frame]
            assert np.array_equal(getattr(contacts.at(frame), name), own), name
    assert len(contacts) == 101 and len(frames) == contacts.count.sum() > 100
    assert repr(contacts) == f"<Contacts: {len(frames)} in 101 frames>"


def test_couples_are_those_of_the_file_and_zero_where_it_has_none(result):
    couples = np.arange(3.0 * result.stored.rows["contacts"]).reshape(-1, 3)
    _, every = Contacts(Changed(result.stored, torques=couples)).all()
    assert np.array_equal(every.torques, couples)
    earlier = Changed(result.stored, torques=couples)
    earlier.header = dataclasses.replace(earlier.header, without=frozenset({"contacts/torques"}))
    _, every = Contacts(earlier).all()
    assert np.array_equal(every.torques, np.zeros_like(couples))


def test_frames_are_counted_from_either_end_and_no_further(result):
    contacts = result.contacts
    assert np.array_equal(contacts.at(-101).points, contacts.at(0).points)
    assert np.array_equal(contacts.at(-1).points, contacts.at(100).points)
    for frame in (101, -102):
        with pytest.raises(dt.InputError, match=f"`frame` must be from 0 to 100, got {frame}"):
            contacts.at(frame)


def test_rows_outside_the_table_are_damage(result):
    start = np.array(result.stored.column("contacts/start"))
    count = np.array(result.stored.column("contacts/count"))
    total = result.stored.rows["contacts"]
    last = int(np.flatnonzero(count)[-1])
    for changed in ({"start": start - 1000}, {"count": count - 1000}, {"start": start + total}):
        with pytest.raises(dt.InputError, match=f"the contacts of frame {last} are damaged"):
            Contacts(Changed(result.stored, **changed)).at(last)
    fewer = Changed(result.stored, {"contacts": total - 1})
    with pytest.raises(dt.InputError, match="are damaged"):
        Contacts(fewer).at(last)
    with pytest.raises(dt.InputError, match="the numbers of contacts are damaged"):
        Contacts(fewer).all()
    count[0] = -1
    with pytest.raises(dt.InputError, match="the numbers of contacts are damaged"):
        Contacts(Changed(result.stored, count=count)).all()
