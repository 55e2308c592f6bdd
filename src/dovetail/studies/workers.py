"""Where runs are executed: in this process, on a local Dask cluster, or on one that is there.

A worker that dies is replaced and its runs are given to others, who resume the result files it
left; after MAX_DEATHS deaths a run counts as one that kills its workers.
"""

import logging
import multiprocessing
import os
import pickle
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from dovetail.errors import InputError, RunError
from dovetail.runtime.extras import require

MAX_DEATHS = 10  # of workers under one run
DASK = {
    "distributed.scheduler.allowed-failures": MAX_DEATHS,
    "distributed.worker.profile.enabled": False,  # it looks at every worker each 10 ms
}
BATCH_SECONDS, LARGEST_BATCH = 0.5, 200  # of calls that go out together
BATCHES_EACH = 4  # for every process, so that all are busy to the end
AHEAD, LEAST_AHEAD = 3, 16  # batches that are sent before they are needed: for a process, in all
UNGUARDED = (
    "a study starts worker processes, which import the script that calls it; put the call under "
    '`if __name__ == "__main__":`'
)
Call = tuple[Any, ...]  # the arguments that differ from call to call
Answers = list[tuple[int, Any, BaseException | None]]
OnDone = Callable[[int, Any, BaseException | None], None]


class KilledWorkerError(RunError):
    """A run under which every worker died."""


def execute(
    function: Callable[..., Any], shared: Any, calls: Iterable[tuple[int, Call]], on_done: OnDone,
    workers: int | None, scheduler: str | None,
) -> None:  # fmt: skip
    """Call function(shared, *call) for every call, anywhere, in any order.

    `on_done(number, answer, error)` for each. `shared` reaches a cluster and each of its workers
    once, whatever the number of calls. `workers` = 0 calls one after another in this process; None
    takes one worker per core.
    """
    if scheduler is None and workers == 0:
        for number, arguments in calls:
            try:
                answer = function(shared, *arguments)
            except Exception as error:
                on_done(number, None, error)
            else:
                on_done(number, answer, None)
        return
    with _client(workers, scheduler) as client:
        _on_cluster(client, function, shared, calls, on_done)


def _itself(shared: Any) -> Any:
    return shared


def _several(
    function: Callable[..., Any], shared: Any, calls: Sequence[tuple[int, Call]]
) -> tuple[Answers, float]:
    """What each of some calls gave, and the seconds that they took."""
    found: Answers = []
    began = time.monotonic()
    for number, arguments in calls:
        try:
            found.append((number, function(shared, *arguments), None))
        except Exception as error:
            found.append((number, None, _sendable(error)))
    return found, time.monotonic() - began


def _sendable(error: Exception) -> Exception:
    """One that the other process can make again."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _on_cluster(
    client: Any, function: Callable[..., Any], shared: Any, calls: Iterable[tuple[int, Call]],
    on_done: OnDone,
) -> None:  # fmt: skip
    """Calls go out in batches of the length that the last ones suggest, some ahead of each worker.

    The first of a worker takes longer than others, since it imports and loads kernels.
    """
    from distributed import CancelledError, KilledWorker, as_completed
    from distributed.comm.core import CommClosedError

    # a task of its own: the scheduler has it made again where the worker that kept it dies
    once = client.submit(_itself, shared, pure=False)
    waiting, sent = deque(calls), {}
    to_go, size = len(waiting), 1

    def submitted(batch: list[tuple[int, Call]]) -> Any:
        future = client.submit(_several, function, once, batch, pure=False)
        sent[future.key] = batch
        return future

    def next_ones(processes: int) -> list[Any]:
        made = []
        while waiting and len(sent) < max(AHEAD * processes, LEAST_AHEAD):
            made.append(submitted([waiting.popleft() for _ in range(min(size, len(waiting)))]))
        return made

    processes = max(1, sum(client.nthreads().values()))
    under_way = as_completed(next_ones(processes), raise_errors=False)
    try:
        for future in under_way:
            batch = sent.pop(future.key)
            if future.status == "cancelled":
                raise CommClosedError
            error = future.exception() if future.status == "error" else None
            if isinstance(error, KilledWorker):
                if len(batch) > 1:  # which of them it was is not known
                    under_way.update([submitted([call]) for call in batch])
                    continue
                error = KilledWorkerError(
                    f"{MAX_DEATHS + 1} workers died under it (out of memory?)"
                )
            found: Answers = [(number, None, error) for number, _ in batch]
            if error is None:
                found, seconds = future.result()
                size = batch_size(seconds / len(batch), len(waiting), processes)
            under_way.update(next_ones(processes))
            for outcome in found:
                to_go -= 1
                on_done(*outcome)
    except (CommClosedError, CancelledError, OSError, TimeoutError) as error:
        raise RunError(
            f"the connection to the scheduler was lost with {to_go} runs to go; "
            "run the study again to continue it"
        ) from error


def batch_size(seconds: float, calls: int, processes: int) -> int:
    """How many calls of so many seconds go out together: each process shall get several batches."""
    fair = -(-calls // (BATCHES_EACH * processes))
    return max(1, min(fair, LARGEST_BATCH, int(BATCH_SECONDS / max(seconds, 1e-9))))


TLS_FILES = {  # setting of Dask -> what it names
    "distributed.comm.tls.ca-file": "the authority that signed the scheduler's certificate",
    "distributed.comm.tls.client.cert": "your certificate",
    "distributed.comm.tls.client.key": "its key",
}


def _security(scheduler: str) -> Any:
    """What an encrypted connection needs, from Dask's settings; None for an open one."""
    if not scheduler.startswith("tls://"):
        return None
    dask = require("dask")
    missing = [name for name in TLS_FILES if not dask.config.get(name, None)]
    if missing:
        raise InputError([
            f"a scheduler at tls:// needs {TLS_FILES[name]}; name its file in "
            f"DASK_{name.upper().replace('.', '__').replace('-', '_')} or in Dask's configuration "
            f"as {name}"
            for name in missing
        ])  # fmt: skip
    return require("distributed").Security(require_encryption=True)


def _is_worker() -> bool:
    """Whether this process was started by another, even while it still imports its script."""
    starting = getattr(multiprocessing.current_process(), "_inheriting", False)
    return multiprocessing.parent_process() is not None or bool(starting)


@contextmanager
def _client(workers: int | None, scheduler: str | None) -> Iterator[Any]:
    if scheduler is None and _is_worker():
        raise InputError(UNGUARDED)
    dask = require("dask")
    Client, LocalCluster = require("distributed").Client, require("distributed").LocalCluster

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with dask.config.set(DASK):
        if scheduler is not None:
            try:
                client = Client(scheduler, timeout=10, security=_security(scheduler))
            except (OSError, ValueError, TypeError) as error:
                raise InputError(
                    f"`scheduler` must be the address of a Dask scheduler that can be reached, "
                    f"such as tcp://host:8786, got {scheduler!r}: {error}"
                ) from error
            with client:
                yield client
            return
        try:
            cluster = LocalCluster(
                n_workers=workers or os.cpu_count() or 1,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",  # any free port, seen from this machine only
                silence_logs=logging.CRITICAL,
            )
        except RuntimeError as error:  # the first thing that workers do is to import the script
            raise RunError(f"no worker could be started ({error}); {UNGUARDED}") from error
        with cluster, Client(cluster) as client:
            yield client
