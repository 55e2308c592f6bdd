"""The time loop: times, events, step control, and how a run ends."""

import os
import pty
import signal
import sys
import time
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.law import ContactRecord, in_body_order
from dovetail.integrators import LieVerlet
from dovetail.integrators.interface import StepReport
from dovetail.results.side_files import TEMPORARY_ENDINGS, side_path
from dovetail.runtime import compile_notice
from dovetail.runtime.compile_notice import notice
from dovetail.simulate import Event, StepFromError, simulate
from dovetail.simulate.loop import SMALLEST_STEP
from known_runs import GRAVITY, Chaotic, falling_scene, two_bodies


def height(t, state):
    return state.position("stone")[2]


def test_free_fall_follows_the_parabola():
    result = simulate(falling_scene(5.0), 2.0, 0.01)
    t = result.time
    assert np.allclose(result.position("stone")[:, 2], 5.0 - GRAVITY * t**2 / 2, rtol=0, atol=1e-12)
    assert np.allclose(result.velocity("stone")[:, 2], -GRAVITY * t, rtol=0, atol=1e-12)
    assert np.allclose(result.momentum["linear"][:, 2], -2.0 * GRAVITY * t, rtol=0, atol=1e-11)
    assert result.status == "finished"


def test_times_are_multiples_of_the_step_without_drift():
    result = simulate(falling_scene(), 10.0, 0.1)
    assert np.array_equal(result.time, np.append(np.arange(100) * 0.1, 10.0))


def test_the_last_step_is_shorter_when_the_duration_is_no_multiple():
    assert simulate(falling_scene(), 1.0, 0.3).time == pytest.approx([0, 0.3, 0.6, 0.9, 1.0])


def test_a_step_longer_than_the_duration_ends_at_the_duration():
    assert simulate(falling_scene(), 0.5, 2.0).time.tolist() == [0.0, 0.5]


def test_every_third_step_and_the_last_are_recorded():
    result = simulate(falling_scene(), 1.0, 0.1, every=3)
    assert result.time == pytest.approx([0, 0.3, 0.6, 0.9, 1.0])
    whole = simulate(falling_scene(), 1.0, 0.1)
    assert np.array_equal(result.position("stone"), whole.position("stone")[[0, 3, 6, 9, 10]])


def test_iterations_of_unrecorded_steps_count_to_the_next_frame():
    each = simulate(two_bodies(), 1.2, 0.1, integrator=Chaotic())
    third = simulate(two_bodies(), 1.2, 0.1, integrator=Chaotic(), every=3)
    sums = each.stats["iterations"][1:].reshape(-1, 3).sum(axis=1)
    assert np.array_equal(third.stats["iterations"][1:], sums)
    assert len(third.stats["wall_time"]) == len(third.time)


def test_a_falling_body_crosses_the_floor_at_the_closed_form_time():
    result = simulate(falling_scene(5.0), 2.0, 0.01, events=[Event("floor", height)])
    (event,) = result.events
    assert event.name == "floor"
    assert event.time == pytest.approx(np.sqrt(2 * 5.0 / GRAVITY), rel=2e-12)


def test_detecting_events_does_not_change_the_motion():
    plain = simulate(falling_scene(), 2.0, 0.01)
    watched = simulate(falling_scene(), 2.0, 0.01, events=[Event("floor", height)])
    assert len(watched.events) == 1
    assert np.array_equal(plain.rotation("stone"), watched.rotation("stone"))


def test_a_terminal_event_ends_the_run_with_a_frame_there():
    events = [Event("floor", height, terminal=True), Event("deep", lambda t, s: s.time - 1.5)]
    result = simulate(falling_scene(5.0), 2.0, 0.01, events=events, every=7)
    fall = np.sqrt(2 * 5.0 / GRAVITY)
    assert result.time[-1] == pytest.approx(fall, rel=2e-12)
    assert abs(result.position("stone")[-1, 2]) < 1e-10
    assert [event.name for event in result.events] == ["floor"]
    assert result.status == "finished"
    assert "floor" in result.reason


@pytest.mark.parametrize(("direction", "count"), [(0, 4), (1, 2), (-1, 2)])
def test_direction_selects_rising_or_falling_sign_changes(direction, count):
    event = Event("beat", lambda t, s: np.cos(2 * np.pi * t), direction)
    result = simulate(falling_scene(), 2.0, 0.07, events=event)
    quarters = {0: [0.25, 0.75, 1.25, 1.75], 1: [0.75, 1.75], -1: [0.25, 1.25]}[direction]
    assert len(result.events) == count
    assert [e.time for e in result.events] == pytest.approx(quarters, rel=2e-12)


def test_an_event_exactly_at_a_step_is_found_once():
    event = Event("half", lambda t, s: t - 0.5)
    assert simulate(falling_scene(), 1.0, 0.125, events=event).events == (("half", 0.5),)


def test_events_within_one_step_come_in_order_of_time():
    events = [Event("late", lambda t, s: t - 0.8), Event("early", lambda t, s: t - 0.2)]
    found = simulate(falling_scene(), 1.0, 1.0, events=events).events
    assert [e.name for e in found] == ["early", "late"]


@dataclass(frozen=True)
class Erring:
    """`LieVerlet` on free fall with an error that is h / 0.02 s, for step controls."""

    name = "Erring"
    order = 1
    takes = frozenset()
    takes_joints = False

    def start(self, model, contact):
        stepper = LieVerlet().start(model, contact)
        plain_step = stepper.step

        def step(t_next):
            h = t_next - stepper.bodies.t
            plain_step(t_next)
            return StepReport(iterations=1, error=(h / 0.02) ** 2)

        stepper.step = step
        return stepper


class Doubter:
    """Tries every step twice."""

    def __init__(self):
        self.tried = 0

    def first(self, step):
        return step

    def next(self, h, report):
        self.tried += 1
        return self.tried % 2 == 0, 0.125


def test_rejected_steps_leave_no_trace_in_the_motion():
    plain = simulate(two_bodies(), 2.0, 0.125, integrator=Chaotic())
    doubted = simulate(two_bodies(), 2.0, 0.125, integrator=Chaotic(), step_control=Doubter())
    assert np.array_equal(doubted.time, plain.time)
    assert np.array_equal(doubted.position("hammer"), plain.position("hammer"))
    assert doubted.stats["rejected"].tolist() == [0] + [1] * 16
    assert np.array_equal(doubted.stats["iterations"], 2 * plain.stats["iterations"])


def test_the_step_follows_the_reported_error():
    control = StepFromError(order=1)
    result = simulate(falling_scene(5.0), 1.0, 0.5, integrator=Erring(), step_control=control)
    steps = np.diff(result.time)
    assert result.stats["rejected"].sum() >= 1
    assert np.all(steps <= 0.02 * (1 + 1e-12))
    assert steps[3:-2] == pytest.approx(0.018, rel=1e-6)  # 0.9 of the step of error 1
    assert result.time[-1] == 1.0
    fallen = 5.0 - GRAVITY * result.time**2 / 2
    assert np.allclose(result.position("stone")[:, 2], fallen, rtol=0, atol=1e-12)


def test_a_step_control_that_gives_up_ends_the_run_with_a_sentence():
    class Hopeless:
        def first(self, step):
            return step

        def next(self, h, report):
            return False, h / 10

    with pytest.raises(dt.RunError, match="step control must keep the step above") as caught:
        simulate(falling_scene(), 1.0, 0.1, step_control=Hopeless())
    assert len(caught.value.result.time) == 1


@pytest.mark.parametrize("duration", [1e-6, 1e-3, 1.0])
def test_the_least_step_of_a_control_is_a_part_of_the_duration(duration):
    """As small as time still moves by: the same part whatever the unit of time."""

    class Halving:
        def __init__(self, least):
            self.least = least

        def first(self, step):
            return step

        def next(self, h, report):
            return True, self.least

    with pytest.raises(dt.RunError, match=f"step above {SMALLEST_STEP * duration:.3g} s"):
        simulate(falling_scene(), duration, duration, step_control=Halving(9e-15 * duration))
    control = Halving(0.5 * duration)
    result = simulate(falling_scene(), duration, 0.5 * duration, step_control=control)
    assert result.time == pytest.approx([0, 0.5 * duration, duration])


def test_a_run_deletes_what_a_killed_one_left_half_written_beside_its_file(tmp_path):
    out = tmp_path / "run.h5"
    for ending in TEMPORARY_ENDINGS:
        side_path(out, ending).write_bytes(b"half")
    simulate(falling_scene(), 1.0, 0.5, out=out)
    assert not any(side_path(out, ending).exists() for ending in TEMPORARY_ENDINGS)


@pytest.mark.parametrize("check", ["yes", 1, ()])
def test_check_is_none_or_a_bool(check):
    with pytest.raises(dt.InputError, match="`check` must be None, True or False, got"):
        simulate(falling_scene(), 1.0, 0.5, check=check)


def test_a_failed_step_keeps_everything_before_it():
    with pytest.raises(dt.RunError, match=r"at t = 0\.5.* s: the hammer's force") as caught:
        simulate(two_bodies(), 1.0, 0.1, integrator=Chaotic(fails_at=0.55))
    result = caught.value.result
    assert result.time == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5])
    assert result.status == "failed"
    assert "force is not solved" in result.reason
    assert np.all(np.isfinite(result.position("hammer")))


def test_a_velocity_that_is_no_number_names_its_body_and_time():
    with pytest.raises(dt.RunError, match=r"t = 0\.6.*velocity of body 'hammer'.*finite") as caught:
        simulate(two_bodies(), 1.0, 0.1, integrator=Chaotic(becomes_nan_at=0.55))
    assert len(caught.value.result.time) == 6


def test_an_exception_in_a_users_function_becomes_a_run_error_with_time_and_place():
    def spoiled(t, state):
        return 1 / (t - 0.5) if t >= 0.5 else 1.0

    with pytest.raises(dt.RunError, match=r"t = 0\.5 s: the function of event 'e' failed: ZeroD"):
        simulate(falling_scene(), 1.0, 0.25, events=[Event("e", spoiled)])
    with pytest.raises(
        dt.RunError, match=r"t = 0\.25 s: `on_step` failed: KeyError.*line"
    ) as caught:
        simulate(falling_scene(), 1.0, 0.25, on_step=lambda t, s: {}["missing"])
    assert isinstance(caught.value.__cause__, KeyError)
    assert len(caught.value.result.time) == 1


def test_an_error_in_a_load_function_keeps_the_frames():
    scene = falling_scene()
    scene.add_load("push", lambda t, s: 1 / 0 if t > 0.55 else {})
    with pytest.raises(dt.RunError, match=r"t = 0\.[56].*push|t = 0\.[56].*ZeroDivision") as caught:
        simulate(scene, 1.0, 0.1)
    assert len(caught.value.result.time) == 6


def test_ctrl_c_returns_what_was_computed():
    def stop_at_half(t, state):
        if t > 0.45:
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    result = simulate(falling_scene(), 1.0, 0.1, on_step=stop_at_half)
    assert result.status == "interrupted"
    assert result.time[-1] == pytest.approx(0.5)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_second_ctrl_c_breaks_off_a_function_of_the_user_after_a_whole_step():
    def stop_hard(t, state):
        if t > 0.45:
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(1000):
                pass
            raise AssertionError("the step went on")

    result = simulate(falling_scene(), 1.0, 0.1, on_step=stop_hard)
    assert result.status == "interrupted"
    assert len(result.time) == 6


def test_all_mistakes_are_reported_at_once(tmp_path):
    with pytest.raises(dt.InputError) as caught:
        simulate(
            two_bodies(), -1, "fast", every=0, out=tmp_path / "none" / "a.h5", events=[3],
            step_control=4, on_step=5,
        )  # fmt: skip
    text = str(caught.value)
    assert len(caught.value.mistakes) == 7
    for part in ("`duration` must be > 0 s, got -1", "`step`", "`every`", "folder that exists",
                 "dt.Event", "first(step)", "`on_step`"):  # fmt: skip
        assert part in text


def test_a_run_that_cannot_fit_says_how_much_it_needs(tmp_path):
    with pytest.raises(dt.InputError, match=r"1000000000001 frames.* TB.*memory.*`every`"):
        simulate(falling_scene(), 1e9, 1e-3)
    with pytest.raises(dt.InputError, match=r"need .* TB, but .* free on the disk"):
        simulate(falling_scene(), 1e9, 1e-3, out=tmp_path / "a.h5")
    assert list(tmp_path.iterdir()) == []


def test_an_empty_scene_and_what_is_no_scene_are_refused():
    with pytest.raises(dt.InputError, match="at least one body"):
        simulate(dt.Scene(), 1.0, 0.1)
    with pytest.raises(dt.InputError, match=r"`scene` must be a dt\.Scene"):
        simulate(3, 1.0, 0.1)


@pytest.mark.parametrize(
    "options",
    [
        {"contact": 3},
        {"contact": dt.contact},
        {"integrator": 3},
        {"integrator": LieVerlet},
        {"events": None},
        {"events": 3},
        {"out": "a\0b.h5"},
        {"out": "x" * 300 + ".h5"},
    ],
)
def test_what_is_no_method_event_or_file_name_is_refused_in_a_sentence(options):
    (what,) = options
    with pytest.raises(dt.InputError, match=f"`{what}` must be"):
        simulate(falling_scene(), 1.0, 0.1, **options)


def test_the_layer_and_its_function_can_both_be_called():
    assert len(dt.simulate(falling_scene(), 1.0, 0.5).time) == 3
    import dovetail.simulate as layer

    assert len(layer(falling_scene(), 1.0, 0.5).time) == 3


def test_progress_is_reported_at_most_ten_times_a_second():
    seen = []
    began = time.perf_counter()
    simulate(two_bodies(), 0.3, 0.001, integrator=Chaotic(pause=1e-3), progress=seen.append)
    took = time.perf_counter() - began
    assert 2 <= len(seen) <= 10 * took + 1
    assert [s.time for s in seen] == sorted(s.time for s in seen)


def test_no_progress_bar_is_drawn_into_a_pipe(capfd):
    simulate(two_bodies(), 0.5, 0.01, integrator=Chaotic(pause=1e-3))
    assert capfd.readouterr() == ("", "")


def test_a_terminal_sees_time_contacts_and_iterations(monkeypatch):
    master, slave = pty.openpty()
    with os.fdopen(slave, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        simulate(two_bodies(), 0.2, 0.001, integrator=Chaotic(pause=1e-3))
        monkeypatch.undo()
        drawn = os.read(master, 100_000).decode()
    os.close(master)
    assert "of 0.2 s" in drawn and "contacts" in drawn and "iterations" in drawn
    assert drawn.count("iterations") <= 10


def test_a_quiet_run_is_silent_even_on_a_terminal(monkeypatch):
    master, slave = pty.openpty()
    with os.fdopen(slave, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        simulate(two_bodies(), 0.2, 0.001, integrator=Chaotic(), progress=False)
        monkeypatch.undo()
        terminal.write("end")
    assert os.read(master, 100).decode() == "end"
    os.close(master)


def test_contacts_are_recorded_with_the_later_body_first():
    bodies = np.array([[0, 1], [1, 0], [-1, 1], [1, -1]], np.int32)
    rows = np.arange(12.0).reshape(4, 3)
    given = ContactRecord(bodies, rows, rows, 2 * rows, rows[:, 0])
    ordered = in_body_order(given)
    assert ordered.bodies.tolist() == [[1, 0], [1, 0], [1, -1], [1, -1]]
    sign = np.array([[-1], [1], [-1], [1]])
    np.testing.assert_array_equal(ordered.forces, sign * given.forces)
    np.testing.assert_array_equal(ordered.normals, sign * given.normals)
    np.testing.assert_array_equal(ordered.points, given.points)


def test_time_spent_on_compiling_is_not_counted_as_time_of_the_run(monkeypatch):
    """Three steps, each of 1 s for itself and 20 s for compiling, by the test's own clock."""
    clock = [100.0]
    monkeypatch.setattr(compile_notice, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
    monkeypatch.setattr(notice, "seconds", 0.0)

    def compile_for_a_while(t, state):
        clock[0] += 21.0
        notice.seconds += 20.0  # as the notice does while kernels are compiled

    scene = dt.Scene()
    scene.add_body("b", dt.Box((1, 1, 1)), density=1)
    times = dt.simulate(scene, 0.3, 0.1, on_step=compile_for_a_while).stats["wall_time"]
    assert 2.0 <= times.sum() <= 3.0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"progress": 3}, "`progress` must be None, True, False or a function, got 3"),
        ({"monitor": 3}, r"`monitor` must be a dt.stability.Monitor\(\), got 3"),
        ({"duration": None}, "needs `duration`$"),
        ({"duration": None, "step": None}, "needs `duration` and `step`"),
    ],
)
def test_what_is_missing_or_of_another_kind_is_said(options, says):
    given = {"duration": 1.0, "step": 0.1, **options}
    with pytest.raises(dt.InputError, match=says):
        dt.simulate(falling_scene(), **given)


def test_the_layer_has_no_attributes_that_it_does_not_have():
    import dovetail.simulate as layer

    with pytest.raises(AttributeError, match="has no attribute 'rolout'"):
        _ = layer.rolout


@pytest.mark.parametrize("value", [float("nan"), float("inf"), None])
def test_an_event_whose_value_is_no_finite_number_ends_the_run(value):
    event = Event("half", lambda t, state: t - 0.5 if t < 0.25 else value)
    with pytest.raises(dt.RunError, match="event 'half' must return a finite number") as caught:
        simulate(falling_scene(), 1.0, 0.1, events=event)
    assert caught.value.time == pytest.approx(0.3)
    assert caught.value.result.time.tolist() == pytest.approx([0.0, 0.1, 0.2])


def test_a_run_whose_steps_are_taken_at_once_keeps_the_frames_before_the_one_that_fails():
    """A wheel whose spin grows by 30 rad/s a step of 20 ms, until it turns too far in one."""
    scene = dt.Scene()
    scene.add_body("wheel", mass=1.0, inertia=(1, 1, 1))
    scene.add_joint("axle", dt.Revolute((0, 0, 0), (0, 0, 1)), "ground", "wheel")
    scene.add_force("drive", "wheel", (0, 0, 0), torque=(0, 0, 1500))
    with pytest.raises(dt.RunError, match="'wheel' spins at") as caught:
        dt.simulate(scene, 2.0, 0.02, progress=False, check=False)
    found = caught.value.result
    t = found.time
    assert 4 < len(t) < 20 and found.status == "failed"
    np.testing.assert_allclose(found.angular_velocity("wheel")[:, 2], 1500 * t, atol=1e-6)


def test_every_trial_of_an_event_begins_with_the_state_before_its_step():
    """x0 + s v0 + s^2 / 2 a0 of velocity Verlet at each time that is tried, a = -9 x."""
    scene, tried = dt.Scene(), []
    scene.add_body("b", mass=1.0, inertia=(1, 1, 1), position=(1, 0, 0))
    scene.add_load("pull", lambda t, s: {"b": (-9.0 * s.position("b"), (0, 0, 0))})

    def passes_zero(t, state):
        tried.append((t, state.position("b")[0]))
        return state.position("b")[0]

    step = 0.15
    result = simulate(scene, 0.6, step, None, LieVerlet(), events=Event("zero", passes_zero))
    x, v = result.position("b")[:, 0], result.velocity("b")[:, 0]
    inside = [(t, at) for t, at in tried if not np.isclose(t / step, round(t / step), atol=1e-9)]
    assert len(inside) > 3 and len(result.events) == 1
    for t, at in inside:
        k = int(t / step)
        s = t - k * step
        assert at == pytest.approx(x[k] + s * v[k] - 4.5 * s * s * x[k], abs=1e-12)
