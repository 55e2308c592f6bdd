"""Runs that fail, and places where no result can be: what is kept, and what is said."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.results.run_file import RunFile
from dovetail.simulate import Event, recording, simulate
from known_runs import Chaotic, Winding, falling_scene, two_bodies


class Accepting:
    """Takes every step, also one that failed; keeps what it was told."""

    def __init__(self):
        self.errors = []

    def first(self, step):
        return step

    def next(self, h, report):
        self.errors.append(report.error)
        return True, h


@pytest.mark.parametrize("broken", [{"fails_at": 0.55}, {"becomes_nan_at": 0.55}])
def test_a_step_that_fails_has_an_infinite_error_and_its_failure_if_it_is_accepted(broken):
    control, hammer = Accepting(), Chaotic(**broken)
    with pytest.raises(dt.RunError, match=r"at t = 0\.[56].* s: .*hammer") as caught:
        simulate(two_bodies(), 1.0, 0.1, integrator=hammer, step_control=control)
    assert len(caught.value.result.time) == 6
    assert control.errors[-1] == np.inf and len(control.errors) == 6


def test_a_disk_that_is_full_in_between_ends_the_run_with_the_reason(tmp_path, monkeypatch):
    def full(self, now, snapshot):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(recording, "FLUSH_SECONDS", 0.0)
    monkeypatch.setattr(recording.FileRecorder, "pause", full)
    with pytest.raises(dt.RunError, match="could not be written: No space left") as caught:
        simulate(two_bodies(), 1.0, 0.1, integrator=Chaotic(), out=tmp_path / "a.h5")
    assert 2 <= len(caught.value.result.time) < 11


@pytest.mark.parametrize(
    ("out", "says"),
    [
        (5, "`out` must be a file name, got 5"),
        (".", "`out` must be a file, but . is a folder"),
        ("run.CSV", r"`out` must be a result file, HDF5 .* result\.export\('run\.CSV'\) after"),
        ("no/such/folder/run.h5", "`out` must be in a folder that exists, but no/such/folder"),
    ],
)
def test_what_is_no_place_for_a_result_is_refused_before_the_run(out, says):
    with pytest.raises(dt.InputError, match=says):
        simulate(falling_scene(), 1.0, 0.1, out=out)


def test_a_result_that_cannot_be_begun_is_an_error_of_the_run(tmp_path, monkeypatch):
    def full(self):
        raise OSError("no space for it")

    monkeypatch.setattr(RunFile, "begin", full)
    with pytest.raises(dt.RunError, match=r"a\.h5 could not be begun: no space for it"):
        simulate(falling_scene(), 1.0, 0.1, out=tmp_path / "a.h5")
    assert list(tmp_path.glob("*.h5")) == []


def test_events_and_waypoints_of_a_file_are_those_in_memory(tmp_path):
    hit = Event("low", lambda t, state: state.position("hammer")[2] - 0.401)
    options = {"integrator": Winding(), "events": [hit], "every": 3}
    ways = simulate(two_bodies(), 3.0, 0.1, **options)
    kept = simulate(two_bodies(), 3.0, 0.1, out=tmp_path / "a.h5", **options)
    assert len(ways.events) and ways.events == kept.events
    for column in ("waypoints/position", "waypoints/rotation"):
        here, there = (one.stored.column(column) for one in (ways, kept))
        assert len(here) > 3 and np.array_equal(here, there)
