"""Stopping, resuming and overwriting, without kills."""

import errno
import hashlib
import os
import signal

import h5py
import numpy as np
import pytest

import dovetail as dt
from dovetail.results import raw_bytes, run_file
from dovetail.results.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from dovetail.results.lock import locked
from dovetail.simulate import Event, recording, simulate
from known_runs import Chaotic, Touching, Winding, falling_scene, two_bodies


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def press_ctrl_c_after(when, times=1):
    def on_step(t, state):
        if t > when:
            for _ in range(times):
                os.kill(os.getpid(), signal.SIGINT)

    return on_step


def test_a_run_stopped_by_ctrl_c_resumes_to_the_same_bytes(tmp_path):
    options = {"contact": Touching(), "integrator": Chaotic(), "every": 3}
    options["events"] = [Event("beat", lambda t, s: np.sin(40 * t))]
    simulate(two_bodies(), 1.0, 0.01, out=tmp_path / "whole.h5", **options)
    out = tmp_path / "stopped.h5"
    stopped = simulate(
        two_bodies(), 1.0, 0.01, out=out, on_step=press_ctrl_c_after(0.495), **options
    )
    assert stopped.status == "interrupted"
    assert "Ctrl-C at t = 0.5 s" in stopped.reason  # between two frames
    assert dt.load(out).status == "interrupted"
    resumed = simulate(two_bodies(), 1.0, 0.01, out=out, resume=True, **options)
    assert resumed.status == "finished"
    assert digest(out) == digest(tmp_path / "whole.h5")


def test_real_free_motion_resumes_to_the_same_bytes(tmp_path):
    simulate(falling_scene(), 1.0, 0.01, out=tmp_path / "whole.h5")
    out = tmp_path / "stopped.h5"
    simulate(falling_scene(), 1.0, 0.01, out=out, on_step=press_ctrl_c_after(0.4))
    simulate(falling_scene(), 1.0, 0.01, out=out, resume=True)
    assert digest(out) == digest(tmp_path / "whole.h5")


def test_a_step_broken_off_resumes_from_the_last_checkpoint(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(recording, "COST_SHARE", 1e9)
    simulate(falling_scene(), 1.0, 0.01, out=tmp_path / "whole.h5")
    out = tmp_path / "stopped.h5"
    press = press_ctrl_c_after(0.4, times=2)
    assert simulate(falling_scene(), 1.0, 0.01, out=out, on_step=press).status == "interrupted"
    simulate(falling_scene(), 1.0, 0.01, out=out, resume=True)
    assert digest(out) == digest(tmp_path / "whole.h5")


class Breathing:
    """A step control without a state, which some steps are too long for."""

    def first(self, step):
        return step

    def next(self, h, report):
        return h < 0.012, 0.7 * h if h > 0.009 else 1.6 * h


EXTENDED = {
    "steps in Python": {
        "scene": two_bodies(),
        "contact": Touching(),
        "integrator": Chaotic(),
        "events": [Event("beat", lambda t, s: np.sin(40 * t))],
    },
    "winding paths": {"scene": two_bodies(), "contact": Touching(), "integrator": Winding()},
    "many steps at once": {"scene": falling_scene()},
    "step control": {
        "scene": two_bodies(), "integrator": Chaotic(), "step_control": Breathing(),
    },
    "terminal event": {
        "scene": falling_scene(),
        "events": [Event("fast", lambda t, s: s.velocity("stone")[2] + 9.0, terminal=True)],
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", EXTENDED)
@pytest.mark.parametrize("first", [0.3, 0.305])  # 0.3 is not 30 * 0.01, and 0.305 no multiple
@pytest.mark.parametrize("every", [1, 3])
def test_a_finished_run_is_extended_to_the_bytes_of_a_longer_one(tmp_path, kind, first, every):
    options = EXTENDED[kind] | {"step": 0.01, "every": every}
    whole, out = tmp_path / "whole.h5", tmp_path / "a.h5"
    simulate(duration=1.0, out=whole, **options)
    simulate(duration=first, out=out, **options)
    before = int(read_checkpoint(out).loop["k"])
    assert before > 0 and abs(float(read_checkpoint(out).loop["t"]) - first) < 0.02
    simulate(duration=1.0, out=out, resume=True, **options)
    assert digest(out) == digest(whole)


def test_a_stopped_run_can_be_extended_and_cut_short(tmp_path):
    options = {"contact": Touching(), "integrator": Chaotic()}
    for duration in (0.7, 2.0):
        whole, out = tmp_path / f"whole_{duration}.h5", tmp_path / f"{duration}.h5"
        simulate(two_bodies(), duration, 0.01, out=whole, **options)
        press = press_ctrl_c_after(0.4)
        simulate(two_bodies(), 1.0, 0.01, out=out, on_step=press, **options)
        simulate(two_bodies(), duration, 0.01, out=out, resume=True, **options)
        assert digest(out) == digest(whole)


def test_ctrl_c_in_a_function_of_the_user_loses_no_step(tmp_path):
    def stop(t, state):
        if t > 0.495:
            raise KeyboardInterrupt

    out = tmp_path / "a.h5"
    stopped = simulate(falling_scene(), 1.0, 0.01, out=out, on_step=stop)
    assert stopped.time[-1] == pytest.approx(0.5)
    assert int(read_checkpoint(out).loop["k"]) == 50


def test_resuming_a_finished_run_returns_it_untouched(tmp_path):
    out = tmp_path / "a.h5"
    simulate(falling_scene(), 1.0, 0.01, out=out)
    before = out.stat()
    again = simulate(falling_scene(), 1.0, 0.01, out=out, resume=True)
    assert again.status == "finished" and len(again.time) == 101
    assert out.stat().st_mtime_ns == before.st_mtime_ns


def test_resuming_without_a_file_or_checkpoint_starts_over(tmp_path):
    out = tmp_path / "a.h5"
    first = simulate(falling_scene(), 1.0, 0.01, out=out, resume=True)
    whole = digest(out)
    simulate(falling_scene(), 1.0, 0.01, out=out, on_step=press_ctrl_c_after(0.4))
    out.with_name("a.h5.checkpoint").unlink()
    simulate(falling_scene(), 1.0, 0.01, out=out, resume=True)
    assert first.status == "finished" and digest(out) == whole


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"step": 0.02}, r"`step` is 0\.02, was 0\.01"),
        ({"duration": 0.4}, r"`duration` is 0\.4, was 1\.0"),
        ({"every": 5}, "`every` is 5, was 1"),
        ({"scene": falling_scene(6.0)}, "the scene's body stone is not the same"),
        ({"integrator": Chaotic()}, "`integrator` is .*Chaotic"),
        ({"events": Event("e", lambda t, s: t)}, "`events` is"),
    ],
)
def test_resuming_another_run_says_what_differs(tmp_path, change, sentence):
    out = tmp_path / "a.h5"
    options = {"scene": falling_scene(), "duration": 1.0, "step": 0.01}
    simulate(**options, out=out, on_step=press_ctrl_c_after(0.4))
    with pytest.raises(dt.InputError, match=sentence):
        simulate(**options | change, out=out, resume=True)
    assert dt.load(out).time[-1] == pytest.approx(0.41)


def test_a_changed_function_is_another_run(tmp_path):
    def scene(strength):
        made = falling_scene()
        made.add_load("push", lambda t, s: {"stone": ((strength, 0, 0), (0, 0, 0))})
        return made

    out = tmp_path / "a.h5"
    simulate(scene(1.0), 1.0, 0.1, out=out, on_step=press_ctrl_c_after(0.4))
    with pytest.raises(dt.InputError, match="the scene's loads is not the same"):
        simulate(scene(2.0), 1.0, 0.1, out=out, resume=True)
    assert simulate(scene(1.0), 1.0, 0.1, out=out, resume=True).status == "finished"


def test_a_failed_run_keeps_its_frames_in_the_file(tmp_path):
    out = tmp_path / "a.h5"
    with pytest.raises(dt.RunError):
        simulate(two_bodies(), 1.0, 0.1, Touching(), Chaotic(fails_at=0.55), out=out)
    read = dt.load(out)
    assert read.status == "failed" and "force is not solved" in read.reason
    assert len(read.time) == 6


def test_a_run_that_cannot_start_leaves_the_old_result_alone(tmp_path):
    out = tmp_path / "a.h5"
    simulate(falling_scene(), 1.0, 0.01, out=out)
    before = digest(out)
    with pytest.raises(dt.RunError, match="event 'bad'") as caught:
        simulate(falling_scene(), 2.0, 0.01, out=out, events=[Event("bad", lambda t, s: 1 / 0)])
    assert caught.value.result is None
    with pytest.raises(dt.InputError):
        simulate(falling_scene(), -2.0, 0.01, out=out)
    assert digest(out) == before
    assert {p.name for p in tmp_path.iterdir()} == {"a.h5", "a.h5.checkpoint", "a.h5.timing.npy"}


def test_a_full_disk_ends_the_run_with_a_sentence_and_keeps_the_frames(tmp_path, monkeypatch):
    out = tmp_path / "a.h5"
    monkeypatch.setattr(recording, "FLUSH_SECONDS", 0.0)
    really_write, full = raw_bytes.write_at, []

    def write(descriptor, data, offset):
        if full and offset > 8000:  # blocks that are there can still be written
            raise OSError(errno.ENOSPC, "No space left on device")
        really_write(descriptor, data, offset)

    monkeypatch.setattr(raw_bytes, "write_at", write)

    def fill_disk(t, state):
        if t > 0.5:
            full.append(t)

    with pytest.raises(dt.RunError, match=r"could not be written: No space left") as caught:
        simulate(falling_scene(), 1.0, 0.1, out=out, on_step=fill_disk)
    assert len(caught.value.result.time) >= 5
    read = dt.load(out)
    assert read.status == "failed" and len(read.time) == len(caught.value.result.time)
    assert np.all(np.diff(read.time) > 0)


def test_a_finished_run_that_cannot_be_completed_on_disk_is_resumable(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "CHECKPOINT_SECONDS", 0.0)
    whole, out = tmp_path / "whole.h5", tmp_path / "a.h5"
    options = {"contact": Touching(), "integrator": Chaotic()}
    simulate(two_bodies(), 0.2, 0.01, out=whole, **options)

    def disk_full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(run_file, "copy_range", disk_full)
        with pytest.raises(dt.RunError, match="could not be completed: No space left") as caught:
            simulate(two_bodies(), 0.2, 0.01, out=out, **options)
    assert caught.value.result.status == dt.load(out).status == "interrupted"
    simulate(two_bodies(), 0.2, 0.01, out=out, resume=True, **options)
    assert digest(out) == digest(whole)


def test_two_runs_cannot_write_one_file(tmp_path):
    out = tmp_path / "a.h5"
    with locked(out), pytest.raises(dt.InputError, match="being written by another process"):
        simulate(falling_scene(), 1.0, 0.01, out=out)
    simulate(falling_scene(), 1.0, 0.01, out=out)
    assert not out.with_name("a.h5.lock").exists()


def test_an_old_lock_file_of_a_killed_run_does_not_hold(tmp_path):
    (tmp_path / "a.h5.lock").touch()
    assert simulate(falling_scene(), 0.1, 0.01, out=tmp_path / "a.h5").status == "finished"


def test_a_checkpoint_comes_back_bit_for_bit_and_damage_is_noticed(tmp_path):
    random = np.random.default_rng(0)
    snapshot = {"x": random.normal(size=(3, 3)), "t": np.array(0.1), "n": np.array([1, 2**60])}
    rows = {"frames": 7, "contacts": 9, "events": 0}
    path = tmp_path / "a.h5"
    write_checkpoint(path, Checkpoint("settings é", rows, snapshot, snapshot, {}))
    read = read_checkpoint(path)
    assert read.settings == "settings é" and read.rows == rows and read.control == {}
    assert all(np.array_equal(read.stepper[k], snapshot[k]) for k in snapshot)
    assert read.stepper["x"].tobytes() == snapshot["x"].tobytes()
    side = path.with_name("a.h5.checkpoint")
    data = bytearray(side.read_bytes())
    for at in (3, 40, len(data) // 2, len(data) - 1):
        side.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        assert read_checkpoint(path) is None
    side.write_bytes(data[: len(data) // 2])
    assert read_checkpoint(path) is None


def test_wall_times_stay_out_of_the_result_file(tmp_path):
    result = simulate(falling_scene(), 1.0, 0.01, out=tmp_path / "a.h5")
    assert result.stats["wall_time"].shape == (101,)
    (tmp_path / "a.h5.timing.npy").unlink()
    assert "wall_time" not in dt.load(tmp_path / "a.h5").stats


@pytest.mark.parametrize("content", [b"version: 1\nbodies: []\n", None, "netCDF", 3])
def test_a_result_never_replaces_a_file_of_another_kind(tmp_path, content):
    out = tmp_path / "precious"
    if not isinstance(content, bytes):
        with h5py.File(out, "w") as file:
            file["measured"] = np.arange(3)
            if content is not None:
                file.attrs["format"] = content
    else:
        out.write_bytes(content)
    before = out.read_bytes()
    with pytest.raises(dt.InputError, match="precious is neither"):
        simulate(falling_scene(), 0.1, 0.01, out=out)
    with pytest.raises(dt.InputError, match="precious is neither"):
        simulate(falling_scene(), 0.1, 0.01).save(out)
    assert out.read_bytes() == before


def test_a_result_is_not_saved_in_the_place_of_a_folder(tmp_path):
    with pytest.raises(dt.InputError, match="is a folder"):
        simulate(falling_scene(), 0.1, 0.01).save(tmp_path)


def test_an_empty_file_and_a_damaged_result_may_be_replaced(tmp_path):
    out = tmp_path / "a.h5"
    out.touch()
    simulate(falling_scene(), 0.1, 0.01, out=out)
    out.write_bytes(out.read_bytes()[:100])
    assert simulate(falling_scene(), 0.1, 0.01, out=out).status == "finished"


@pytest.mark.parametrize("where", [slice(0, 64), slice(512, 520)], ids=["seal", "signature"])
def test_a_result_may_replace_one_whose_first_bytes_are_damaged(tmp_path, where):
    """The seal before the HDF5 file, or the signature of that file: the other one is left."""
    out = tmp_path / "a.h5"
    simulate(falling_scene(), 0.1, 0.01, out=out)
    whole = out.read_bytes()
    broken = bytearray(whole)
    broken[where] = bytes(where.stop - where.start)
    out.write_bytes(broken)
    simulate(falling_scene(), 0.1, 0.01, out=out)
    assert out.read_bytes() == whole
