"""Run a kernel on ranges of indices in threads, with the same result for any number of them.

Kernels release the GIL. The ranges depend on the problem only, never on the number of threads, and
results come back in the order of the ranges, so a sum over them is the same to the bit.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def index_ranges(count: int, grain: int) -> list[tuple[int, int]]:
    """[0, count) cut into consecutive (begin, end) of `grain` indices, the last one shorter."""
    return [(begin, min(begin + grain, count)) for begin in range(0, count, grain)]


def over_ranges(
    work: Callable[[int, int], T], count: int, grain: int, threads: int | None = None
) -> list[T]:
    """[work(begin, end) for all ranges], in their order; `threads` defaults to the cores."""
    ranges = index_ranges(count, grain)
    threads = min(threads or os.cpu_count() or 1, len(ranges))
    if threads <= 1:
        return [work(begin, end) for begin, end in ranges]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda piece: work(*piece), ranges))
