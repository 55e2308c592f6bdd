"""Compile every kernel ahead of use: what `dovetail warmup` runs.

A module with kernels adds one line per kernel that Python calls,
    warm(kernel, *examples)
where the examples only tell the types (an empty array of the right rank will do); the kernel is
not run. Kernels that are only called by other kernels need no line.
"""

import importlib
import pkgutil
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from numba import typeof

from dovetail.kernels.jit import is_compiled_kernel

_registered: list[tuple[Any, tuple[Any, ...]]] = []
_later: list[Callable[[], None]] = []


@dataclass(frozen=True)
class WarmUp:
    """What a warm-up did: kernels made ready, how many of them compiled anew, wall time [s]."""

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
    report: Callable[[str], None] | None = None, packages: Iterable[str] = ("dovetail.kernels",)
) -> WarmUp:
    """Import all modules of `packages` and compile, or load from the cache, what they registered.

    `report` is called with the name of each kernel before it is made ready.
    """
    for package in packages:
        _import_all_of(package)
    start = time.perf_counter()
    while _later:
        _later.pop(0)()
    ready = compiled = 0
    for kernel, examples in _registered:
        if not is_compiled_kernel(kernel):
            continue  # NUMBA_DISABLE_JIT=1: plain Python has nothing to compile
        if report is not None:
            report(f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__}")
        misses = sum(kernel.stats.cache_misses.values())
        types = tuple(typeof(example) for example in examples)
        _, folded = kernel._compiler.fold_argument_types(types, {})  # *args become one tuple
        kernel.compile(tuple(folded))
        compiled += sum(kernel.stats.cache_misses.values()) - misses
        ready += 1
    return WarmUp(kernels=ready, compiled=compiled, seconds=time.perf_counter() - start)


def _import_all_of(package: str) -> None:
    root = importlib.import_module(package)
    for module in pkgutil.walk_packages(root.__path__, f"{package}."):
        importlib.import_module(module.name)
