"""Compile every kernel ahead of use: what `dovetail warmup` runs.

A module with kernels adds one line per kernel that Python calls,
    warm(kernel, *examples)
where only the types of the examples matter (an empty array of the right rank will do); the kernel
is not run. Kernels that are only called by other kernels need no line.
"""

import importlib
import pkgutil
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

from numba import typeof

from dovetail.runtime.compile_workers import share_out
from dovetail.runtime.fingerprint import functions_of
from dovetail.runtime.jit import is_compiled_kernel
from dovetail.runtime.later_units import make_ready_below

# that have kernels
PACKAGES = tuple(
    f"dovetail.{name}"
    for name in (
        "linalg", "collision", "multibody", "contact", "integrators", "verifier", "prove",
        "results.lookup3", "view.raster",
    )
)  # fmt: skip

_registered: list[tuple[Any, tuple[Any, ...]]] = []
_later: list[Callable[[], None]] = []  # not called yet
_registers: list[Callable[[], None]] = []  # all of them
_collecting = False


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
    _registers.append(register)


def is_collecting() -> bool:
    """Whether examples are being made, of which only the types matter."""
    return _collecting


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
    gather(modules_of(packages))
    entries = registered()
    compiled, left = 0, entries
    if workers > 1:
        names = {key_of(*entry): _name(entry[0]) for entry in entries}
        done = make_ready_elsewhere(entries, workers, lambda key: report and report(names[key]))
        compiled = sum(done.values())
        left = [entry for entry in entries if key_of(*entry) not in done]
    for entry in left:
        if report is not None:
            report(_name(entry[0]))
        compiled += make_ready(*entry)
    return WarmUp(kernels=len(entries), compiled=compiled, seconds=time.perf_counter() - start)


def modules_of(packages: Iterable[str]) -> list[str]:
    """Names of all modules of some packages."""
    names = []
    for package in packages:
        folders = getattr(importlib.import_module(package), "__path__", ())
        names += [package, *(m.name for m in pkgutil.walk_packages(folders, f"{package}."))]
    return names


def gather(modules: Iterable[str]) -> None:
    """Have the kernels of `modules` registered, without compiling any."""
    global _collecting
    for module in modules:
        importlib.import_module(module)
    _collecting = True
    try:
        while _later:
            _later.pop(0)()
    finally:
        _collecting = False


def registered() -> list[tuple[Any, tuple[Any, ...]]]:
    """Kernels and their examples, one for each name and argument types."""
    entries = {key_of(*entry): entry for entry in _registered if is_compiled_kernel(entry[0])}
    return list(entries.values())


def argument_types(kernel: Any, examples: tuple[Any, ...]) -> tuple[Any, ...]:
    """As a call with such arguments has them: those of *args are one tuple."""
    types = tuple(typeof(example) for example in examples)
    return tuple(kernel._compiler.fold_argument_types(types, {})[1])


def make_ready(
    kernel: Any, examples: tuple[Any, ...], wanted: Collection[str] | None = None
) -> int:
    """Compile or load a kernel, with the `wanted` of what it compiles when called.

    These are `module` or `module:kernel`; None for all. Returns how many compilations it took.
    """
    misses = sum(kernel.stats.cache_misses.values())
    types = argument_types(kernel, examples)
    kernel.compile(types)
    below = make_ready_below(kernel.entries[types].library, wanted)
    return sum(kernel.stats.cache_misses.values()) - misses + below


def make_ready_elsewhere(
    entries: Iterable[tuple[Any, tuple[Any, ...]]],
    workers: int,
    report: Callable[[str], object],
    wanted: Collection[str] | None = None,
) -> dict[str, int]:
    """Make kernels ready in other processes, as `make_ready`: compilations by key.

    Those that could not be made ready there are missing in what is returned.
    """
    ordered = _in_order(list(entries))
    modules = {kernel.py_func.__module__ for kernel, _ in ordered} | {
        register.__module__ for register in _registers
    }
    keys = [key_of(*entry) for entry in ordered]
    return share_out(keys, sorted(modules), wanted, workers, report)


def _in_order(entries: list[tuple[Any, tuple[Any, ...]]]) -> list[tuple[Any, tuple[Any, ...]]]:
    """The largest first, then those that have least in common with it.

    What two processes compile at the same time they compile twice, if both need it.
    """
    functions = {id(kernel): functions_of(kernel) for kernel, _ in entries}
    largest = max(functions.values(), key=len, default=frozenset())

    def place(entry: tuple[Any, tuple[Any, ...]]) -> tuple[bool, int, int]:
        own = functions[id(entry[0])]
        return own != largest, len(own & largest), -len(own)

    return sorted(entries, key=place)


def key_of(kernel: Any, examples: tuple[Any, ...]) -> str:
    """What a kernel and its argument types are called in every process."""
    return f"{_name(kernel)}{tuple(typeof(example) for example in examples)}"


def _name(kernel: Any) -> str:
    function = getattr(kernel, "py_func", kernel)
    return f"{function.__module__}.{function.__qualname__}"
