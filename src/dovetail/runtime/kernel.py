"""A compiled function: what Python calls and what other kernels link with (`runtime.pieces`)."""

import gc
import pickle
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from numba.core import compiler, errors, event, sigutils, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps
from numba.core.typing.templates import make_concrete_template

from dovetail.runtime import cache, calls, later
from dovetail.runtime.cache import KernelCache
from dovetail.runtime.fingerprint import nothing_changes
from dovetail.runtime.later import Later
from dovetail.runtime.piece_compiler import PieceCache, PieceCompiler, kernels, number_of
from dovetail.runtime.pieces import EntryLibrary, PieceLibrary, Unit, UnitLibrary, loaded_units
from dovetail.runtime.units import UnitCache, alone

_ENVIRONMENT = "_ZN08NumbaEnv"  # begins the names of what points to the globals of a function


class Kernel(CPUDispatcher):
    """As Numba's dispatcher; compiled as a piece for callers and as an entry for Python."""

    _compiler: Any
    _can_compile: bool
    _cache_hits: Any
    _cache_misses: Any
    _insert: Any
    targetctx: Any

    def __init__(self, py_func, locals=None, targetoptions=None) -> None:
        super().__init__(py_func, locals, targetoptions, pipeline_class=PieceCompiler)
        self.entries: dict[tuple, Any] = {}
        self._cache = KernelCache(self)
        self._piece_cache = PieceCache(self)
        self._unit_cache = UnitCache(self)
        self.apart = False  # whether it is machine code that callers jump to
        self.returns: types.Type | None = None  # where callers know no more of it (`runtime.later`)
        self._pieces: dict[tuple, Any] = {}
        kernels[self.place] = self

    @property
    def place(self) -> tuple[str, str]:
        """Module and name, by which kernels in the cache find those they call."""
        return self.py_func.__module__, self.py_func.__qualname__

    def get_call_template(self, args, kws):
        """For a caller: as Numba's, of a piece.

        A constant argument is taken as any number of its type and an integer as one of 64 bits,
        or every constant and every size would make a piece of its own. Only what cannot be
        compiled so keeps the constant.
        """
        pysig, args = self._compiler.fold_argument_types(args, kws)
        general = tuple(_general(a) for a in args)
        try:
            self.piece(general)
        except errors.TypingError:
            if general == tuple(args):
                raise
            self.piece(tuple(args))
        else:
            args = general
        template = make_concrete_template(
            f"CallTemplate({self.py_func.__name__})",
            key=self.py_func.__name__,
            signatures=self.nopython_signatures,
        )
        return template, pysig, args, {}

    @global_compiler_lock
    def piece(self, args: tuple) -> Any:
        """What callers link with: the piece for arguments of these types, or the stub of it."""
        if self.returns is None:
            return self.own_piece(args)
        if args not in self.overloads:
            self._known_to_callers(args, self._stub(args))
        return self.overloads[args]

    def _known_to_callers(self, args: tuple, result: Any) -> None:
        call: Any = calls.caller_of(result.fndesc, [result.library])
        self.targetctx._defns[result.entry_point].append(call, call.signature)
        self.overloads[args] = result

    def _stub(self, args: tuple) -> Any:
        description = later.describe(self.py_func, args, self.returns, number_of(self.py_func))
        library = later.stub(self.targetctx, description)
        library.kernel = (*self.place, args, description.mangled_name)
        library.is_stub = True
        library._ensure_finalized()
        return compiler.compile_result(
            typing_context=self.targetctx.typing_context, target_context=self.targetctx,
            library=library, fndesc=description, signature=self.returns(*args),  # type: ignore[misc]
            entry_point=object(), environment=None, objectmode=False, lifted=(),
            type_annotation="", reload_init=[],
        )  # fmt: skip

    def later(self, stub: PieceLibrary) -> Later:
        """What code with this stub of the kernel remembers of its unit."""
        assert stub.kernel is not None
        args, symbol = stub.kernel[2:]
        file = self._unit_cache.file_of(args, self.targetctx)
        made = Later(*self.place, symbol, file, dumps(args))
        later.known[symbol] = made
        return made

    def machine_code_of(self, wanted: Later) -> tuple[str, int]:
        """The symbol of the unit behind a stub, and how often it was compiled: not if loaded."""
        if wanted.symbol in later.units:
            return later.units[wanted.symbol], 0
        symbol, compiled = self._loaded_or_compiled(wanted)
        later.units[wanted.symbol] = symbol
        return symbol, compiled

    def _loaded_or_compiled(self, wanted: Later) -> tuple[str, int]:
        kept = self._unit_cache
        payload = None if wanted.file is None else kept.named(wanted.file)
        symbol = "" if payload is None else kept.load(self.targetctx, payload)
        if symbol:
            cache.loaded_units[wanted.file] = kept  # type: ignore[index]
            return symbol, 0
        args = pickle.loads(wanted.arguments)
        with nothing_changes(), _no_garbage_collection(), self._announced(args):
            return self.unit(args).symbol, 1

    @global_compiler_lock
    def own_piece(self, args: tuple, announced: Any = None) -> Any:
        """The piece for arguments of these types: known, from the cache or compiled.

        Its compilation is announced as an event of Numba, or what `announced` is entered.
        """
        if args in self._pieces:
            return self._pieces[args]
        with self._compiling_counter:
            result = self._piece_cache.load_overload(args, self.targetctx)
            if result is None:
                with announced or self._announced(args):
                    result = self._compile_piece(args)
                self._piece_cache.save_overload(args, result)
        # what callers know it by, without what is of use to nobody and takes most of the memory
        result = result._replace(entry_point=object(), type_annotation="", metadata={})
        result.fndesc.typemap = result.fndesc.calltypes = None
        result.library.apart = self.apart
        if self.returns is None:
            self._known_to_callers(args, result)
        self._pieces[args] = result
        return result

    def _announced(self, args: tuple) -> Any:
        details = {"dispatcher": self, "args": args, "return_type": None}
        return event.trigger_event("numba:compile", data=details)

    def _compile_piece(self, args: tuple) -> Any:
        try:
            result = self._compiler.compile(args, None)
            if self.returns not in (None, result.signature.return_type):
                self._check_declared(result.signature.return_type)
                result = self._compiler.compile(args, self.returns)
        except errors.ForceLiteralArg as literal:
            raise literal.bind_fold_arguments(
                lambda args, kws: self._compiler.fold_argument_types(args, kws)[1]
            ) from None
        result.library.kernel = (*self.place, args, result.fndesc.mangled_name)
        result.library._ensure_finalized()
        return result

    def _check_declared(self, returned: types.Type) -> None:
        """What is returned may differ from what was declared in constants only."""
        if _without_constants(returned) != _without_constants(self.returns):
            raise TypeError(f"{self.place} returns {returned}, declared is {self.returns}")

    @global_compiler_lock
    def compile(self, sig):
        """For Python: the function that takes and gives Python objects."""
        args = tuple(sigutils.normalize_signature(sig)[0])
        if args in self.entries:
            return self.entries[args].entry_point
        if not self._can_compile:
            raise RuntimeError("compilation disabled")
        result = self._cache.load_overload(sig, self.targetctx)
        if result is not None:
            self._cache_hits[sig] += 1
        else:
            self._cache_misses[sig] += 1
            with nothing_changes(), _no_garbage_collection(), self._announced(args):
                result = self._make_entry(self.own_piece(args, nullcontext()))
            self._cache.save_overload(sig, result)
        self.entries[args] = result
        self._insert([a._code for a in args], result.entry_point, False)
        return result.entry_point

    def _make_entry(self, piece: Any) -> Any:
        self.targetctx.refresh()  # where the piece was loaded, nothing was compiled before
        flags = compiler.Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        context = calls.with_convention(compiler._make_subtarget(self.targetctx, flags))
        library = EntryLibrary(context.codegen(), piece.library.name)
        with context.push_code_library(library):
            context.create_cpython_wrapper(
                library, piece.fndesc, piece.environment, None, release_gil=flags.release_gil
            )
        if self.apart:
            library.units = [self.unit(tuple(piece.signature.args))]
        else:
            library.units = _units_of(piece.library)
            library.later = _later_of(piece.library)
            library.link(piece.library)
        function = context.get_executable(library, piece.fndesc, piece.environment)
        _set_environments(library)
        return piece._replace(
            entry_point=function, library=library, reload_init=list(library._reload_init)
        )

    @global_compiler_lock
    def unit(self, args: tuple, *, wait: bool = True) -> Any:
        """The unit of a kernel that is `apart`: loaded, from the cache or compiled.

        None if another process compiles it now, which it only waits for if asked to.
        """
        piece, kept = self.own_piece(args, nullcontext()), self._unit_cache
        symbol = piece.fndesc.mangled_name
        if symbol not in loaded_units and not kept.load_overload(args, self.targetctx):
            with alone(kept.place(args), wait=wait) as mine:
                if not mine:
                    return None
                if not kept.load_overload(args, self.targetctx):
                    kept.save_overload(args, self._make_unit(piece))
        return Unit(*self.place, symbol, kept.file_of(args, self.targetctx))

    def _make_unit(self, piece: Any) -> Any:
        self.targetctx.refresh()
        library = UnitLibrary(self.targetctx.codegen(), piece.library.name)
        library.units = _units_of(piece.library)
        library.later = _later_of(piece.library)
        library.link(piece.library)
        library.finalize()
        loaded_units[piece.fndesc.mangled_name] = library
        _set_environments(library)
        return piece._replace(library=library)

    def load_unit(self, module: str, qualname: str, symbol: str, file: str) -> bool:
        """Load a unit that code of the cache jumps to; whether it is there."""
        if symbol in loaded_units:
            return True
        kernel = kernels.get((module, qualname))
        payload = None if kernel is None else kernel._unit_cache.named(file)
        if kernel is None or payload is None:
            return False
        cache.loaded_units[file] = kernel._unit_cache
        return kernel._unit_cache.load(self.targetctx, payload) == symbol


def _units_of(piece: PieceLibrary) -> list[Unit]:
    """The units below a piece, made ready: first those that no other process is at work on."""
    calls = [(kernels[below.kernel[:2]], below.kernel[2]) for below in piece.units_below()]  # type: ignore[index]
    for kernel, args in calls:
        kernel.unit(args, wait=False)
    return [kernel.unit(args) for kernel, args in calls]


def _later_of(piece: PieceLibrary) -> list[Later]:
    """The units behind the stubs of a piece and all below."""
    return [kernels[stub.kernel[:2]].later(stub) for stub in piece.stubs_below()]  # type: ignore[index]


def _set_environments(library: Any) -> None:
    """Let code find the globals of its functions."""
    for variable in library._final_module.global_variables:
        if variable.name.startswith(_ENVIRONMENT):
            environment = lookup_environment(variable.name)
            if environment is not None:
                library.codegen.set_env(variable.name, environment)


def _general(argument: types.Type) -> types.Type:
    """The type that stands for all constants and sizes of signed integers."""
    general = types.unliteral(argument)
    return types.int64 if general in types.signed_domain else general


def _without_constants(returned: Any) -> Any:
    """A type, or of a tuple those of its items, of which constants are any number of their type."""
    if isinstance(returned, types.BaseTuple):
        named = getattr(returned, "instance_class", None)
        items: Any = returned
        return named, [_without_constants(item) for item in items]
    return types.unliteral(returned)


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Compilation makes millions of objects that live; to look through them took a sixth of it."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
