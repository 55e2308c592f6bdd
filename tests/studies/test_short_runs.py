"""Runs of milliseconds: nothing waits for the disk, and what a power cut takes is done again."""

import json
import os

import pytest

import dovetail as dt
from dovetail.studies import Output

HEIGHT = {"height": Output("max", "position", ("ball",), "z")}


def thrown(speed):
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("ball", dt.Sphere(0.1), mass=1.0, velocity=(0, 0, speed))
    return scene


def study(out, **more):
    return dt.study(
        thrown, {"speed": [1.0, 2.0, 3.0]}, HEIGHT, out=out, workers=0, duration=0.01, step=0.001,
        progress=False, **more,
    )  # fmt: skip


def times_of(folder):
    return {path.name: path.stat().st_mtime_ns for path in (folder / "runs").glob("*.h5")}


@pytest.fixture
def synced(monkeypatch):
    paths, really = [], os.fsync

    def noted(descriptor):
        paths.append(os.readlink(f"/proc/self/fd/{descriptor}"))  # noqa: PTH115
        really(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    return paths


def test_a_short_run_leaves_its_result_and_outcome_and_waits_for_no_disk(tmp_path, synced):
    study(tmp_path / "s")
    runs = tmp_path / "s" / "runs"
    assert sorted(path.name for path in runs.iterdir()) == [
        f"{run:06d}.{ending}" for run in range(3) for ending in ("h5", "json")
    ]
    assert synced and not [path for path in synced if "/runs/" in path]
    assert all(dt.load(path).status == "finished" for path in runs.glob("*.h5"))


def test_runs_whose_result_has_lost_its_end_or_outcome_are_done_again(tmp_path):
    folder = tmp_path / "s"
    table = study(folder).table
    before = times_of(folder)
    runs = folder / "runs"
    os.truncate(runs / "000000.h5", 0)  # its outcome says how long it was
    os.truncate(runs / "000001.h5", 0)
    (runs / "000001.json").write_text("")
    assert study(folder).table == table
    after = times_of(folder)
    assert [name for name in before if after[name] != before[name]] == ["000000.h5", "000001.h5"]
    assert dt.load(runs / "000000.h5").status == dt.load(runs / "000001.h5").status == "finished"


def test_results_that_were_deleted_are_not_missed(tmp_path):
    folder = tmp_path / "s"
    table = study(folder).table
    (folder / "runs" / "000002.h5").unlink()
    assert study(folder).table == table
    assert not (folder / "runs" / "000002.h5").exists()
    outcome = json.loads((folder / "runs" / "000000.json").read_text())
    assert outcome["bytes"] == (folder / "runs" / "000000.h5").stat().st_size


def test_a_run_that_a_dying_worker_finished_is_not_done_twice(tmp_path, monkeypatch):
    from dovetail.studies import one_run

    folder = tmp_path / "s"
    table = study(folder).table
    monkeypatch.setattr("dovetail.studies.running._missing", lambda *_: [0, 1, 2])
    monkeypatch.setattr(one_run, "simulate", None)
    assert study(folder).table == table


def test_a_run_without_checkpoint_is_not_extended(tmp_path):
    out = tmp_path / "a.h5"
    settings = {"step": 0.001, "out": out, "progress": False, "check": False}
    dt.simulate(thrown(1.0), 0.01, extendable=False, **settings)
    assert [path.name for path in tmp_path.iterdir()] == ["a.h5"]
    longer = dt.simulate(thrown(1.0), 0.02, resume=True, **settings)
    assert longer.status == "finished" and len(longer.time) == 21
