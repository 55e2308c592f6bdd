"""Rows gathered in memory, and a file that grows and shrinks to them."""

import errno
import fcntl
import os
import signal

import h5py
import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.law import no_contacts
from dovetail.results import run_file
from dovetail.results.columns import Column, tables_of
from dovetail.results.header import header_of
from dovetail.results.lock import BeingWrittenError, locked
from dovetail.results.rows import RowBuffer, RowTables
from dovetail.results.run_file import RunFile
from dovetail.results.status import FINISHED
from dovetail.simulate import run, simulate
from known_runs import Chaotic, Touching, Winding, falling_scene, two_bodies


def test_a_buffer_doubles_and_keeps_its_rows():
    buffer = RowBuffer((Column("x", (2,), "<f8", "m", ""), Column("n", (), "<i8", "1", "")), 2)
    sizes = []
    for k in range(5):
        buffer.append({"x": (k, -k), "n": 10 * k})
        sizes.append(buffer.capacity)
    assert sizes == [2, 2, 4, 4, 8]
    buffer.extend({"x": np.ones((20, 2)), "n": np.arange(20)}, 20)
    assert buffer.capacity == 25 and buffer.count == 25
    assert buffer.filled("n").tolist() == [0, 10, 20, 30, 40, *range(20)]
    assert buffer.filled("x")[4].tolist() == [4, -4]
    buffer.clear()
    assert buffer.count == 0 and buffer.capacity == 25
    assert RowBuffer((Column("x", (), "<f8", "m", ""),), 0).capacity == 1


def test_rows_are_counted_on_after_they_were_written():
    tables = RowTables(tables_of(1, waypoints=True), dict.fromkeys(tables_of(1, 0, True), 4))
    frame = {column.path: 0 for column in tables_of(1)["frames"]}
    tables.add_frame(frame, no_contacts())
    tables.add_event(0, 0.5)
    tables.drop_written()
    assert tables.rows == {"frames": 1, "contacts": 0, "events": 1, "waypoints": 0}
    waypoints = {
        "waypoints/body": np.zeros(2, np.int32), "waypoints/time": np.zeros(2),
        "waypoints/position": np.zeros((2, 3)), "waypoints/rotation": np.zeros((2, 3, 3)),
    }  # fmt: skip
    tables.add_waypoints(waypoints)
    assert tables.buffers["waypoints"].filled("waypoints/frame").tolist() == [1, 1]
    assert tables.rows == {"frames": 1, "contacts": 0, "events": 1, "waypoints": 2}


@pytest.mark.parametrize("integrator", [Chaotic(), Winding()])
def test_a_file_that_must_grow_ends_with_the_bytes_of_one_that_need_not(
    tmp_path, monkeypatch, integrator
):
    options = {"contact": Touching(), "integrator": integrator}
    simulate(two_bodies(), 1.0, 0.01, out=tmp_path / "plain.h5", **options)
    monkeypatch.setattr(run, "CONTACTS_PER_FRAME", 0)
    monkeypatch.setattr(run, "MAX_WAYPOINTS", 1)
    monkeypatch.setattr(run_file, "BLOCK_BYTES", 2000)
    simulate(two_bodies(), 1.0, 0.01, out=tmp_path / "grown.h5", **options)
    assert (tmp_path / "grown.h5").read_bytes() == (tmp_path / "plain.h5").read_bytes()
    # these schemes make energy, which the runs warn about
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "grown.h5", "grown.h5.checkpoint", "grown.h5.timing.npy", "grown.h5.warnings.json",
        "plain.h5", "plain.h5.checkpoint", "plain.h5.timing.npy", "plain.h5.warnings.json",
    ]  # fmt: skip


def test_a_file_shrinks_to_the_rows_of_a_stopped_run(tmp_path):
    def press(t, state):
        if t > 0.1:
            os.kill(os.getpid(), signal.SIGINT)

    out = tmp_path / "a.h5"
    simulate(falling_scene(), 1.0, 0.01, out=out, on_step=press)
    with h5py.File(out) as file:
        assert file["position"].shape == (12, 1, 3)
        assert file["run/rows"][:].tolist() == [12, 0, 0]


def started(path, planned):
    model = falling_scene().build()
    made = RunFile(path, header_of(model, (), "{}", "1"), planned)
    made.begin()
    return made


def test_a_file_in_the_making_lies_beside_its_place_until_it_is_published(tmp_path):
    path = tmp_path / "a.h5"
    path.write_bytes(b"old")
    made = started(path, {"frames": 3, "contacts": 0, "events": 0})
    assert path.read_bytes() == b"old"
    made.discard()
    assert [p.name for p in tmp_path.iterdir()] == ["a.h5"]
    made = started(path, {"frames": 3, "contacts": 0, "events": 0})
    frame = {c.path: np.zeros(c.shape) for c in made.header.tables["frames"]}
    made.pending.add_frame({**frame, "time": 0.5}, no_contacts())
    made.publish()
    assert dt.load(path).status == "interrupted" and dt.load(path).time.tolist() == [0.5]
    made.stop(FINISHED)
    assert dt.load(path).status == "finished" and dt.load(path).time.tolist() == [0.5]
    assert [p.name for p in tmp_path.iterdir()] == ["a.h5"]


def test_a_block_is_full_at_a_megabyte_or_1024_frames(tmp_path):
    made = started(tmp_path / "a.h5", {"frames": 3, "contacts": 0, "events": 0})
    frame = {c.path: np.zeros(c.shape) for c in made.header.tables["frames"]}
    count = 0
    while not made.block_is_full:
        made.pending.add_frame(frame, no_contacts())
        count += 1
    made.discard()
    assert count == 1024


def lowest_free_descriptor():
    """POSIX gives a new descriptor the lowest number that is free."""
    number = os.dup(0)
    os.close(number)
    return number


def test_a_frame_larger_than_a_block_is_written_by_itself(tmp_path, monkeypatch):
    monkeypatch.setattr(run_file, "BLOCK_BYTES", 1)
    made = started(tmp_path / "a.h5", {"frames": 3, "contacts": 0, "events": 0})
    frame = {c.path: np.zeros(c.shape) for c in made.header.tables["frames"]}
    assert not made.block_is_full
    made.pending.add_frame(frame, no_contacts())
    assert made.block_is_full
    made.discard()


def test_a_table_that_is_full_gets_twice_the_rows_it_needs(tmp_path):
    made = started(tmp_path / "a.h5", {"frames": 8, "contacts": 0, "events": 0})
    for k in range(3):
        made.pending.add_event(0, 0.1 * k)
    made.flush()
    assert made.capacity == {"frames": 8, "contacts": 0, "events": 6}
    made.discard()


def test_a_file_that_cannot_grow_leaves_nothing_beside_and_no_file_open(tmp_path, monkeypatch):
    made = started(tmp_path / "a.h5", {"frames": 8, "contacts": 0, "events": 0})
    made.publish()

    def disk_is_full(*_):
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(RunFile, "_copy", disk_is_full)
    free = lowest_free_descriptor()
    made.pending.add_event(0, 0.5)
    with pytest.raises(OSError, match="no space left"):
        made.flush()
    assert lowest_free_descriptor() == free
    assert [p.name for p in tmp_path.iterdir()] == ["a.h5"]
    made.close()


def test_a_file_that_somebody_deleted_can_be_discarded(tmp_path):
    made = started(tmp_path / "a.h5", {"frames": 3, "contacts": 0, "events": 0})
    for path in tmp_path.iterdir():
        path.unlink()
    made.discard()
    assert not list(tmp_path.iterdir())


def test_a_result_file_names_its_units(tmp_path):
    simulate(falling_scene(), 0.1, 0.1, out=tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5") as file:
        assert file.attrs["units"].decode() == "SI: m, kg, s, rad, N, J"


def test_a_lock_is_held_by_one_and_gone_afterwards(tmp_path):
    path = tmp_path / "a.h5"
    with locked(path):
        assert (tmp_path / "a.h5.lock").exists()
        with (
            pytest.raises(BeingWrittenError, match="is being written by another process"),
            locked(path),
        ):
            pass
        assert (tmp_path / "a.h5.lock").exists()
    assert not (tmp_path / "a.h5.lock").exists()
    with locked(path):
        pass
    with (
        pytest.raises(dt.InputError, match="must be in a folder that exists"),
        locked(tmp_path / "b" / "a"),
    ):
        pass


def test_a_lock_that_somebody_has_deleted_is_no_error_at_the_end(tmp_path):
    with locked(tmp_path / "a.h5"):
        (tmp_path / "a.h5.lock").unlink()


@pytest.mark.parametrize("made_again", [False, True])
def test_a_lock_that_is_deleted_while_it_is_taken_is_taken_again(tmp_path, monkeypatch, made_again):
    """Its owner has finished between our two calls, and perhaps a third process has begun."""
    lock, take, calls = tmp_path / "a.h5.lock", fcntl.flock, []

    def deleted_first(descriptor, how):
        if not calls:
            lock.rename(tmp_path / "deleted")  # whose number no new file has
            if made_again:
                lock.touch()
        calls.append(descriptor)
        take(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", deleted_first)
    free = lowest_free_descriptor()
    with locked(tmp_path / "a.h5"):
        assert len(calls) == 2
        with pytest.raises(BeingWrittenError), locked(tmp_path / "a.h5"):
            pass
    assert not lock.exists() and lowest_free_descriptor() == free


def test_a_table_that_is_exactly_full_stays_as_it_is_when_another_grows(tmp_path):
    made = started(tmp_path / "a.h5", {"frames": 2, "contacts": 0, "events": 0})
    frame = {c.path: np.zeros(c.shape) for c in made.header.tables["frames"]}
    for _ in range(2):
        made.pending.add_frame(frame, no_contacts())
    made.pending.add_event(0, 0.5)
    made.flush()
    assert made.capacity == {"frames": 2, "contacts": 0, "events": 2}
    made.discard()


@pytest.mark.parametrize("planned", [2, 9], ids=["full", "shrunk"])
@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("durable", [False, True])
def test_a_finished_file_is_sealed_and_on_the_disk_if_it_shall_be(
    tmp_path, monkeypatch, planned, begun, durable
):
    path, synced = tmp_path / "a.h5", []
    monkeypatch.setattr(os, "fsync", synced.append)
    header = header_of(falling_scene().build(), (), "{}", "1")
    made = RunFile(path, header, {"frames": planned, "contacts": 0, "events": 0})
    frame = {c.path: np.zeros(c.shape) for c in made.header.tables["frames"]}
    for _ in range(2):
        made.pending.add_frame(frame, no_contacts())
    if begun:
        made.begin()
        made.publish()
    stored = made.stop(FINISHED, durable=durable)
    assert bool(synced) == durable
    assert stored.seal is not None and stored.seal == dt.load(path).stored.seal


def test_a_file_without_space_for_its_end_is_marked_and_closed(tmp_path):
    free = lowest_free_descriptor()
    made = started(tmp_path / "a.h5", {"frames": 2, "contacts": 0, "events": 0})
    frame = {c.path: np.zeros(c.shape) for c in made.header.tables["frames"]}
    made.pending.add_frame(frame, no_contacts())
    made.publish()
    made.mark("failed", "no space")
    assert lowest_free_descriptor() == free
    read = dt.load(tmp_path / "a.h5", verify=False)
    assert (read.status, read.reason, len(read.time)) == ("failed", "no space", 1)
