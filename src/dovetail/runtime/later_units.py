"""The units behind stubs (`runtime.later`), made ready ahead of time or when one is called."""

import importlib
from collections.abc import Collection
from typing import Any

from numba.core.compiler_lock import global_compiler_lock

from dovetail.runtime.later import Later
from dovetail.runtime.piece_compiler import kernels
from dovetail.runtime.pieces import MachineCode, loaded_units


def _kernel_of(wanted: Later) -> Any:
    place = (wanted.module, wanted.qualname)
    if place not in kernels:
        importlib.import_module(wanted.module)
    return kernels[place]


@global_compiler_lock
def load_or_compile(wanted: Later) -> int:
    """The address of the unit behind a stub."""
    symbol, _ = _kernel_of(wanted).machine_code_of(wanted)
    return int(loaded_units[symbol].get_pointer_to_function(symbol))


def make_ready_below(library: MachineCode, wanted: Collection[str] | None) -> int:
    """Load or compile the units that `library` may ask for, and those that these may.

    Only those that are `wanted`: `module` or `module:kernel`, None for all. Returns how many were
    compiled.
    """
    compiled, seen = 0, set[str]()
    waiting = [library]
    while waiting:
        code = waiting.pop()
        waiting += [loaded_units[unit.symbol] for unit in code.units if unit.symbol not in seen]
        seen.update(unit.symbol for unit in code.units)
        for one in code.later:
            names = {one.module, f"{one.module}:{one.qualname}"}
            if one.symbol not in seen and (wanted is None or not names.isdisjoint(wanted)):
                seen.add(one.symbol)
                symbol, times = _kernel_of(one).machine_code_of(one)
                compiled += times
                waiting.append(loaded_units[symbol])
    return compiled
