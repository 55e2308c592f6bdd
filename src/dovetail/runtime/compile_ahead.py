"""The kernels that a run will need, compiled on all cores at once when the first is missing.

A run names them (`with compile_ahead(...)`). If all are in the cache this costs nothing. At the
first one that is not, those that are missing are compiled by other processes, with a message that
counts them; where no process can be started each is compiled here when it is called.
"""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from dovetail.runtime import cache, compile_workers, warmup
from dovetail.runtime.compile_notice import notice

_FEWEST = 3  # kernels that are worth the start of processes


@contextmanager
def compile_ahead(modules: Iterable[str], kernels: Iterable[str]) -> Iterator[None]:
    """Have `kernels` compiled together as soon as one of them is missing.

    Args:
        modules: to import so that the kernels are registered for warm-up.
        kernels: `module` for all that it has, or `module:kernel`.
    """
    plan = _Plan(tuple(modules), tuple(kernels))
    before, cache.before_compilation = cache.before_compilation, plan.compile
    try:
        yield
    finally:
        cache.before_compilation = before


class _Plan:
    def __init__(self, modules: tuple[str, ...], kernels: tuple[str, ...]) -> None:
        self._modules, self._kernels = modules, kernels
        self._compiled = False

    def compile(self) -> None:
        """Compile what is missing, the first time this is called."""
        if self._compiled:
            return
        self._compiled = True
        began = time.perf_counter()
        warmup.gather(self._modules)
        missing = [entry for entry in warmup.registered() if self._is_needed(entry)]
        if len(missing) < _FEWEST or not cache.can_keep(missing[0][0]):
            return
        done: list[str] = []
        with notice.counting(len(missing)) as show:

            def report(key: str) -> None:
                done.append(key)
                show(len(done))

            made = warmup.make_ready_elsewhere(
                missing, compile_workers.cores(), report, self._kernels
            )
        notice.compiled += sum(made.values())
        notice.seconds += time.perf_counter() - began

    def _is_needed(self, entry: tuple[Any, tuple[Any, ...]]) -> bool:
        kernel, examples = entry
        function = kernel.py_func
        names = {function.__module__, f"{function.__module__}:{function.__name__}"}
        needed = not names.isdisjoint(self._kernels)
        return needed and not cache.is_kept(kernel, warmup.argument_types(kernel, examples))
