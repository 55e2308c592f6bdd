"""Files that somebody edited, and names that are none of a result: refused with a sentence."""

import os

import h5py
import numpy as np
import pytest

import dovetail as dt
from dovetail.simulate import simulate
from known_runs import Chaotic, Touching, two_bodies


def touching_run(**options):
    return simulate(two_bodies(), 1.0, 0.01, Touching(), Chaotic(), **options)


def put(path, data):
    """What takes a dataset's place in a file."""

    def change(file):
        del file[path]
        file[path] = np.bytes_(data) if isinstance(data, bytes) else data

    return change


EDITED = {
    "settings that are no JSON": (put("run/settings", b"{'a': 1}"), "settings are no JSON: "),
    "settings in a list": (put("run/settings", b"[1]"), "settings are no JSON object"),
    "a step in words": (put("run/settings", b'{"step": "1 ms"}'), "setting `step` is '1 ms'"),
    "an integrator by name": (put("run/settings", b'{"integrator": 3}'), "`integrator` is 3"),
    "gravity of two numbers": (put("gravity", np.zeros(2)), r"gravity has \(2,\) instead of "),
    "complex masses": (put("bodies/mass", np.ones(2) * 1j), "mass holds complex128 instead of"),
    "masses of three bodies": (put("bodies/mass", np.ones(3)), r"bodies/mass has \(3,\)"),
    "a status of its own": (put("run/status", b"fine"), "status 'fine'"),
    "motions of three": (
        put("bodies/motion", np.array([b"dynamic"] * 3)), "says of 3 bodies how they move"
    ),
    "positions of one": (put("position", np.zeros((101, 1, 3))), r"position has \(101, 1, 3\)"),
    "fewer frames than said": (put("time", np.zeros(100)), r"time has \(100,\) for 101 rows"),
    "no frames": (put("run/rows", np.zeros(3, int)), "says that it has no frames"),
    "a newer format": (
        lambda file: file.attrs.modify("format_version", 99), "result format 99"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("written") / "a.h5"
    touching_run(out=path)
    return path.read_bytes()


@pytest.mark.parametrize("edit", EDITED)
def test_a_file_that_somebody_edited_is_refused_with_what_is_wrong(tmp_path, written, edit):
    change, says = EDITED[edit]
    path = tmp_path / "a.h5"
    path.write_bytes(written)
    with h5py.File(path, "r+") as file:
        change(file)
    with pytest.raises(dt.InputError, match=says):
        dt.load(path)


def test_a_file_that_may_not_be_read_is_refused_with_the_reason(tmp_path, monkeypatch):
    def may_not(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.open", may_not)
    with pytest.raises(dt.InputError, match="cannot be opened: Permission denied"):
        dt.load(tmp_path / "a.h5")


@pytest.mark.parametrize(
    ("path", "says"),
    [
        (3, "`path` must be the name of a result file, got 3"),
        ("scene.yaml", "scene.yaml is a scene, not a result; use dt.Scene.load"),
    ],
)
def test_what_is_no_name_of_a_result_is_not_opened(tmp_path, monkeypatch, path, says):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scene.yaml").write_text("version: 1")
    with pytest.raises(dt.InputError, match=says):
        dt.load(path)


@pytest.mark.parametrize(
    ("path", "says"),
    [(3, "must be a file name, got 3"), ("a.glb", r"use result.export\('a.glb'\)")],
)
def test_what_is_no_name_of_a_result_is_not_written(tmp_path, monkeypatch, path, says):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(dt.InputError, match=says):
        touching_run().save(path)
    assert not list(tmp_path.iterdir())


def test_saving_a_result_leaves_no_file_open(tmp_path):
    result, free = touching_run(), os.dup(0)
    os.close(free)
    result.save(tmp_path / "a.h5")
    again = os.dup(0)
    os.close(again)
    assert again == free


def test_warnings_are_those_of_the_run_in_memory_and_in_the_file(tmp_path):
    """These schemes make energy, which the run says; a later run that is sound takes it back."""
    path = tmp_path / "a.h5"
    assert "energy" in touching_run().warnings[0]
    assert touching_run(out=path).warnings == dt.load(path).warnings != ()
    sound = simulate(two_bodies(), 0.1, 0.01, out=path)
    assert sound.warnings == dt.load(path).warnings == ()


@pytest.mark.parametrize("status", ["finished", "running"])
def test_first_bytes_that_are_no_seal_are_named_whatever_the_run_did(tmp_path, written, status):
    path = tmp_path / "a.h5"
    path.write_bytes(b"x" * 64 + written[64:])
    if status == "running":
        with h5py.File(path, "r+") as file:
            file["run/status"][()] = np.bytes_(status)
    read = dt.load(path)
    assert (read.status, read.stored.seal) == ("damaged", None)
    assert "seal" in read.reason
