"""Timing: CPU time, the least of several runs, as other processes only ever make it longer."""

from collections.abc import Callable
from time import perf_counter, process_time

SHORTEST = 2e-3  # [s] that one measurement takes at least, by repeating the work


def best_time(work: Callable[[], object], repeats: int = 5) -> float:
    """[s] of CPU time of one call of `work`, which is called once before."""
    work()
    began = process_time()
    work()
    calls = max(1, round(SHORTEST / max(process_time() - began, 1e-7)))
    times = []
    for _ in range(repeats):
        began = process_time()
        for _ in range(calls):
            work()
        times.append((process_time() - began) / calls)
    return min(times)


def wall_time(work: Callable[[], object]) -> float:
    """[s] on the clock of one call, where threads are to be compared."""
    began = perf_counter()
    work()
    return perf_counter() - began
