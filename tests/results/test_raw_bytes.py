"""Bytes written at a place of a file, in as many pieces as the system takes."""

import gc
import os
import re
from pathlib import Path

import numpy as np
import pytest

import dovetail as dt
from dovetail.results import raw_bytes
from dovetail.results.columns import Column, bytes_per_row, frame_columns, tables_of
from dovetail.results.csv_cells import plain_cell
from dovetail.results.integrity import BLOCK, damaged_rows, slices, sum_of_rows, sums_needed
from dovetail.results.side_files import (
    TEMPORARY_ENDINGS,
    remove_leftovers,
    remove_result,
    side_path,
)
from dovetail.results.status import packed
from dovetail.results.timing import read_wall_time, write_wall_time

OPEN = Path("/proc/self/fd")  # the files this process has open


@pytest.fixture
def opened(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(bytes(100))
    descriptor = os.open(path, os.O_RDWR)
    yield path, descriptor
    os.close(descriptor)


def test_a_write_that_takes_a_few_bytes_at_a_time_is_completed(opened, monkeypatch):
    path, descriptor = opened
    really = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda d, data, at: really(d, data[:3], at))
    raw_bytes.write_at(descriptor, b"0123456789", 20)
    assert path.read_bytes() == bytes(20) + b"0123456789" + bytes(70)


def test_arrays_are_written_row_by_row_whatever_their_memory(opened):
    path, descriptor = opened
    array = np.arange(6, dtype="<i4").reshape(2, 3)
    raw_bytes.write_array_at(descriptor, array.T, 8)
    assert np.frombuffer(path.read_bytes(), "<i4", 6, 8).tolist() == [0, 3, 1, 4, 2, 5]


def test_reads_and_copies_in_pieces_are_whole_and_a_file_that_ends_early_is_an_error(
    opened, monkeypatch
):
    path, descriptor = opened
    raw_bytes.write_at(descriptor, bytes(range(100)), 0)
    monkeypatch.setattr(raw_bytes, "CHUNK", 7)
    assert raw_bytes.read_array_at(descriptor, 30, 5).tolist() == list(range(5, 35))
    assert raw_bytes.read_array_at(descriptor, 0, 5).shape == (0,)
    with pytest.raises(OSError, match="the file ends 10 bytes early"):
        raw_bytes.read_array_at(descriptor, 20, 90)
    raw_bytes.copy_range(descriptor, descriptor, 10, 60, 30)
    assert path.read_bytes()[60:90] == bytes(range(10, 40)) and path.read_bytes()[90] == 90
    with pytest.raises(OSError, match="the file ends 10 bytes early"):
        raw_bytes.copy_range(descriptor, descriptor, 90, 0, 20)


def test_a_file_is_replaced_once_it_is_on_disk(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", lambda d: synced.append((OPEN / str(d)).readlink()))
    new, final = tmp_path / "new", tmp_path / "final"
    new.write_bytes(b"new")
    final.write_bytes(b"old")
    opened = len(list(OPEN.iterdir()))
    raw_bytes.replace_durably(new, final)
    assert final.read_bytes() == b"new" and not new.exists()
    assert synced == [new, tmp_path]
    assert len(list(OPEN.iterdir())) == opened


WIDE = Column("wide", (3, 100), "<f8", "m", "2400 bytes a row")


def test_a_damaged_block_takes_the_rows_that_lie_in_it():
    data = np.arange(3000.0).reshape(10, 3, 100)
    sums = sum_of_rows(data)
    assert len(sums) == -(-24000 // BLOCK) == 6 and WIDE.row_bytes == 2400
    assert not damaged_rows(WIDE, data, sums).any()
    data[4, 0, 0] += 1  # at byte 9600, in block 2: bytes 8192 to 12287, rows 3 to 5
    assert np.flatnonzero(damaged_rows(WIDE, data, sums)).tolist() == [3, 4, 5]


def test_checksums_of_columns_lie_one_after_another_with_space_for_all_rows():
    narrow = Column("narrow", (), "<i4", "1", "")
    tables = {"frames": (WIDE, narrow), "events": (narrow,)}
    capacity, rows = {"frames": 100, "events": 3000}, {"frames": 10, "events": 1025}
    found = [(table, column.path, where) for table, column, where in slices(tables, capacity, rows)]
    # 100 rows of 2400 bytes need 59 blocks, of 4 bytes 1; 3000 rows of 4 bytes need 3
    assert found == [
        ("frames", "wide", slice(0, 6)),
        ("frames", "narrow", slice(59, 60)),
        ("events", "narrow", slice(60, 62)),
    ]
    assert sums_needed(tables, capacity) == 59 + 1 + 3


def test_columns_of_joints_kinematic_bodies_and_waypoints_are_there_where_some_are():
    def paths(*counts):
        return {column.path for column in frame_columns(*counts)}

    assert paths(2, 3) - paths(2) == {"joints/force", "joints/torque"}
    assert paths(2, 0, 1) - paths(2) == {"kinematic/behind"}
    by_path = {column.path: column.shape for column in frame_columns(2, 3, 1)}
    assert by_path["joints/torque"] == (3, 3) and by_path["position"] == (2, 3)
    assert by_path["rotation"] == (2, 3, 3) and by_path["kinematic/behind"] == (1,)
    assert list(tables_of(2)) == ["frames", "contacts", "events"]
    assert list(tables_of(2, waypoints=True)) == ["frames", "contacts", "events", "waypoints"]
    assert tables_of(2, 3, False, 1)["frames"] == frame_columns(2, 3, 1)
    assert bytes_per_row(tables_of(1)["contacts"]) == 2 * 4 + 8 + 4 * 3 * 8


def test_a_status_is_cut_between_characters_and_padded():
    assert packed("ab", 4) == b"ab\0\0"
    assert packed("abcdef", 4) == b"abcd"
    assert packed("abcé", 4) == b"abc\0"


def test_files_beside_a_result_are_removed_with_it_and_half_written_ones_alone(tmp_path):
    path = tmp_path / "a.h5"
    kept = [path, *(side_path(path, e) for e in ("checkpoint", "timing.npy", "findings.json"))]
    half = [side_path(path, ending) for ending in TEMPORARY_ENDINGS]
    for file in (*kept, *half, tmp_path / "b.h5"):
        file.touch()
    remove_leftovers(path)
    assert sorted(tmp_path.iterdir()) == sorted([*kept, tmp_path / "b.h5"])
    half[0].touch()
    remove_result(path)
    assert list(tmp_path.iterdir()) == [tmp_path / "b.h5"]
    remove_result(path)  # nothing there


def test_wall_times_are_cut_or_filled_with_nan_to_the_frames_there_are(tmp_path):
    path = tmp_path / "a.h5"
    assert read_wall_time(path, 2) is None
    write_wall_time(path, np.array([0.1, 0.2, 0.3]))
    assert read_wall_time(path, 2).tolist() == [0.1, 0.2]
    found = read_wall_time(path, 5)
    assert found[:3].tolist() == [0.1, 0.2, 0.3] and np.isnan(found[3:]).all() and len(found) == 5
    assert [p.name for p in tmp_path.iterdir()] == ["a.h5.timing.npy"]
    side_path(path, "timing.npy").write_bytes(b"junk")
    assert read_wall_time(path, 2) is None
    write_wall_time(tmp_path / "no folder" / "a.h5", np.zeros(2))  # does no harm


def test_a_run_leaves_no_file_open(tmp_path):
    """Finished, failed or interrupted: thousands of runs in one process do not run out of files."""

    def stop(t, state):
        raise RuntimeError("enough")

    scene = dt.Scene()
    scene.add_body("ball", dt.Sphere(0.1), density=1000)
    settings = {"duration": 0.1, "step": 0.05, "progress": False, "check": False}
    dt.simulate(scene, **settings, out=tmp_path / "first.h5")
    gc.collect()  # files that earlier tests left to the collector
    before = len(list(OPEN.iterdir()))
    for k in range(3):
        dt.simulate(scene, **settings, out=tmp_path / f"good {k}.h5")
        with pytest.raises(dt.RunError, match="enough"):
            dt.simulate(scene, **settings, out=tmp_path / f"bad {k}.h5", on_step=stop)
    gc.collect()  # what an error keeps of its run
    assert len(list(OPEN.iterdir())) == before


def test_a_result_that_cannot_be_saved_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    scene = dt.Scene()
    scene.add_body("ball", dt.Sphere(0.1), density=1000)
    result = dt.simulate(scene, 0.1, 0.05, progress=False, check=False)
    monkeypatch.setattr("dovetail.results.saving.write_row_counts", full)
    with pytest.raises(OSError, match="No space left"):
        result.save(tmp_path / "a.h5")
    assert not [path for path in tmp_path.iterdir() if not path.name.endswith(".lock")]


@pytest.mark.parametrize("text", ["=1+1", "+a", "-b", "@c", "\tx", "  =2"])
def test_texts_that_a_spreadsheet_would_compute_get_an_apostrophe(text):
    assert plain_cell(text) == f"'{text}"
    assert plain_cell(f"a{text}") == f"a{text}"


@pytest.mark.parametrize("formula", ["=1+1", "@SUM(A1)", "-1", "+1", "\uff1d1", " =1", "\u00a0=1"])
@pytest.mark.parametrize("separator", ["", ";", "\t", "x;", "x\t", "x\n", "x|"])
def test_no_part_of_a_text_is_a_formula_where_the_separator_is_another(separator, formula):
    cell = plain_cell(f"{separator}{formula}")
    for part in re.split(r"[;\t\n|]", cell):
        assert not part.strip().startswith(("=", "@", "-", "+", "\uff1d")), cell
