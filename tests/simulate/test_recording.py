"""Where frames go while a run goes on, and when they are written."""

import os
import signal
from threading import Thread
from time import perf_counter

import numpy as np
import pytest

import dovetail as dt
from dovetail.results.checkpoint import checkpoint_path, read_checkpoint
from dovetail.results.stored import StoredInFile
from dovetail.simulate import recording, simulate
from dovetail.simulate.interrupt import CtrlC
from known_runs import Chaotic, ChaoticStepper, Touching, Winding, falling_scene, two_bodies


class FakeClock:
    """A clock that tests move by hand [s]."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    made = FakeClock()
    monkeypatch.setattr(recording, "perf_counter", made)
    return made


def recorder_of(monkeypatch, tmp_path):
    """The recorder of a run to a file that was started and not stepped."""
    caught = []
    really = recording.FileRecorder.begin

    def begin(self):
        really(self)
        caught.append(self)
        raise KeyboardInterrupt

    monkeypatch.setattr(recording.FileRecorder, "begin", begin)
    monkeypatch.setattr(recording.FileRecorder, "stop", lambda *_: None)
    monkeypatch.setattr(recording.FileRecorder, "abandon", lambda *_: None)
    with pytest.raises(AssertionError):
        simulate(falling_scene(), 1.0, 0.1, out=tmp_path / "a.h5")
    return caught[0]


def test_rows_are_flushed_five_times_a_second_and_checkpoints_made_every_second(
    monkeypatch, tmp_path, clock
):
    recorder = recorder_of(monkeypatch, tmp_path)
    out, taken = tmp_path / "a.h5", []

    def snapshot():
        taken.append(clock.now)
        clock.now += 0.001  # a cheap checkpoint
        return {}, {}, {}

    assert recorder.due == pytest.approx(100.2)
    recorder.pause(100.2, snapshot)
    assert not taken and recorder.due == pytest.approx(100.4)
    clock.now = 101.0
    recorder.pause(101.0, snapshot)
    assert taken == [101.0] and read_checkpoint(out) is not None
    assert recorder.due == pytest.approx(101.2)
    recorder.pause(101.9, snapshot)
    assert recorder.due == pytest.approx(102.0)  # of the next checkpoint


def test_costly_checkpoints_take_two_percent_of_the_time(monkeypatch, tmp_path, clock):
    recorder = recorder_of(monkeypatch, tmp_path)

    def snapshot():
        clock.now += 0.1
        return {}, {}, {}

    clock.now = 101.0
    recorder.pause(101.0, snapshot)
    clock.now = 105.9
    checkpoint_path(tmp_path / "a.h5").unlink()
    recorder.pause(105.9, snapshot)
    assert not checkpoint_path(tmp_path / "a.h5").exists()
    recorder.pause(106.0, snapshot)
    assert checkpoint_path(tmp_path / "a.h5").exists()


class BrokenOffStepper(ChaoticStepper):
    """Gets two Ctrl-C in the middle of the step to `settings.fails_at`."""

    def step(self, t_next):
        if self.settings.pause and t_next > 0.5:
            self._hidden = self._hidden / 2
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(1000):
                pass
        return super().step(t_next)


class BrokenOff(Chaotic):
    def start(self, model, contact):
        return BrokenOffStepper(model, self)


def test_a_step_that_was_broken_off_leaves_a_checkpoint_of_before_it(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "COST_SHARE", 1e9)
    out, whole = tmp_path / "a.h5", tmp_path / "whole.h5"
    simulate(two_bodies(), 1.0, 0.1, integrator=Chaotic(), out=whole)
    stopped = simulate(two_bodies(), 1.0, 0.1, integrator=BrokenOff(pause=1e-9), out=out)
    assert stopped.status == "interrupted" and "stopped by Ctrl-C" in stopped.reason
    found = read_checkpoint(out)
    assert int(found.loop["k"]) == 5 and found.rows["frames"] == 6
    wanted = simulate(two_bodies(), 0.5, 0.1, integrator=Chaotic())
    assert np.array_equal(found.stepper["x"], wanted.stored.column("position")[-1])


def test_a_run_that_ends_keeps_a_checkpoint_of_before_its_last_step(tmp_path):
    def press(t, state):
        if t > 0.5:
            os.kill(os.getpid(), signal.SIGINT)

    out = tmp_path / "a.h5"
    simulate(falling_scene(), 1.0, 0.1, out=out, on_step=press)
    found = read_checkpoint(out)
    assert float(found.loop["t"]) == pytest.approx(0.6) and found.rows["frames"] == 7
    simulate(falling_scene(), 1.0, 0.1, out=out)
    found = read_checkpoint(out)
    assert float(found.loop["t"]) == pytest.approx(0.9) and found.rows["frames"] == 10


def test_a_new_run_forgets_the_times_and_the_checkpoint_of_an_older_one(tmp_path):
    out = tmp_path / "a.h5"
    out.with_name("a.h5.timing.npy").write_bytes(b"old")
    checkpoint_path(out).write_bytes(b"old")
    seen = []

    def look(t, state):
        seen.append(checkpoint_path(out).exists() or out.with_name("a.h5.timing.npy").exists())

    simulate(falling_scene(), 0.3, 0.1, out=out, on_step=look)
    assert seen == [False] * 3


def test_a_resumed_run_keeps_the_wall_times_of_the_first_part(tmp_path):
    def press(t, state):
        if t > 0.5:
            os.kill(os.getpid(), signal.SIGINT)

    out, options = tmp_path / "a.h5", {"contact": Touching(), "integrator": Chaotic()}
    first = simulate(two_bodies(), 1.0, 0.1, out=out, on_step=press, **options)
    known = first.stats["wall_time"]
    whole = simulate(two_bodies(), 1.0, 0.1, out=out, resume=True, **options)
    assert len(known) == 7 and len(whole.stats["wall_time"]) == 11
    assert np.array_equal(whole.stats["wall_time"][:7], known)


def test_without_the_file_of_times_those_of_the_first_part_are_nan(tmp_path):
    def press(t, state):
        if t > 0.5:
            os.kill(os.getpid(), signal.SIGINT)

    out = tmp_path / "a.h5"
    simulate(falling_scene(), 1.0, 0.1, out=out, on_step=press)
    out.with_name("a.h5.timing.npy").unlink()
    times = simulate(falling_scene(), 1.0, 0.1, out=out, resume=True).stats["wall_time"]
    assert np.isnan(times[:7]).all() and np.isfinite(times[7:]).all() and len(times) == 11


def test_a_scene_with_functions_is_kept_without_them_and_with_all_the_rest(tmp_path):
    scene = dt.Scene(gravity=(0, 0, -1))
    motor = dt.Actuation(motor=("velocity", lambda t: t), damping=2.0)
    kept = dt.Actuation(motor=3.0)
    scene.add_body("arm", dt.Box((1, 1, 1)), material="steel")
    scene.add_body("leg", dt.Box((1, 1, 1)), position=(5, 0, 0))
    scene.add_body(
        "cam", dt.Sphere(1.0), motion="kinematic", trajectory=lambda t: ((9, 0, t), np.eye(3))
    )
    scene.add_joint("hinge", dt.Revolute(actuation=(motor,)), "ground", "arm")
    scene.add_joint("knee", dt.Revolute((5, 0, 0), actuation=(kept,)), "ground", "leg")
    scene.add_load("wind", lambda t, state: {})
    scene.add_force("push", "arm", force=(1, 2, 3))
    scene.add_spring("pull", "ground", "arm", (0, 0, 1), (0, 0, 0), stiffness=4)
    scene.add_material_pair("steel", "steel", friction=0.4)
    simulate(scene, 0.02, 0.01, out=tmp_path / "a.h5")
    read = dt.load(tmp_path / "a.h5")
    found = read.scene
    assert list(found.bodies) == ["arm", "leg", "cam"] and list(found.loads) == ["push", "pull"]
    assert tuple(found.loads["push"].force) == (1, 2, 3)
    assert found.loads["pull"].stiffness == 4
    (hinge,) = found.joints["hinge"][0].actuation
    assert hinge.motor is None and hinge.damping == 2.0
    assert found.joints["knee"][0].actuation == (kept,)
    (pair,) = found.materials
    assert pair.friction == 0.4
    assert found.bodies["cam"].motion == "kinematic" and found.gravity == [0, 0, -1]
    for name in ("trajectory of body 'cam'", "motor of joint 'hinge'", "load 'wind'"):
        assert name in read.stored.header.settings
    assert "knee" not in read.stored.header.settings.split("functions_not_kept")[1]


def test_two_ctrl_c_between_steps_leave_a_run_that_can_be_resumed(tmp_path):
    """Only a step is broken off; what is recorded between two steps is finished."""

    def press_twice(report):
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)

    whole, out = tmp_path / "whole.h5", tmp_path / "a.h5"
    simulate(falling_scene(), 1.0, 0.1, out=whole)
    stopped = simulate(falling_scene(), 1.0, 0.1, out=out, progress=press_twice)
    assert stopped.status == "interrupted" and read_checkpoint(out) is not None
    simulate(falling_scene(), 1.0, 0.1, out=out, resume=True)
    assert out.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("when", [0.145, 0.155, 0.165])
def test_a_path_with_waypoints_resumes_between_frames_to_the_same_bytes(tmp_path, when):
    def press(t, state):
        if t > when:
            os.kill(os.getpid(), signal.SIGINT)

    whole, out = tmp_path / "whole.h5", tmp_path / "a.h5"
    simulate(two_bodies(), 0.3, 0.01, integrator=Winding(), every=3, out=whole)
    simulate(two_bodies(), 0.3, 0.01, integrator=Winding(), every=3, out=out, on_step=press)
    simulate(two_bodies(), 0.3, 0.01, integrator=Winding(), every=3, out=out, resume=True)
    assert dt.load(whole).stored.rows["waypoints"] > 0
    assert out.read_bytes() == whole.read_bytes()


def test_a_checkpoint_counts_only_rows_that_are_in_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(recording, "COST_SHARE", 1e9)
    out, counted = tmp_path / "a.h5", []

    def look(t, state):
        checkpoint = read_checkpoint(out)
        if checkpoint is not None:
            assert checkpoint.rows == StoredInFile(out).rows
            counted.append(checkpoint.rows["frames"])

    simulate(falling_scene(), 1.0, 0.1, out=out, on_step=look)
    assert counted == list(range(2, 11))


def test_ctrl_c_before_the_first_step_is_taken_as_a_request():
    before = signal.getsignal(signal.SIGINT)
    with CtrlC() as ctrl_c:
        assert not ctrl_c.pressed
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
        assert ctrl_c.pressed
        ctrl_c.in_step = True
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_run_in_another_thread_leaves_ctrl_c_to_the_main_one():
    before, found = signal.getsignal(signal.SIGINT), []
    thread = Thread(target=lambda: found.append(simulate(falling_scene(), 0.2, 0.1)))
    thread.start()
    thread.join()
    assert found[0].status == "finished" and signal.getsignal(signal.SIGINT) is before


def test_seconds_of_frames_made_in_one_go_add_up(tmp_path):
    """Each of them has its share, in memory and in a file."""
    scene = dt.examples.get("double-pendulum").build()
    for out in (None, tmp_path / "a.h5"):
        began = perf_counter()
        result = simulate(scene, 0.2, 1e-3, out=out, progress=False)
        taken = perf_counter() - began
        seconds = result.stats["wall_time"]
        assert len(seconds) == 201
        assert 0 < seconds.sum() <= taken
