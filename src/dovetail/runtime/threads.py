"""Independent work on the cores of the machine, with results in the order of the items.

As many threads as the process has cores, or DOVETAIL_THREADS. Kernels run without Python's lock.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from dovetail.errors import InputError

VARIABLE = "DOVETAIL_THREADS"
Item, Result = TypeVar("Item"), TypeVar("Result")
_pool: ThreadPoolExecutor | None = None
_size = 0


def n_threads() -> int:
    """How many threads are used."""
    given = os.environ.get(VARIABLE, "")
    if not given:
        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1
    if not given.isdecimal() or int(given) < 1:
        raise InputError(f"{VARIABLE} must be a whole number >= 1, got {given!r}")
    return int(given)


def in_threads(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """`work` of each item; each must write into arrays of its own only."""
    size = n_threads()
    if size == 1 or len(items) < 2:
        return [work(item) for item in items]
    return list(_made(size).map(work, items))


def _made(size: int) -> ThreadPoolExecutor:
    global _pool, _size
    if _pool is None or _size != size:
        if _pool is not None:
            _pool.shutdown()
        _pool, _size = ThreadPoolExecutor(size, thread_name_prefix="dovetail"), size
    return _pool


def _forget_pool() -> None:
    """A forked process has none of the threads of its parent."""
    global _pool
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)
