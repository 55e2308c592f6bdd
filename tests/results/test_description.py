"""Descriptions of files with sizes and places filled in, as HDF5 itself reads them."""

from itertools import pairwise

import h5py
import numpy as np
import pytest

import dovetail as dt
from dovetail.results import description
from dovetail.results.datasets import Dataset, datasets_of
from dovetail.results.layout import lay_out, places_in
from dovetail.results.run_file import RunFile
from dovetail.results.whole_file import write_whole_file
from known_runs import falling_scene, two_bodies

COUNTS = ((2, 0, 0, 0), (1, 3, 2, 5), (700, 90_000, 64, 4000))


@pytest.fixture(scope="module")
def stored():
    scene = falling_scene()
    result = dt.simulate(scene, 0.02, 0.01, progress=False, check=False)
    return result.stored


def capacity_of(header, counts):
    return {t: n for t, n in zip(("frames", "contacts", "events", "waypoints"), counts)
            if t in header.tables}  # fmt: skip


@pytest.mark.parametrize("counts", COUNTS)
def test_hdf5_finds_every_dataset_as_it_is_meant(stored, tmp_path, counts):
    capacity = capacity_of(stored.header, counts)
    path = tmp_path / "a.h5"
    places = lay_out(path, stored.header, capacity, "failed", "it fell, ähm")
    with h5py.File(path) as file:  # which compares the checksums of all that it reads
        found = places_in(file)
        for dataset in datasets_of(stored.header, capacity, "failed", "it fell, ähm"):
            there = file[dataset.path]
            assert there.shape == dataset.shape and there.maxshape == dataset.shape
            assert there.dtype.itemsize == dataset.dtype.itemsize
            assert there.attrs.get("meaning", b"") in (dataset.meaning, dataset.meaning.encode())
            assert there.attrs.get("unit", b"") in (dataset.unit, dataset.unit.encode())
            if dataset.dtype.kind == "S":
                assert h5py.check_string_dtype(there.dtype).encoding == "utf-8"
            if dataset.values is not None:
                values = np.asarray(there[()]).astype(dataset.values.dtype)
                assert values.tobytes() == dataset.values.tobytes()
            if there.size:
                assert found[dataset.path].offset == places[dataset.path].offset
                assert places[dataset.path].size < 8 or places[dataset.path].offset % 8 == 0
        assert set(found) == set(places)
        assert file["run/reason"][()].rstrip(b"\0").decode() == "it fell, ähm"


def test_places_do_not_overlap_and_end_with_the_file(stored, tmp_path):
    path = tmp_path / "a.h5"
    places = lay_out(path, stored.header, capacity_of(stored.header, COUNTS[1]), "running")
    spans = sorted((p.offset, p.offset + p.size) for p in places.values() if p.size)
    assert all(end <= begin for (_, end), (begin, _) in pairwise(spans))
    assert spans[-1][1] == path.stat().st_size


def test_a_description_is_made_once_for_files_of_one_kind(stored, tmp_path, monkeypatch):
    lay_out(tmp_path / "a.h5", stored.header, capacity_of(stored.header, COUNTS[0]), "running")
    monkeypatch.setattr(description.h5py, "File", None)
    lay_out(tmp_path / "b.h5", stored.header, capacity_of(stored.header, COUNTS[1]), "finished")


def test_kinds_of_datasets_are_distinguished_by_all_but_their_sizes():
    def one(path="a", shape=(3,), dtype="<f8", meaning="", unit=""):
        return Dataset(path, shape, np.dtype(dtype), meaning, unit).kind

    assert one(shape=(3,)) == one(shape=(4,)) and one(dtype="S3") == one(dtype="S40")
    others = (one(path="b"), one(shape=(3, 1)), one(dtype="<i8"), one(meaning="m"), one(unit="m"))
    assert len({one(), *others}) == 6


def test_a_file_written_at_once_has_the_bytes_of_one_filled_bit_by_bit(tmp_path):
    made = {}
    for way in (True, False):
        out = tmp_path / f"{way}.h5"
        dt.simulate(
            two_bodies(), 0.05, 0.01, dt.contact.SDF(), out=out, progress=False, check=False,
            extendable=way,
        )  # fmt: skip
        made[way] = out.read_bytes()
        assert dt.load(out).status == "finished"
    assert made[True] == made[False]


def test_a_run_that_says_nothing_on_the_way_leaves_no_file_where_the_disk_is_full(
    stored, tmp_path, monkeypatch
):
    file = RunFile(tmp_path / "a.h5", stored.header, dict.fromkeys(stored.header.tables, 4))
    assert not file.is_begun
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "")))
    with pytest.raises(OSError):
        write_whole_file(file.path, stored.header, file.pending, "finished", "", False)
    assert list(tmp_path.iterdir()) == []
