"""A digest of everything that decides what a kernel computes.

Numba's own cache looks at the file of the function only: after an edit of a callee in another file
it silently runs the old code. Here the digest covers the function's bytecode and, transitively,
every function it can name, every module-level constant, default and closure value. Bytecode rather
than source text: it is what is compiled even if the file was edited after the import, and comments,
docstrings and moved lines do not cause a recompilation.
"""

import enum
import hashlib
import inspect
import types
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.core.types import Type as NumbaType

from dovetail.runtime.boxing import BOXING

# Numba compiles its own version of these packages' functions; the name says which one.
_KNOWN_BY_NAME = frozenset({"builtins", "cmath", "math", "numba", "numpy", "operator"})


class NoFingerprintError(TypeError):
    """A kernel depends on a value that cannot be distinguished from another one by its content."""


def fingerprint(kernel) -> str:
    """Hexadecimal digest of a kernel and all it depends on; equal digest, equal machine code."""
    if _remembered is not None and id(kernel) in _remembered:
        return _remembered[id(kernel)][1]
    reader = _Reader()
    reader.read(kernel)
    digest = reader.digest.hexdigest()
    if _remembered is not None:
        _remembered[id(kernel)] = kernel, digest
    return digest


_remembered: dict[int, tuple[object, str]] | None = None  # the kernel, so that its id stays its own


@contextmanager
def nothing_changes() -> Iterator[None]:
    """Read every kernel once: for a compilation, which asks for the same ones many times."""
    global _remembered
    before = _remembered
    _remembered = {} if before is None else before
    try:
        yield
    finally:
        _remembered = before


def functions_of(kernel) -> frozenset[int]:
    """What a kernel consists of, itself and all it calls: the `id` of each function."""
    reader = _Reader()
    reader.read(kernel)
    return frozenset(reader.seen)


class _Reader:
    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self.seen: dict[int, int] = {}  # functions already read, by the order of reading

    def text(self, *parts: object) -> None:
        self.digest.update("\0".join(map(str, parts)).encode() + b"\1")

    def read(self, value, names: tuple[str, ...] = ()) -> None:
        """Add one value; `names` are the names a function uses, to look up in its modules."""
        if isinstance(value, Dispatcher):
            self.text("options", sorted(map(repr, value.targetoptions.items())))
            if getattr(value, "apart", False):
                self.text("apart")
            returns = getattr(value, "returns", None)
            if returns is not None:
                self.text("when called", returns)
            self.function(value.py_func)
        elif isinstance(value, types.FunctionType):
            self.function(value)
        elif isinstance(value, types.CodeType):
            self.code(value, doc=None)
        elif isinstance(value, types.ModuleType):
            self.module(value, names)
        elif isinstance(value, enum.Enum):
            self.text("enum", type(value).__module__, type(value).__qualname__, value.name)
            self.read(value.value)
        elif isinstance(value, (np.ndarray, np.generic)):
            self.text("array", value.dtype.descr, value.shape, np.asarray(value).flags.f_contiguous)
            self.digest.update(np.ascontiguousarray(value).tobytes())
        elif value is None or value is Ellipsis or isinstance(value, (int, float, complex, str)):
            self.text(type(value).__name__, repr(value))
        elif isinstance(value, bytes):
            self.text("bytes", value.hex())
        elif isinstance(value, (tuple, list)):
            self.text(type(value).__qualname__, len(value), getattr(value, "_fields", ""))
            for item in value:
                self.read(item)
        elif isinstance(value, frozenset):
            self.text("frozenset", sorted(map(repr, value)))
        elif isinstance(value, (np.dtype, NumbaType)):
            self.text("type", repr(value))
        elif isinstance(value, (type, types.BuiltinFunctionType, np.ufunc)):
            module = getattr(value, "__module__", "")
            self.text("named", module, getattr(value, "__qualname__", value.__name__))
            if hasattr(value, "_fields"):
                self.text("record", BOXING, value._fields)
            if isinstance(value, enum.EnumMeta):  # kernels read the values of its members
                members: dict[str, enum.Enum] = dict(value.__members__)
                self.text(*(f"{name}={member.value}" for name, member in members.items()))
        else:
            raise NoFingerprintError(f"{type(value).__qualname__} has no fingerprint")

    def module(self, module: types.ModuleType, names: tuple[str, ...]) -> None:
        self.text("module", module.__name__)
        if id(module) in self.seen:
            return
        self.seen[id(module)] = len(self.seen)
        if module.__name__.partition(".")[0] not in _KNOWN_BY_NAME:
            for name in names:
                if hasattr(module, name):
                    self.text(name)
                    self.read(getattr(module, name), names)
        del self.seen[id(module)]  # another function may use other names of it

    def function(self, function: types.FunctionType) -> None:
        name = function.__globals__.get("__name__", "")
        self.text("function", name, function.__name__)
        if name.partition(".")[0] in _KNOWN_BY_NAME:
            return
        if id(function) in self.seen:
            self.text("seen", self.seen[id(function)])
            return
        self.seen[id(function)] = len(self.seen)
        names = self.code(function.__code__, function.__doc__)
        self.read(function.__defaults__)
        for key, value in sorted((function.__kwdefaults__ or {}).items()):
            self.text(key)
            self.read(value)
        for cell in function.__closure__ or ():
            try:
                value = cell.cell_contents
            except ValueError:
                self.text("empty cell")
            else:
                self.read(value, names)
        for name in names:
            if name in function.__globals__:
                self.text(name)
                self.read(function.__globals__[name], names)

    def code(self, code: types.CodeType, doc: str | None) -> tuple[str, ...]:
        """Add a code object; return all names it uses, those of inner functions included."""
        flags = code.co_flags | inspect.CO_OPTIMIZED  # which a profiler takes away in Python 3.11
        self.text("code", flags, code.co_argcount, code.co_kwonlyargcount)
        self.text(code.co_posonlyargcount, code.co_names, code.co_varnames)
        self.text(code.co_freevars, code.co_cellvars)
        self.digest.update(code.co_code + code.co_exceptiontable)
        names = list(code.co_names)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                names += self.code(constant, doc=None)
            elif doc is None or constant != doc:
                self.read(constant)
        return tuple(dict.fromkeys(names))
