"""Kernels up to LLVM code as lowered (`runtime.pieces`): how they are compiled and kept."""

import pickle
import weakref
from typing import Any

from numba.core import compiler
from numba.core.serialize import dumps

from dovetail.runtime.cache import KernelCache
from dovetail.runtime.fingerprint import NoFingerprintError, fingerprint
from dovetail.runtime.front_end import RefreshedOnImport, Typing, TypingOnce, is_plain, shortened
from dovetail.runtime.pieces import PieceLibrary

_DIGITS = 15  # hexadecimal, of the fingerprint, in the name of a symbol

_pipelines: dict[tuple[bool, str], list] = {}  # by whether a kernel is plain, and its options
kernels: weakref.WeakValueDictionary[tuple[str, str], Any] = weakref.WeakValueDictionary()


def number_of(function: Any) -> int:
    """What symbols of a function are named by: its content."""
    return int(fingerprint(function)[:_DIGITS], 16)


class PieceCompiler(compiler.Compiler):
    """Numba's compiler up to LLVM code as lowered; symbols are named by content."""

    def __init__(self, typingctx, targetctx, library, args, return_type, flags, locals) -> None:
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        typing, target = TypingOnce(typingctx, flags), RefreshedOnImport(targetctx)
        super().__init__(typing, target, library, args, return_type, flags, locals)
        self.state.targetctx.refresh = target.refresh  # else at every subscript by a constant
        self.state.targetctx.typing_context = Typing(typingctx)

    def define_pipelines(self):
        plain = is_plain(self.state.func_id.func)
        key = plain, repr(sorted(self.state.flags.values().items()))
        if key not in _pipelines:
            _pipelines[key] = [shortened(each, plain=plain) for each in super().define_pipelines()]
        return _pipelines[key]

    def _compile_bytecode(self):
        function = self.state.func_id
        self.state.library = PieceLibrary(self.state.targetctx.codegen(), function.func_qualname)
        try:
            function.unique_id = number_of(function.func)
        except NoFingerprintError:
            pass
        else:
            function.unique_name = f"{function.func_qualname}${function.unique_id}"
        return super()._compile_bytecode()


class PieceCache(KernelCache):
    """Pieces on disk; each names the pieces that it calls."""

    suffix = ".nbp"

    def _reduced(self, data) -> bytes:
        library, description = data.library, data.fndesc
        description.typemap = description.calltypes = None
        below = [piece.kernel for piece in library.pieces]
        return dumps((
            library.name, library.as_bytes(), library.kernel, below, list(library._reload_init),
            description, data.environment, data.signature,
        ))  # fmt: skip

    def _rebuilt(self, target_context, payload: bytes) -> Any:
        name, code, kernel, below, reload_init, description, environment, signature = pickle.loads(
            payload
        )
        pieces = []
        for module, qualname, args, symbol in below:
            called = kernels.get((module, qualname))
            if called is None or called.piece(args).fndesc.mangled_name != symbol:
                return None
            pieces.append(called.piece(args).library)
        for function in reload_init:
            function()
        library = PieceLibrary.from_bytes(target_context.codegen(), name, code, kernel, pieces)
        library._reload_init.update(reload_init)
        return compiler.compile_result(
            typing_context=target_context.typing_context, target_context=target_context,
            library=library, environment=environment, fndesc=description, signature=signature,
            objectmode=False, lifted=(), type_annotation="", reload_init=reload_init,
        )  # fmt: skip
