"""Kernels in threads, with the same result for any number of them.

As many threads as the process has cores, or as DOVETAIL_THREADS says. Kernels release the GIL. What
is a piece of work depends on the problem only, never on the number of threads, and results come
back in the order of the pieces, so a sum over them is the same to the bit.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from dovetail.errors import InputError

VARIABLE = "DOVETAIL_THREADS"
T = TypeVar("T")
Item = TypeVar("Item")


def n_threads() -> int:
    """How many threads are used where a call does not say."""
    given = os.environ.get(VARIABLE, "")
    if given:
        if not given.isdecimal() or int(given) < 1:
            raise InputError(f"{VARIABLE} must be a whole number >= 1, got {given!r}")
        return int(given)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def index_ranges(count: int, grain: int) -> list[tuple[int, int]]:
    """[0, count) cut into consecutive (begin, end) of `grain` indices, the last one shorter."""
    return [(begin, min(begin + grain, count)) for begin in range(0, count, grain)]


def over_ranges(
    work: Callable[[int, int], T], count: int, grain: int, threads: int | None = None
) -> list[T]:
    """[work(begin, end) for all ranges], in their order; `threads` defaults to `n_threads`."""
    ranges = index_ranges(count, grain)
    threads = min(threads or n_threads(), len(ranges))
    if threads <= 1:
        return [work(begin, end) for begin, end in ranges]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda piece: work(*piece), ranges))


def in_threads(work: Callable[[Item], T], items: Sequence[Item]) -> list[T]:
    """[work(item) for all items], in their order, in threads that stay: for work of a step."""
    threads = n_threads()
    if threads == 1 or len(items) < 2:
        return [work(item) for item in items]
    return list(_kept.pool(threads).map(work, items))


class _Kept:
    """Threads that wait for work, made at their first use."""

    def __init__(self) -> None:
        self._pool: ThreadPoolExecutor | None = None
        self._threads = 0

    def pool(self, threads: int) -> ThreadPoolExecutor:
        if self._pool is None or self._threads != threads:
            self.forget()
            self._pool, self._threads = ThreadPoolExecutor(threads), threads
        return self._pool

    def forget(self) -> None:
        """Of a forked process: its parent's threads are not in it."""
        self._pool = None


_kept = _Kept()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_kept.forget)
