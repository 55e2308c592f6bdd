"""Kernels as machine code, as bytes in the cache and back.

As `_reduce` and `_rebuild` of Numba's `CompileResult`, without the bitcode of the kernel, which is
there for callers: ours link with pieces (`runtime.pieces`). To parse it took two thirds of the time
of loading, 0.4 of 0.6 s for a step with contact.
"""

import pickle
from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any

from numba.core.compiler import CR_FIELDS, CompileResult
from numba.core.environment import _rebuild_env

from dovetail.runtime.later import Later, known
from dovetail.runtime.pieces import MachineCode, Unit

_FIELDS = (
    "library", "fndesc", "environment", "signature", "objectmode", "lifted", "type_annotation",
    "reload_init", "referenced_envs", "units", "later",
)  # fmt: skip


def reduce(result: Any) -> tuple[Any, ...]:
    """What to pickle of a kernel that was just compiled."""
    described = result.fndesc
    described.typemap = described.calltypes = None  # not needed, and may fail
    library = result.library
    library._ensure_finalized()
    return (
        (library.name, library._get_compiled_object()), described, result.environment,
        result.signature, result.objectmode, result.lifted, str(result.type_annotation),
        result.reload_init, tuple(result._find_referenced_environments()),
        [tuple(unit) for unit in library.units], [tuple(one) for one in library.later],
    )  # fmt: skip


def rebuild(target_context, payload: bytes, load_unit: Callable[..., bool]) -> CompileResult | None:
    """The compiled kernel of an entry: the pickle of what `reduce` gave.

    None if a unit that it jumps to is gone, or is another one now.
    """
    fields = dict(zip(_FIELDS, unpickled(payload), strict=False))  # of old ones without units
    if not all(load_unit(*unit) for unit in fields.get("units", ())):
        return None
    for initialise in fields["reload_init"]:
        initialise()
    codegen, described = target_context.codegen(), fields["fndesc"]
    name, machine_code = fields["library"]
    units, later = fields.get("units", ()), fields.get("later", ())
    library = fields["library"] = library_of(codegen, name, machine_code, units, later)
    codegen._engine._defined_symbols |= {
        described.llvm_func_name,
        described.llvm_cpython_wrapper_name,
        described.llvm_cfunc_wrapper_name,
    }
    entry_point = target_context.get_executable(library, described, fields["environment"])
    for environment in fields["referenced_envs"]:
        codegen.set_env(environment.env_name, environment)
    fields |= {"target_context": target_context, "entry_point": entry_point}
    fields |= {"typing_context": target_context.typing_context}
    return CompileResult(*(fields.get(name) for name in CR_FIELDS))


def library_of(
    codegen: Any, name: str, machine_code: bytes, units: Iterable[Any], later: Iterable[Any]
) -> MachineCode:
    """Machine code, loaded. Units that it jumps to must have been loaded; not those of `later`."""
    library = MachineCode(codegen, name)
    library.units = [Unit(*unit) for unit in units]
    library.later = [Later(*one) for one in later]
    known.update((one.symbol, one) for one in library.later)
    library._set_compiled_object(machine_code)
    library._finalize_final_module()
    return library


def unpickled(payload: bytes) -> Any:
    """What was pickled of a kernel, with environments completed."""
    return _Unpickler(BytesIO(payload)).load()


class _Unpickler(pickle.Unpickler):
    """As Python's; environments get all constants that the entry reads."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == (_rebuild_env.__module__, _rebuild_env.__name__):
            return _environment
        return super().find_class(module, name)


def _environment(module: str, constants: list[Any], name: str) -> Any:
    """The environment of a kernel: where one of that name lives, this one, completed.

    An entry reads dtypes of arrays and classes of records that it returns. The environment of its
    piece, which a caller may have loaded before, has only the first of these constants.
    """
    environment = _rebuild_env(module, constants, name)
    known = environment.consts
    known.extend(constants[len(known) :])
    return environment
