"""Folders that cannot be written, clocks that jump, full disks and two writers at once."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import dovetail as dt
from dovetail.cli import main
from dovetail.simulate import loop, recording
from dovetail.studies import Latin, Output, Uniform

ENVIRONMENT = os.environ | {
    "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    "DOVETAIL_QUIET": "1",
}
SCENE = """
version: 1
gravity: [0, 0, -9.81]
run: {duration: 1, step: 0.01}
bodies: [{name: ball, shape: {sphere: 0.1}, mass: 1, velocity: [0, 0, 3]}]
"""
UNWRITABLE = Path("/proc/self")  # also for the superuser, whom permissions do not stop


def ball() -> dt.Scene:
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("ball", dt.Sphere(0.1), mass=1.0, velocity=(0, 0, 3))
    return scene


@pytest.mark.skipif(not UNWRITABLE.exists(), reason="needs /proc, a folder nobody may write to")
def test_a_run_into_a_read_only_folder_is_refused_before_it_starts(tmp_path, capsys):
    (tmp_path / "s.yaml").write_text(SCENE)
    with pytest.raises(SystemExit) as ended:
        main(["run", str(tmp_path / "s.yaml"), "--quiet", "--out", str(UNWRITABLE / "a.h5")])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ") and str(UNWRITABLE) in said


@pytest.mark.skipif(not UNWRITABLE.exists(), reason="needs /proc, a folder nobody may write to")
def test_a_study_in_a_read_only_folder_is_refused_before_it_starts():
    with pytest.raises(dt.InputError, match="must be one that can be written to"):
        throws(UNWRITABLE / "study")


def throws(folder):
    vary = {"bodies.ball.velocity[2]": Uniform(1, 3)}
    outputs = {"height": Output("max", "position", ("ball",), "z")}
    return dt.study(
        ball(), vary, outputs, out=folder, sampling=Latin(3, 1), workers=0, duration=0.2,
        step=0.01, progress=False,
    )  # fmt: skip


class JumpingClock:
    """Hours forward and back, at every look."""

    def __init__(self) -> None:
        self.looks = 0

    def __call__(self) -> float:
        self.looks += 1
        return time.thread_time() + (-1) ** self.looks * 3600.0 * self.looks


def test_a_clock_that_jumps_changes_no_byte_of_a_result_nor_of_a_study(tmp_path, monkeypatch):
    dt.simulate(ball(), 1.0, 1e-3, out=tmp_path / "steady.h5")
    steady = throws(tmp_path / "steady").path
    clock = JumpingClock()
    monkeypatch.setattr(recording, "perf_counter", clock)
    monkeypatch.setattr(loop, "perf_counter", clock)
    monkeypatch.setattr(time, "time", clock)
    monkeypatch.setattr(time, "monotonic", clock)
    dt.simulate(ball(), 1.0, 1e-3, out=tmp_path / "jumped.h5")
    assert clock.looks > 100
    jumped = throws(tmp_path / "jumped").path
    assert (tmp_path / "jumped.h5").read_bytes() == (tmp_path / "steady.h5").read_bytes()
    assert (jumped / "table.csv").read_bytes() == (steady / "table.csv").read_bytes()


def test_files_dated_in_the_future_are_resumed_like_others(tmp_path):
    folder = throws(tmp_path / "s").path
    table = (folder / "table.csv").read_bytes()
    (folder / "runs" / "000001.json").unlink()
    for path in folder.rglob("*"):
        os.utime(path, (4e9, 4e9))  # the year 2096
    assert (throws(folder).path / "table.csv").read_bytes() == table


def test_two_processes_cannot_write_one_result(tmp_path):
    """The second is refused with exit code 2 and the first goes on unharmed."""
    out, ready = tmp_path / "a.h5", tmp_path / "ready"
    program = (
        "import sys, time, dovetail as dt\n"
        "from pathlib import Path\n"
        "scene = dt.Scene()\n"
        "scene.add_body('ball', dt.Sphere(0.1), mass=1.0)\n"
        "def wait(t, state):\n"
        f"    Path({str(ready)!r}).touch()\n"
        f"    while Path({str(ready)!r}).exists(): time.sleep(0.02)\n"
        f"dt.simulate(scene, 0.02, 0.01, out={str(out)!r}, on_step=wait, progress=False)\n"
    )
    first = subprocess.Popen([sys.executable, "-c", program], env=ENVIRONMENT)
    try:
        while not ready.exists():
            assert first.poll() is None
            time.sleep(0.02)
        (tmp_path / "s.yaml").write_text(SCENE)
        command = f"from dovetail.cli import main; main(['run', {str(tmp_path / 's.yaml')!r}, "
        command += f"'--out', {str(out)!r}])"
        second = subprocess.run(
            [sys.executable, "-c", command], env=ENVIRONMENT, capture_output=True, text=True
        )
        assert second.returncode == 2
        assert "is being written by another process" in second.stderr
    finally:
        while first.poll() is None:
            ready.unlink(missing_ok=True)
            time.sleep(0.02)
    assert first.returncode == 0
    assert dt.load(out).status == "finished" and len(dt.load(out).time) == 3


FILLING = """
import resource, signal, sys
import dovetail as dt
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
scene = dt.Scene()
scene.add_body('ball', dt.Sphere(0.1), mass=1.0)
def fill(t, state):
    if t > 20:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 17, 1 << 17))
try:
    dt.simulate(scene, 400.0, 1e-2, out={out!r}, on_step=fill, progress=False)
except dt.DovetailError as error:
    sys.exit(f'error: {{error}}')
"""


def test_a_disk_too_full_for_a_result_is_reported_and_nothing_is_left_behind(tmp_path):
    """The kernel refuses to let the file grow, as it does when a disk is full."""
    program = (
        "import dovetail as dt, sys\n"
        "scene = dt.Scene()\n"
        "scene.add_body('ball', dt.Sphere(0.1), mass=1.0)\n"
        "scene.add_body('floor', dt.HalfSpace((0, 0, 1)), motion='static', position=(0, 0, -9))\n"
        "try:\n"
        f"    dt.simulate(scene, 400.0, 1e-2, out={str(tmp_path / 'a.h5')!r}, progress=False)\n"
        "except dt.DovetailError as error:\n"
        "    sys.exit(f'error: {error}')\n"
    )

    def small_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    ran = subprocess.run(
        [sys.executable, "-c", program], env=ENVIRONMENT, capture_output=True, text=True,
        preexec_fn=small_files,
    )  # fmt: skip
    assert ran.returncode == 1
    assert "error: " in ran.stderr and "Traceback" not in ran.stderr
    assert "could not be begun: no space for it" in ran.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_fills_up_later_keeps_what_was_written(tmp_path):
    """The file is laid out as a hole, then the kernel refuses to write beyond a limit."""
    program = FILLING.format(out=str(tmp_path / "a.h5"))
    ran = subprocess.run(
        [sys.executable, "-c", program], env=ENVIRONMENT, capture_output=True, text=True
    )
    assert ran.returncode == 1
    assert "could not be written: " in ran.stderr and "Traceback" not in ran.stderr
    kept = dt.load(tmp_path / "a.h5")
    assert kept.status == "failed" and 1 < len(kept.time) < 40_001
