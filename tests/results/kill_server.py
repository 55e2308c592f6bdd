"""A warm process that forks runs and kills them for real (SIGKILL).

Each line on stdin is a job in JSON; each line on stdout says how it ended. `kill_after` kills
the run that many seconds after its first step, or after its fork if `early`; `kill_at` lets the
run kill itself at its n-th call that changes a file, which reaches every moment of a flush,
checkpoint, growth or compaction.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from dovetail.simulate import Event, recording, run, simulate
from known_runs import Chaotic, Touching, Winding, two_bodies

CALLS = (
    (os, "pwrite"), (os, "fsync"), (os, "open"), (os, "close"),
    (Path, "replace"), (Path, "unlink"), (Path, "open"),
)  # fmt: skip


def beat(t, state):
    return np.sin(40 * t)


class Smooth:
    """A step control with a state, so that resuming without it would show."""

    def __init__(self):
        self._beats = 0

    def first(self, step):
        return step

    def next(self, h, report):
        self._beats += 1
        accept = self._beats % 7 != 0
        return accept, 0.004 + 0.003 * np.sin(self._beats)

    def snapshot(self):
        return {"beats": np.array(self._beats)}

    def restore(self, snapshot):
        self._beats = int(snapshot["beats"])


def one_run(job, on_step=None):
    recording.FLUSH_SECONDS = job.get("flush", 0.0)
    recording.CHECKPOINT_SECONDS = job.get("checkpoint", 0.0)
    recording.COST_SHARE = 1e9
    run.CONTACTS_PER_FRAME = run.MAX_WAYPOINTS = 0  # the file must grow
    scheme = Winding if job.get("winding") else Chaotic
    simulate(
        two_bodies(),
        job["duration"],
        0.01,
        Touching(),
        scheme(most_contacts=job.get("contacts", 6), pause=job.get("pause", 0.0)),
        out=job["out"],
        every=job.get("every", 1),
        resume=True,
        events=[Event("beat", beat)],
        step_control=Smooth() if job.get("adaptive") else None,
        on_step=on_step,
    )


def die_at(n):
    """Count calls that change files, and die just before (odd) or after (even) the n-th."""
    calls = [0]

    def counted(function):
        def call(*arguments, **options):
            calls[0] += 1
            if n is not None and 2 * calls[0] - 1 == n:
                os.kill(os.getpid(), signal.SIGKILL)
            answer = function(*arguments, **options)
            if n is not None and 2 * calls[0] == n:
                os.kill(os.getpid(), signal.SIGKILL)
            return answer

        return call

    for place, name in CALLS:
        setattr(place, name, counted(getattr(place, name)))
    return calls


def in_child(job, writing):
    began = []

    def say_begun(t, state):
        if not began:
            began.append(t)
            os.write(writing, b">")

    calls = die_at(job.get("kill_at"))
    try:
        one_run(job, say_begun)
        os.write(writing, str(2 * calls[0]).encode())
    except BaseException as error:
        os.write(writing, repr(error).encode())
        os._exit(1)
    os._exit(0)


def main():
    simulate(two_bodies(), 0.1, 0.01, Touching(), Chaotic(), events=[Event("beat", beat)])  # warm
    for line in sys.stdin:
        job = json.loads(line)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            in_child(job, writing)
        os.close(writing)
        if job.get("kill_after") is not None:
            if not job.get("early"):
                os.read(reading, 1)
            time.sleep(job["kill_after"])
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        said = os.read(reading, 10_000).decode().lstrip(">")
        os.close(reading)
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        print(json.dumps({"killed": killed, "code": os.waitstatus_to_exitcode(status),
                          "said": said}), flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
