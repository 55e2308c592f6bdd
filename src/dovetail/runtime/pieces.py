"""Code of kernels in two stages: pieces that are linked, and entries that Python calls.

Numba optimises every function together with all that it calls and makes machine code of both, on
every level of calls again: 97 of 166 s in front of the first step with intersection-free contact.
Here a kernel that other kernels call is a *piece*: LLVM code as lowered, neither optimised nor
machine code. A kernel that Python calls is an *entry*: it links its piece with all pieces below,
each once, and is optimised and made machine code as a whole.
"""

from collections.abc import Iterator

from llvmlite import binding as llvm  # type: ignore[import-untyped]
from numba.core.codegen import CPUCodeLibrary, JITCodeLibrary

_OURS = "_ZN8dovetail"  # begins the names of the functions of this package's kernels


class PieceLibrary(JITCodeLibrary):
    """The code of one kernel for some argument types, without that of the kernels it calls."""

    def __init__(self, codegen, name) -> None:
        super().__init__(codegen, name)
        self.kernel: tuple[str, str, tuple, str] | None = None  # module, name, arguments, symbol
        self.pieces: list[PieceLibrary] = []  # that this one calls

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

    def with_all_below(self) -> Iterator["PieceLibrary"]:
        """The piece and all that it calls, directly or not, each once."""
        seen, waiting = {self}, [self]
        while waiting:
            piece = waiting.pop()
            yield piece
            new = [below for below in piece.pieces if below not in seen]
            seen.update(new)
            waiting += new

    @property
    def own_module(self) -> llvm.ModuleRef:
        """The code of this piece alone."""
        self._ensure_finalized()
        return self._final_module

    def _get_module_for_linking(self) -> llvm.ModuleRef:
        """The code of this piece and of all below, for libraries that are Numba's own."""
        if self._shared_module is None:
            self._shared_module = _linked(self)
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


class EntryLibrary(JITCodeLibrary):
    """Machine code of a piece with all below and the wrapper that Python calls."""

    def link(self, piece: PieceLibrary) -> None:
        """Add the code of `piece` and of all that it calls."""
        for each in piece.with_all_below():
            self._reload_init.update(each._reload_init)
        self._final_module.link_in(_linked(piece))

    def _verify_declare_only_symbols(self) -> None:
        """Refuse code that would jump to nowhere."""
        super()._verify_declare_only_symbols()
        for function in self._final_module.functions:
            if function.is_declaration and function.name.startswith(_OURS):
                raise AssertionError(f"{self.name} lacks the code of {function.name}")

    def _optimize_final_module(self) -> None:
        """All of LLVM's passes once.

        Numba runs some of them before, so that counts of references that cancel meet in one
        function and go; kernels in which that would pay are made by `jit_in_place`.
        """
        manager, builder = self._codegen._module_pass_manager()
        manager.run(self._final_module, builder)


def _linked(piece: PieceLibrary) -> llvm.ModuleRef:
    """A module of a piece with all below, two and two: LLVM looks through what it links to."""
    modules = [each.own_module.clone() for each in piece.with_all_below()]
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
