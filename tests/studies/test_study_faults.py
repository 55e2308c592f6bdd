"""Workers, scheduler and client are killed in the middle of a study; nothing is lost."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

PROGRAM = Path(__file__).with_name("throws.py")
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
LONGEST = 300.0  # [s]

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("studies")]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The table of the study without any fault, from one process."""
    folder = tmp_path_factory.mktemp("undisturbed") / "s"
    code = f"import throws; throws.throws({str(folder)!r}, workers=0)"
    subprocess.run([sys.executable, "-c", code], cwd=PROGRAM.parent, env=ENVIRONMENT, check=True)
    return (folder / "table.csv").read_bytes()


def started(*arguments):
    return subprocess.Popen(
        [sys.executable, str(PROGRAM), *map(str, arguments)],
        env=ENVIRONMENT, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


def wait_until(condition, process=None):
    """Until it holds; a process that ended meanwhile is a failure of the test."""
    end = time.monotonic() + LONGEST
    while not condition():
        assert time.monotonic() < end, "waited too long"
        assert process is None or process.poll() is None, process.stderr.read()
        time.sleep(0.02)


def done(folder):
    return len(list((folder / "runs").glob("*.json")))


def begun(folder):
    return len(list((folder / "runs").glob("*.h5")))


def workers_of(process):
    """The processes that run simulations: those the nannies spawned."""
    found = []
    for child in psutil.Process(process.pid).children(recursive=True):
        try:
            if "spawn_main" in " ".join(child.cmdline()):
                found.append(child)
        except psutil.Error:
            pass
    return found


def ended(process):
    _, said = process.communicate(timeout=LONGEST)
    return process.returncode, said


def test_killed_workers_are_replaced_and_the_table_is_the_same(tmp_path, undisturbed):
    folder, kills = tmp_path / "s", 0
    process = started(folder)
    for threshold in (1, 3, 6):
        wait_until(lambda threshold=threshold: done(folder) >= threshold, process)
        for worker in workers_of(process)[:1]:
            worker.send_signal(signal.SIGKILL)
            kills += 1
    assert ended(process) == (0, "")
    assert kills == 3
    assert (folder / "table.csv").read_bytes() == undisturbed


def test_a_killed_client_loses_nothing(tmp_path, undisturbed):
    folder = tmp_path / "s"
    process = started(folder)
    wait_until(lambda: done(folder) >= 2, process)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    kept = {path.name: path.stat().st_mtime_ns for path in (folder / "runs").glob("*.json")}
    assert 2 <= len(kept) < 12
    assert ended(started(folder)) == (0, "")
    assert (folder / "table.csv").read_bytes() == undisturbed
    for name, written in kept.items():  # none was done twice
        assert (folder / "runs" / name).stat().st_mtime_ns == written


class Cluster:
    """A scheduler and two workers of their own, as an administrator would start them."""

    def __init__(self, folder):
        self.address_file = folder / f"scheduler-{time.monotonic_ns()}.json"
        self.scheduler = self._start(
            "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
            "--scheduler-file", str(self.address_file),
        )  # fmt: skip
        wait_until(self.address_file.exists)
        self.workers = [
            self._start(
                "worker", "--scheduler-file", str(self.address_file), "--nthreads", "1",
                "--no-dashboard", "--host", "127.0.0.1", "--local-directory", str(folder),
                "--death-timeout", "20",
            )
            for _ in range(2)
        ]  # fmt: skip

    def _start(self, *arguments):
        program = "from dask.__main__ import main; main()"
        return subprocess.Popen(
            [sys.executable, "-c", program, *arguments], env=ENVIRONMENT,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip

    @property
    def address(self):
        import json

        return json.loads(self.address_file.read_text())["address"]

    def end(self):
        for process in (self.scheduler, *self.workers):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def test_a_killed_scheduler_is_reported_and_the_study_goes_on_with_another(tmp_path, undisturbed):
    folder = tmp_path / "s"
    first = Cluster(tmp_path)
    try:
        process = started(folder, first.address)
        wait_until(lambda: done(folder) >= 2, process)
        first.scheduler.send_signal(signal.SIGKILL)
        code, said = ended(process)
        assert code == 1
        assert "run the study again to continue it" in said
    finally:
        first.end()
    second = Cluster(tmp_path)
    try:
        assert ended(started(folder, second.address)) == (0, "")
    finally:
        second.end()
    assert (folder / "table.csv").read_bytes() == undisturbed


def test_a_scheduler_that_is_not_there_is_reported():
    code, said = ended(started("/tmp/never-made-study", "tcp://127.0.0.1:9"))
    assert code == 1
    assert "must be the address of a Dask scheduler that can be reached" in said
