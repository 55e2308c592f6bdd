"""Code of kernels in stages: pieces that are linked, and entries that Python calls.

Numba optimises every function together with all that it calls and makes machine code of both, on
every level of calls again: 97 of 166 s in front of the first step with intersection-free contact.
Here a kernel that other kernels call is a *piece*: LLVM code as lowered, neither optimised nor
machine code. A kernel that Python calls is an *entry*: it links its piece with all pieces below,
each once, and is optimised and made machine code as a whole.

A large kernel below several entries would be optimised in each. One that is marked `apart` is a
*unit*: it is optimised once, with what is below it up to the next unit, and entries jump to it.
Units that not every scene needs are asked for when they are called (`runtime.later`).
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from llvmlite import binding as llvm  # type: ignore[import-untyped]
from numba.core.codegen import CPUCodeLibrary, JITCodeLibrary

_OURS = "_ZN8dovetail"  # begins the names of the functions of this package's kernels


class PieceLibrary(JITCodeLibrary):
    """The code of one kernel for some argument types, without that of the kernels it calls."""

    def __init__(self, codegen, name) -> None:
        super().__init__(codegen, name)
        self.kernel: tuple[str, str, tuple, str] | None = None  # module, name, arguments, symbol
        self.pieces: list[PieceLibrary] = []  # that this one calls
        self.apart = False  # whether callers jump to it (a unit)
        self.is_stub = False  # whether it only asks for a unit (`runtime.later`)

    def add_linking_library(self, library) -> None:
        self._linking_libraries.append(library)

    def _optimize_functions(self, ll_module) -> None:
        """Left to the entry, where every function is optimised in its place."""
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        """Take over the code of Numba's own functions; other pieces stay by themselves."""
        self._raise_if_finalized()
        for library in self._linking_libraries:
            self._take(library, set())
        self._remove_dead_code()
        self._finalize_dynamic_globals()
        self._finalized = True

    def _remove_dead_code(self) -> None:
        """Without it, variables hold addresses of other kernels, which could not be kept."""
        builder = self._codegen._pass_builder(opt=0)
        manager = llvm.create_new_module_pass_manager()
        manager.add_sroa_pass()
        manager.add_dead_code_elimination_pass()
        manager.add_global_dead_code_eliminate_pass()
        manager.run(self._final_module, builder)

    def _take(self, library: CPUCodeLibrary, seen: set[CPUCodeLibrary]) -> None:
        if library in seen:
            return
        seen.add(library)
        if isinstance(library, PieceLibrary):
            if library not in self.pieces:
                self.pieces.append(library)
            return
        self._reload_init.update(library._reload_init)
        if library._finalized:
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
            return
        module = library._final_module.clone()
        _allow_several_definitions(module)
        self._final_module.link_in(module)
        for below in library._linking_libraries:
            self._take(below, seen)

    def with_all_below(self, *, through_units: bool = False) -> Iterator["PieceLibrary"]:
        """The piece and all that it calls, directly or not, each once.

        Without units and what only they call, unless `through_units`.
        """
        seen, waiting = {self}, [self]
        while waiting:
            piece = waiting.pop()
            yield piece
            new = [
                below
                for below in piece.pieces
                if below not in seen and (through_units or not below.apart)
            ]
            seen.update(new)
            waiting += new

    def units_below(self) -> "list[PieceLibrary]":
        """The units that the code of `with_all_below` jumps to, each once."""
        called = (below for piece in self.with_all_below() for below in piece.pieces)
        return list(dict.fromkeys(below for below in called if below.apart))

    def stubs_below(self) -> "list[PieceLibrary]":
        """The stubs that are part of the code of `with_all_below`, each once."""
        return [piece for piece in self.with_all_below() if piece.is_stub]

    @property
    def own_module(self) -> llvm.ModuleRef:
        """The code of this piece alone."""
        self._ensure_finalized()
        return self._final_module

    def _get_module_for_linking(self) -> llvm.ModuleRef:
        """The code of this piece and of all below, for libraries that are Numba's own."""
        if self._shared_module is None:
            self._shared_module = _linked(self.with_all_below(through_units=True))
        return self._shared_module

    def get_pointer_to_function(self, name) -> int:
        raise AssertionError(f"{self.name} is a piece, which has no machine code")

    def as_bytes(self) -> bytes:
        """The code of this piece alone, to keep."""
        return bytes(self.own_module.as_bitcode())

    @classmethod
    def from_bytes(cls, codegen, name, code: bytes, kernel, pieces) -> "PieceLibrary":
        """A piece that was kept, with the pieces that it calls."""
        library = cls(codegen, name)
        library._final_module = llvm.parse_bitcode(code)
        library._final_module.get_function(kernel[-1]).linkage = "external"
        library.kernel = kernel
        library.pieces = list(pieces)
        library._finalized = True
        return library


class Unit(NamedTuple):
    """What code that jumps to a unit remembers of it."""

    module: str
    qualname: str
    symbol: str
    file: str | None  # in the cache; None if it cannot be kept


class MachineCode(JITCodeLibrary):
    """What entries and units have in common."""

    def __init__(self, codegen, name) -> None:
        super().__init__(codegen, name)
        self.enable_object_caching()
        self.units: list[Unit] = []  # that it jumps to
        self.later: list[Any] = []  # units that it asks for when it calls them (`runtime.later`)

    def link(self, piece: PieceLibrary) -> None:
        """Add the code of `piece` and of all that it calls, without units."""
        for each in piece.with_all_below():
            self._reload_init.update(each._reload_init)
        self._final_module.link_in(self._all_of(piece))

    def _all_of(self, piece: PieceLibrary) -> llvm.ModuleRef:
        return _linked(piece.with_all_below())

    def _verify_declare_only_symbols(self) -> None:
        """Refuse code that would jump to nowhere."""
        super()._verify_declare_only_symbols()
        for function in self._final_module.functions:
            name = function.name
            if function.is_declaration and name.startswith(_OURS) and name not in loaded_units:
                raise AssertionError(f"{self.name} lacks the code of {name}")

    def _optimize_final_module(self) -> None:
        """All of LLVM's passes once.

        Numba runs some of them before, so that counts of references that cancel meet in one
        function and go; kernels in which that would pay are made by `jit_in_place`.
        """
        manager, builder = self._codegen._module_pass_manager()
        manager.run(self._final_module, builder)


class EntryLibrary(MachineCode):
    """Machine code of a piece with all below and the wrapper that Python calls."""


class UnitLibrary(MachineCode):
    """Machine code of a piece with all below, which entries and other units jump to."""

    def _all_of(self, piece: PieceLibrary) -> llvm.ModuleRef:
        assert piece.kernel is not None
        module = super()._all_of(piece)
        module.get_function(piece.kernel[-1]).linkage = "external"
        return module


loaded_units: dict[str, MachineCode] = {}  # by symbol; they stay, as code may jump to them


def _linked(pieces: Iterable[PieceLibrary]) -> llvm.ModuleRef:
    """A module of some pieces, two and two: LLVM looks through what it links to."""
    modules = [each.own_module.clone() for each in pieces]
    while len(modules) > 1:
        for one, other in zip(modules[::2], modules[1::2], strict=False):
            one.link_in(other)
        modules = modules[::2]
    _allow_several_definitions(modules[0])
    return modules[0]


def _allow_several_definitions(module: llvm.ModuleRef) -> None:
    """Let functions be defined in several modules, inlined, and dropped where nothing calls them.

    As `CPUCodeLibrary._get_module_for_linking`.
    """
    for function in module.functions:
        if not function.is_declaration and function.linkage == llvm.Linkage.external:
            function.linkage = "linkonce_odr"
