"""Where runs are executed: in this process, on a local Dask cluster, or on one that is there.

A worker that dies is replaced and its runs are given to others, who resume the result files it
left; after MAX_DEATHS deaths a run counts as one that kills its workers.
"""

import logging
import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from dovetail.errors import InputError, RunError
from dovetail.runtime.extras import require

MAX_DEATHS = 10  # of workers under one run
Call = tuple[Any, ...]  # the arguments that differ from call to call
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


def _on_cluster(
    client: Any, function: Callable[..., Any], shared: Any, calls: Iterable[tuple[int, Call]],
    on_done: OnDone,
) -> None:  # fmt: skip
    from distributed import CancelledError, KilledWorker, as_completed
    from distributed.comm.core import CommClosedError

    # a task of its own: the scheduler has it made again where the worker that kept it dies
    once = client.submit(_itself, shared, pure=False)
    numbers, futures = {}, []
    for number, arguments in calls:
        futures.append(client.submit(function, once, *arguments, pure=False))
        numbers[futures[-1].key] = number
    try:
        for future in as_completed(futures, raise_errors=False):
            number = numbers.pop(future.key)
            if future.status == "cancelled":
                raise CommClosedError
            error = future.exception() if future.status == "error" else None
            if isinstance(error, KilledWorker):
                error = KilledWorkerError(
                    f"{MAX_DEATHS + 1} workers died under it (out of memory?)"
                )
            on_done(number, None if error else future.result(), error)
    except (CommClosedError, CancelledError, OSError, TimeoutError) as error:
        raise RunError(
            f"the connection to the scheduler was lost with {len(numbers)} runs to go; "
            "run the study again to continue it"
        ) from error


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


@contextmanager
def _client(workers: int | None, scheduler: str | None) -> Iterator[Any]:
    if multiprocessing.parent_process() is not None and scheduler is None:
        raise InputError(
            "a study starts worker processes, which import the script that calls it; put the call "
            'under `if __name__ == "__main__":`'
        )
    dask = require("dask")
    Client, LocalCluster = require("distributed").Client, require("distributed").LocalCluster

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with dask.config.set({"distributed.scheduler.allowed-failures": MAX_DEATHS}):
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
        cluster = LocalCluster(
            n_workers=workers or os.cpu_count() or 1,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",  # any free port, seen from this machine only
            silence_logs=logging.CRITICAL,
        )
        with cluster, Client(cluster) as client:
            yield client
