"""`kill -9` at any moment, then resume: not a byte is lost or different."""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np
import pytest

import dovetail as dt

LONG = {"duration": 6.0, "pause": 2e-3, "flush": 0.002, "checkpoint": 0.01}  # 1.2 s at least
SHORT = {"duration": 0.12}
KEPT = ("checkpoint", "timing.npy", "warnings.json")  # beside a finished result
VARIANTS = {
    "fixed": {},
    "adaptive": {"adaptive": True},
    "every": {"every": 4, "contacts": 40},
    "winding": {"every": 3, "winding": True},
}


class KillServer:
    def __init__(self):
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("kill_server.py"))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip

    def run(self, **job):
        """Whether the run was killed, and what it said otherwise."""
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        ended = json.loads(self._process.stdout.readline())
        assert ended["killed"] or ended["code"] == 0, ended["said"]
        return ended

    def close(self):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


@pytest.fixture(scope="module")
def server():
    server = KillServer()
    yield server
    server.close()


@pytest.fixture
def folder(tmp_path):
    """Where syncing to disk costs nothing, if there is such a place; SIGKILL is the same there."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory) as name:
        yield Path(name)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def assert_readable(path, whole):
    """Whatever is at `path` is valid HDF5 whose counted frames are those of the whole run."""
    if not path.exists():
        return
    with h5py.File(path, "r") as file, h5py.File(whole, "r") as complete:
        frames, contacts, events, *waypoints = file["run/rows"][:]
        assert frames >= 1
        for name, rows in (
            ("time", frames), ("position", frames), ("energy/total", frames),
            ("contacts/start", frames), ("contacts/forces", contacts), ("events/time", events),
            *(("waypoints/position", count) for count in waypoints),
        ):  # fmt: skip
            assert np.array_equal(file[name][:rows], complete[name][:rows])
    assert dt.load(path).status in ("interrupted", "finished")


def finish_with_random_kills(server, folder, job, random, name):
    """Run, kill at a random time, resume, ... until finished; the number of kills."""
    whole, out = folder / "whole.h5", folder / f"{name}.h5"
    if not whole.exists():
        server.run(out=str(whole), **job)
    for kills in range(400):
        delay, early = random.uniform(0.005, 0.3), bool(random.random() < 0.2)
        ended = server.run(out=str(out), kill_after=delay, early=early, **job)
        if not ended["killed"]:
            assert digest(out) == digest(whole)
            leftovers = {p.name for p in folder.glob(f"{out.name}.*")}
            assert leftovers <= {f"{out.name}.{ending}" for ending in KEPT}
            return kills
        assert_readable(out, whole)
    raise AssertionError("the run does not get on between kills")


def kill_everywhere(server, folder, job, moments):
    """Kill at each of `moments`, resume to the end, compare; the number of kills."""
    whole = folder / "whole.h5"
    server.run(out=str(whole), **job)
    kills = 0
    for moment in moments:
        out = folder / f"{moment}.h5"
        kills += server.run(out=str(out), kill_at=int(moment), **job)["killed"]
        assert_readable(out, whole)
        server.run(out=str(out), **job)
        assert digest(out) == digest(whole), f"killed at call {moment}"
        leftovers = {p.name for p in folder.glob(f"{out.name}.*")}
        assert leftovers <= {f"{out.name}.{ending}" for ending in KEPT}
    return kills


def moments_of(server, folder, job):
    return int(server.run(out=str(folder / "count.h5"), **job)["said"])


def test_a_run_killed_at_random_times_finishes_with_the_same_bytes(server, folder):
    random = np.random.default_rng(7)
    kills = finish_with_random_kills(server, folder, LONG | {"duration": 3.0}, random, "a")
    assert kills >= 2


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_run_killed_inside_its_writes_finishes_with_the_same_bytes(server, folder, variant):
    job = SHORT | VARIANTS[variant]
    last = moments_of(server, folder, job)
    moments = np.random.default_rng(3).integers(1, last + 1, 3)
    assert kill_everywhere(server, folder, job, moments) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_moment_of_writing_can_be_the_last(server, folder, variant):
    job = SHORT | VARIANTS[variant]
    last = moments_of(server, folder, job)
    assert last > 200
    assert kill_everywhere(server, folder, job, range(1, last + 1, last // 45)) >= 40


@pytest.mark.slow
def test_two_hundred_random_kills_lose_no_byte(server, folder):
    random = np.random.default_rng(2024)
    kills, round_number = 0, 0
    while kills < 200 or round_number < len(VARIANTS):
        variant = list(VARIANTS)[round_number % len(VARIANTS)]
        place = folder / variant
        place.mkdir(exist_ok=True)
        job = LONG | VARIANTS[variant]
        kills += finish_with_random_kills(server, place, job, random, str(round_number))
        round_number += 1
