"""Kernels compiled by other processes, which leave them in the cache on disk.

Plain child processes that talk by lines of text, not `multiprocessing`: that would run the script
that called us again in each of them, and fails in a notebook.
"""

import gc
import json
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress

_CODE = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from dovetail.runtime.compile_workers import serve; serve()"
)
_POLL = 0.1  # [s]


def cores() -> int:
    """How many processes run side by side."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


def share_out(
    keys: Iterable[str],
    modules: list[str],
    wanted: Collection[str] | None,
    workers: int,
    report: Callable[[str], object],
) -> dict[str, int]:
    """Have `keys` of `warmup.key_of` made ready: how many compilations each took.

    `wanted` is that of `warmup.make_ready`; `modules` are what the processes import; `report` is
    called, in this thread, with each key that is ready. A key is missing in the answer if its
    process failed, or none could be started.
    """
    waiting, done = deque(keys), dict[str, int]()
    first = json.dumps([modules, None if wanted is None else sorted(wanted)])
    started = [_start() for _ in range(min(workers, len(waiting)))]
    processes = [process for process in started if process is not None]
    threads = [
        threading.Thread(target=_drive, args=(process, first, waiting, done), daemon=True)
        for process in processes
    ]
    reported = 0
    try:
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            for thread in threads:
                thread.join(_POLL / len(threads))
            for key in list(done)[reported:]:
                report(key)
                reported += 1
        for key in list(done)[reported:]:
            report(key)
    finally:
        for process in processes:
            _end(process)
    return done


def _start() -> "subprocess.Popen[str] | None":
    if not sys.executable:
        return None
    command = [sys.executable, "-c", _CODE, json.dumps(sys.path)]
    try:
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, env=os.environ | {"DOVETAIL_QUIET": "1"}, start_new_session=True,
        )  # fmt: skip
    except OSError:
        return None


def _end(process: "subprocess.Popen[str]") -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):  # what was not sent any more
            if pipe is not None:
                pipe.close()


def _drive(
    process: "subprocess.Popen[str]", first: str, waiting: deque[str], done: dict[str, int]
) -> None:
    """Give a process one key after another until none is left or it fails."""
    assert process.stdin is not None and process.stdout is not None
    with suppress(OSError, ValueError, IndexError):  # a dead process; no key left
        process.stdin.write(first + "\n")
        while True:
            key = waiting.popleft()
            process.stdin.write(json.dumps(key) + "\n")
            process.stdin.flush()
            done[key] = int(json.loads(process.stdout.readline()))


def serve() -> None:
    """What such a process does: import the modules, then make each kernel ready that it is sent."""
    from dovetail.runtime import warmup
    from dovetail.runtime.fingerprint import nothing_changes

    gc.disable()  # what is compiled lives as long as the process
    answers, sys.stdout = sys.stdout, sys.stderr
    modules, wanted = json.loads(sys.stdin.readline())
    warmup.gather(modules)
    entries = {warmup.key_of(*entry): entry for entry in warmup.registered()}
    with nothing_changes():
        for line in sys.stdin:
            answers.write(f"{warmup.make_ready(*entries[json.loads(line)], wanted)}\n")
            answers.flush()
