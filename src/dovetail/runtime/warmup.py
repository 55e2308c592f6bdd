"""Compile every kernel ahead of use: what `dovetail warmup` runs.

A module with kernels adds one line per kernel that Python calls,
    warm(kernel, *examples)
where only the types of the examples matter (an empty array of the right rank will do); the kernel
is not run. Kernels that are only called by other kernels need no line.
"""

import importlib
import pkgutil
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from numba import typeof

from dovetail.runtime.fingerprint import count_of_functions
from dovetail.runtime.jit import is_compiled_kernel

# that have kernels
PACKAGES = tuple(
    f"dovetail.{name}"
    for name in (
        "linalg", "collision", "multibody", "contact", "integrators", "verifier", "view.raster",
    )
)  # fmt: skip

_registered: list[tuple[Any, tuple[Any, ...]]] = []
_later: list[Callable[[], None]] = []


@dataclass(frozen=True)
class WarmUp:
    """What a warm-up did: kernels made ready, how many of them newly compiled, wall time [s]."""

    kernels: int
    compiled: int
    seconds: float


def warm(kernel: Any, *examples: Any) -> None:
    """Let `warmup` compile `kernel` for arguments of the types of `examples`."""
    _registered.append((kernel, examples))


def warm_later(register: Callable[[], None]) -> None:
    """Let `warmup` call `register`, which calls `warm` with examples that are costly to make."""
    _later.append(register)


def warmup(
    report: Callable[[str], None] | None = None,
    packages: Iterable[str] = PACKAGES,
    workers: int = 1,
) -> WarmUp:
    """Import all modules of `packages` and compile, or load from the cache, what they registered.

    `report` is called with the name of each kernel: before it is made ready, or after if several
    `workers` (processes) share the work. What they compile is left in the cache on disk.
    """
    start = time.perf_counter()
    packages = tuple(packages)
    _gather(packages)
    compiled = 0
    if workers <= 1:
        for entry in _registered:
            if report is not None and is_compiled_kernel(entry[0]):
                report(_name(entry[0]))
            compiled += _make_ready(*entry)
    else:
        for name, new in _share_out(packages, workers):
            if report is not None:
                report(name)
            compiled += new
    ready = sum(is_compiled_kernel(kernel) for kernel, _ in _registered)
    return WarmUp(kernels=ready, compiled=compiled, seconds=time.perf_counter() - start)


def _gather(packages: tuple[str, ...]) -> None:
    """Have all kernels of `packages` registered."""
    for package in packages:
        root = importlib.import_module(package)
        for module in pkgutil.walk_packages(getattr(root, "__path__", ()), f"{package}."):
            importlib.import_module(module.name)
    while _later:
        _later.pop(0)()


def _make_ready(kernel: Any, examples: tuple[Any, ...]) -> int:
    """Compile or load a kernel; returns how many times it was compiled."""
    if not is_compiled_kernel(kernel):
        return 0  # NUMBA_DISABLE_JIT=1: plain Python has nothing to compile
    misses = sum(kernel.stats.cache_misses.values())
    types = tuple(typeof(example) for example in examples)
    _, folded = kernel._compiler.fold_argument_types(types, {})  # *args become one tuple
    kernel.compile(tuple(folded))
    return sum(kernel.stats.cache_misses.values()) - misses


def _share_out(packages: tuple[str, ...], workers: int) -> Iterator[tuple[str, int]]:
    """Make all kernels ready in other processes, those that call most first: (name, compiled)."""
    by_size = sorted(_registered, key=lambda entry: -count_of_functions(entry[0]))
    with ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=_gather, initargs=(packages,)
    ) as pool:
        jobs = {pool.submit(_make_ready_by_key, _key(*entry)): entry[0] for entry in by_size}
        for job in as_completed(jobs):
            yield _name(jobs[job]), job.result()


def _make_ready_by_key(key: str) -> int:
    return _make_ready(*next(entry for entry in _registered if _key(*entry) == key))


def _key(kernel: Any, examples: tuple[Any, ...]) -> str:
    """What a kernel and its argument types are called in every process."""
    return f"{_name(kernel)}{tuple(typeof(example) for example in examples)}"


def _name(kernel: Any) -> str:
    function = getattr(kernel, "py_func", kernel)
    return f"{function.__module__}.{function.__qualname__}"
