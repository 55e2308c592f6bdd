"""When the time loop keeps states, writes and reports; how many steps it takes at once."""

from math import inf
from types import SimpleNamespace

import numpy as np
import pytest

from dovetail.integrators import RATTLie
from dovetail.simulate import Event, StepFromError, loop
from dovetail.simulate.live.simulation import Simulation
from dovetail.simulate.loop import TimeLoop
from dovetail.simulate.plan import checked_plan
from dovetail.simulate.prepared import prepared
from dovetail.simulate.run import (
    CONTACTS_PER_FRAME,
    MAX_CONTACTS,
    MAX_FRAMES_UNKNOWN,
    MAX_WAYPOINTS,
    _planned_rows,
)
from jointed_scenes import hanging_rod
from known_runs import Chaotic, Touching, two_bodies


class Remembering:
    """A recorder that remembers when it was called."""

    def __init__(self, due=inf, keep_due=inf):
        self.due, self.keep_due, self.loop = due, keep_due, None
        self.kept, self.paused, self.frames = [], [], []

    def begin(self):
        pass

    def keep(self, snapshot):
        self.kept.append(self.loop.t)

    def pause(self, now, snapshot):
        self.paused.append((now, self.loop.t))

    def add_frame(self, row, contacts, seconds):
        self.frames.append(self.loop.t)

    def add_frames(self, rows, seconds):
        self.frames += rows["time"].tolist()


def looped(recorder, duration=0.5, step=0.1, control=None, every=1, progress=None, **started):
    """A run with that recorder, to its end."""
    scene = started.get("scene") or two_bodies()
    plan = checked_plan(scene, duration, step, every, None, None, (), control, {})
    made = prepared(scene, plan, None, started.get("integrator") or Chaotic(), False)
    recorder.loop = made_loop = TimeLoop(plan, Simulation.of_run(made), recorder, None)
    if started.get("watch"):
        started["watch"](made_loop)
    made_loop.begin()
    progress = progress or SimpleNamespace(due=inf)
    made_loop.run(SimpleNamespace(pressed=False, in_step=False), progress)
    return made_loop


def test_only_the_state_before_the_last_step_is_kept_where_no_time_is_due():
    recorder = Remembering()
    looped(recorder)
    assert recorder.kept == pytest.approx([0.4]) and recorder.paused == []


class Fixed:
    """A step control that never changes its mind."""

    def first(self, step):
        return step

    def next(self, h, report):
        return True, 0.2


@pytest.mark.parametrize(("duration", "last"), [(0.5, 0.3), (0.7, 0.5), (0.71, 0.7)])
def test_under_a_step_control_it_is_the_step_that_would_pass_the_end(duration, last):
    """Steps of 0.1, then 0.2 s: one that ends at the end but for rounding is the last."""
    recorder = Remembering()
    looped(recorder, duration=duration, control=Fixed())
    assert recorder.kept == pytest.approx([last])


def test_what_is_due_at_this_very_moment_is_done(monkeypatch):
    """The clock stands still: all is due before and after every step, but not after the end."""
    monkeypatch.setattr(loop, "perf_counter", lambda: 7.0)
    reports = []
    progress = SimpleNamespace(due=7.0, update=lambda report, now: reports.append((report, now)))
    recorder = Remembering(due=7.0, keep_due=7.0)
    looped(recorder, progress=progress)
    times = [0.1, 0.2, 0.3, 0.4]
    assert recorder.kept == pytest.approx([0.0, *times])
    assert [t for _, t in recorder.paused] == pytest.approx(times)
    assert {now for now, _ in recorder.paused} == {7.0}
    assert [report.time for report, _ in reports] == pytest.approx([*times, 0.5])
    assert [report.steps for report, _ in reports] == [1, 2, 3, 4, 5]
    assert all(report.duration == 0.5 and now == 7.0 for report, now in reports)


def test_nothing_is_done_before_it_is_due(monkeypatch):
    monkeypatch.setattr(loop, "perf_counter", lambda: 7.0)
    later = np.nextafter(7.0, 8.0)
    progress = SimpleNamespace(due=later, update=None)
    recorder = Remembering(due=later, keep_due=later)
    looped(recorder, progress=progress)
    assert recorder.paused == [] and len(recorder.kept) == 1


@pytest.mark.parametrize("every", [1, 3])
def test_steps_taken_at_once_double_up_to_a_number_of_frames_while_they_are_quick(
    monkeypatch, every
):
    monkeypatch.setattr(loop, "MOST_FRAMES", 24)
    monkeypatch.setattr(loop, "CHUNK_SECONDS", inf)
    counts = []

    def watch(made):
        really = made._ahead.steps_ahead

        def count(times, which):
            counts.append(len(times) - 1)
            return really(times, which)

        made._ahead = SimpleNamespace(steps_ahead=count)

    recorder = Remembering()
    scene, scheme = hanging_rod(), RATTLie()
    looped(recorder, 1.0, 1 / 256, every=every, scene=scene, integrator=scheme, watch=watch)
    doubled = [16, 24, 24] if every == 1 else [16, 32, 64, 72]
    assert counts[: len(doubled)] == doubled
    assert counts[-1] == 1 and sum(counts) == 256  # the last one alone
    steps = sorted({*range(0, 257, every), 256})
    np.testing.assert_array_equal(recorder.frames, np.array(steps) / 256)


def test_steps_that_take_long_are_not_taken_in_larger_numbers(monkeypatch):
    monkeypatch.setattr(loop, "CHUNK_SECONDS", 0.0)
    recorder = Remembering()
    made = looped(recorder, 1.0, 1 / 64, scene=hanging_rod(), integrator=RATTLie())
    assert made._chunk == loop.FIRST_CHUNK


def planned(duration=1.0, control=None, events=(), contact=None, tables=None):
    plan = checked_plan(two_bodies(), duration, 0.1, 1, None, None, events, control, {})
    names = tables or ("frames", "contacts", "events", "waypoints")
    return _planned_rows(plan, contact, SimpleNamespace(tables=dict.fromkeys(names)))


def test_rows_are_set_aside_for_what_a_run_may_record():
    assert planned() == {"frames": 11, "contacts": 0, "events": 0, "waypoints": 22}
    assert planned(contact=Touching())["contacts"] == 11 * CONTACTS_PER_FRAME
    assert planned(events=Event("beat", lambda t, state: t - 0.5))["events"] == 64
    assert planned(tables=("frames",)) == {"frames": 11}
    many = 0.1 * (MAX_FRAMES_UNKNOWN + 5)
    assert planned(many)["frames"] == MAX_FRAMES_UNKNOWN + 6
    rows = planned(many, StepFromError(1), contact=Touching())
    assert rows["frames"] == MAX_FRAMES_UNKNOWN
    assert rows["contacts"] == MAX_CONTACTS and rows["waypoints"] == MAX_WAYPOINTS
