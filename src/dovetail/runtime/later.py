"""Units that are compiled, or loaded from the cache, when a kernel calls them first.

A kernel marked `when_called` is not compiled with those that call it. They get a stub in its place,

    code = cell;  if (!code) code = cell = dovetail_code_of("symbol of the stub");  return code(...)

and `dovetail_code_of` is Python: it loads or compiles the unit (`runtime.pieces`). So a scene
without joints costs no compilation of joints. What the kernel returns must be declared, since
callers are compiled without looking into it.
"""

import ctypes
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from llvmlite import binding as llvm  # type: ignore[import-untyped]
from llvmlite import ir
from numba.core.funcdesc import PythonFunctionDescriptor

from dovetail.runtime.calls import Convention
from dovetail.runtime.pieces import PieceLibrary

_RESOLVER = "dovetail_code_of"
_FAILED = -9  # a status that Numba does not know, which it raises as a SystemError
_TAG = "later"  # in the symbols of stubs
_POINTER = ir.IntType(8).as_pointer()


class Later(NamedTuple):
    """What code with a stub remembers of the unit behind it."""

    module: str
    qualname: str
    symbol: str  # of the stub
    file: str | None  # of the unit in the cache; None if it cannot be kept
    arguments: bytes  # types, pickled: only read where the unit must be compiled


known: dict[str, Later] = {}  # by symbol, of all code in this process
units: dict[str, str] = {}  # symbols of units in this process, by those of their stubs
load_or_compile: Callable[[Later], int] | None = None  # its address (`runtime.later_units`)


def describe(function: Any, arguments: tuple, returns: Any, uid: int) -> PythonFunctionDescriptor:
    """How callers call the stub of `function`."""
    code = function.__code__
    return PythonFunctionDescriptor(
        native=True, modname=function.__module__, qualname=function.__qualname__,
        unique_name=f"{function.__qualname__}${uid}", doc="", typemap={}, restype=returns,
        calltypes={}, args=code.co_varnames[: code.co_argcount], kws=(), argtypes=arguments,
        abi_tags=(_TAG,), uid=uid,
    )  # fmt: skip


def stub(context: Any, description: PythonFunctionDescriptor) -> PieceLibrary:
    """A piece that jumps to the unit, and asks for it before the first time."""
    symbol = description.mangled_name
    module = context.create_module(symbol)
    convention = Convention(context).get_function_type(description.restype, description.argtypes)
    function = ir.Function(module, convention, name=symbol)
    function.attributes.add("noinline")
    cell = ir.GlobalVariable(module, _POINTER, name=f"{symbol}.code")
    cell.linkage, cell.initializer = "internal", ir.Constant(_POINTER, None)
    resolver = ir.Function(module, ir.FunctionType(_POINTER, [_POINTER]), name=_RESOLVER)
    name = context.insert_const_string(module, symbol)

    builder = ir.IRBuilder(function.append_basic_block("entry"))
    begun = builder.block
    found = builder.load(cell)
    ask, jump = function.append_basic_block("ask"), function.append_basic_block("jump")
    builder.cbranch(builder.icmp_unsigned("!=", found, ir.Constant(_POINTER, None)), jump, ask)
    builder.position_at_end(ask)
    given = builder.call(resolver, [name])
    builder.store(given, cell)
    with builder.if_then(builder.icmp_unsigned("==", given, ir.Constant(_POINTER, None))):
        builder.ret(ir.Constant(ir.IntType(32), _FAILED))
    asked = builder.block
    builder.branch(jump)
    builder.position_at_end(jump)
    code = builder.phi(_POINTER)
    code.add_incoming(found, begun)
    code.add_incoming(given, asked)
    target = builder.bitcast(code, convention.as_pointer())
    builder.ret(builder.call(target, function.args))

    library = PieceLibrary(context.codegen(), symbol)
    library.add_ir_module(module)
    return library


@ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p)
def _code_of(symbol: bytes) -> int | None:
    """The address of a unit that a stub asks for; None if it cannot be had."""
    try:
        assert load_or_compile is not None
        return load_or_compile(known[symbol.decode()])
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
        return None


llvm.add_symbol(_RESOLVER, ctypes.cast(_code_of, ctypes.c_void_p).value)
