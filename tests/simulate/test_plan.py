"""What is requested of a run: checked, counted, and refused where it cannot fit."""

import shutil
from types import SimpleNamespace

import numpy as np
import pytest

import dovetail as dt
from dovetail.results.columns import bytes_per_row
from dovetail.simulate import Event, StepFromError, plan, resuming, simulate
from dovetail.simulate.plan import checked_plan
from jointed_scenes import hanging_rod
from known_runs import falling_scene


def planned(scene=None, duration=1.0, step=0.1, every=1, **others):
    names = ("out", "resume", "events", "step_control")
    rest = [others.pop(name, () if name == "events" else None) for name in names]
    return checked_plan(scene or falling_scene(), duration, step, every, *rest, others)


@pytest.mark.parametrize(
    ("duration", "step", "every", "steps", "frames"),
    [
        (1.0, 0.1, 1, 10, 11),
        (1.0, 0.3, 1, 4, 5),
        (1.0, 0.1, 3, 10, 5),
        (1.0, 0.1, 5, 10, 3),
        (1.0, 0.1, 100, 10, 2),
        (0.5, 2.0, 1, 1, 2),
        (0.3, 0.1, 1, 3, 4),  # 0.3 / 0.1 is 2.9999999999999996
        (1.0, 1 / 3 * (1 + 2e-9), 1, 3, 4),
        (1.0, 1 / 3 * (1 - 2e-9), 1, 4, 5),
    ],
)
def test_steps_and_frames_are_counted(duration, step, every, steps, frames):
    found = planned(duration=duration, step=step, every=every)
    assert (found.n_steps, found.n_frames) == (steps, frames)
    assert found.time_after(steps) == duration and found.time_after(1) == min(step, duration)
    assert len(simulate(falling_scene(), duration, step, every=every).time) == frames


def test_the_smallest_step_of_a_duration_is_resolved():
    assert planned(duration=1.0, step=1e-15, step_control=StepFromError(1)).step == 1e-15
    with pytest.raises(dt.InputError, match=r"`step` must be at least 1e-15 s for .* 1 s, got 9e"):
        planned(step=9e-16)


def test_exactly_as_many_steps_as_time_resolves_are_allowed():
    assert planned(duration=1e15, step=1.0, step_control=StepFromError(1)).n_steps == 10**15
    with pytest.raises(dt.InputError, match=r"`step` must be at least 1 s for a duration of"):
        planned(duration=1e15, step=np.nextafter(1.0, 0.0), step_control=StepFromError(1))


@pytest.mark.parametrize("every", [0, -1, True, 1.5, "2", None])
def test_every_is_a_whole_number_of_steps(every):
    with pytest.raises(dt.InputError, match="`every` must be a whole number of steps >= 1, got"):
        planned(every=every)


def rod_with_two_others():
    scene = hanging_rod()
    scene.add_body("ball", mass=1, inertia=(1, 1, 1), position=(9, 0, 0))
    scene.add_body("cam", motion="kinematic", moves_until=1.0)
    return scene


def test_a_run_fits_into_memory_to_the_byte(monkeypatch):
    """Bodies, joints and kinematic bodies have columns of their own."""
    result = simulate(rod_with_two_others(), 1.0, 0.1)
    needed = 11 * bytes_per_row(result.stored.header.tables["frames"])
    monkeypatch.setattr(plan, "_free_memory", lambda: needed)
    assert planned(rod_with_two_others()).n_frames == 11
    monkeypatch.setattr(plan, "_free_memory", lambda: needed - 1)
    with pytest.raises(dt.InputError, match=r"11 frames of 3 bodies need .* of memory are free"):
        planned(rod_with_two_others())
    assert planned(rod_with_two_others(), step_control=StepFromError(1)).n_frames == 11


def test_a_run_fits_onto_the_disk_with_what_the_resumed_file_has_already(tmp_path, monkeypatch):
    out = tmp_path / "a.h5"
    result = simulate(falling_scene(), 1.0, 0.1, out=out)
    needed = 11 * bytes_per_row(result.stored.header.tables["frames"])
    there = out.stat().st_blocks * 512
    assert there > 0
    free = {"space": needed}
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=free["space"]))
    assert planned(out=out).n_frames == 11
    free["space"] = needed - 1
    with pytest.raises(dt.InputError, match=f"free on the disk of {tmp_path}; record fewer"):
        planned(out=out)
    assert planned(out=out, resume=True).n_frames == 11
    free["space"] = max(0, needed - there - 1)
    if needed > there:
        with pytest.raises(dt.InputError, match="free on the disk"):
            planned(out=out, resume=True)


def test_free_memory_is_what_the_system_can_give():
    free = plan._free_memory()
    assert 1 << 20 < free < 1 << 50


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1 kB"),
        (1.5e6, "1.5 MB"),
        (2e9, "2 GB"),
        (7e15, "7e+03 TB"),
    ],
)
def test_sizes_have_units(count, text):
    assert plan._size(count) == text


def test_resuming_needs_a_file_name():
    with pytest.raises(dt.InputError, match="`resume` needs `out`"):
        planned(resume=True)


def test_mistakes_of_events_are_all_reported():
    with pytest.raises(dt.InputError) as caught:
        planned(events=[Event("", abs), Event("a", 3), Event("b", abs, 2)])
    assert len(caught.value.mistakes) == 3
    with pytest.raises(dt.InputError, match="two events are named 'a'; names must be unique"):
        planned(events=[Event("a", abs), Event("a", abs), Event("b", abs)])
    assert planned(events=iter([Event("a", abs)])).events[0].name == "a"


def test_functions_are_named_where_they_are_none():
    with pytest.raises(dt.InputError, match="`on_step` must be a function, got 3"):
        planned(on_step=3)
    assert planned(on_step=None).events == ()


def test_a_name_that_no_file_can_have_is_refused_with_the_reason_of_the_system(tmp_path):
    with pytest.raises(dt.InputError, match=r"usable file name, got .*: File name too long$"):
        planned(out=tmp_path / ("a" * 300 + ".h5"))
    with pytest.raises(dt.InputError, match=r"usable file name, got .*: embedded null byte$"):
        planned(out=str(tmp_path / "a\0b.h5"))


def test_a_run_with_step_control_is_continued_where_a_whole_step_is_left():
    """The next step of the checkpoint must end before the duration does."""
    run = planned(step_control=StepFromError(1), duration=1.0)
    for t, h, left in [(0.5, 0.2, True), (0.5, 0.6, False), (0.9, 0.1, False), (0.2, 0.7, True)]:
        checkpoint = SimpleNamespace(loop={"t": np.array(t), "h": np.array(h), "k": np.array(3)})
        assert resuming._is_before_the_end(checkpoint, run) is left
    whole = planned()  # 10 steps
    for k, left in [(9, True), (10, False)]:
        checkpoint = SimpleNamespace(loop={"t": np.array(0.0), "h": np.array(0.1), "k": k})
        assert resuming._is_before_the_end(checkpoint, whole) is left
