"""Numba's way from bytecode to LLVM code, without work that plain kernels do not need.

Numba finds the lifetimes of all variables after each of eight passes, though only the last result
is used; looks for array expressions, lists and functions within functions where there are none;
and tries all that is known of an operator at every place where it is written. Kernels are loops
over numbers, in which the same few operators meet the same few types thousands of times. What is
lowered is the same, to the letter.
"""

import dis
import operator
import sys
from types import BuiltinFunctionType, CodeType
from typing import Any, ClassVar

from numba.core import errors, event, imputils, ir, transforms, typed_passes, types, untyped_passes
from numba.core.compiler_machinery import FunctionPass, PassManager, register_pass
from numba.core.ir_utils import build_definitions
from numba.core.rewrites.registry import rewrite_registry
from numba.core.typing import templates

from dovetail.runtime.inference import InferTypes
from dovetail.runtime.lowering import LowerKernel
from dovetail.runtime.single_assignment import reconstruct

_LISTS_AND_SETS = ("BUILD_LIST", "BUILD_SET", "BUILD_MAP", "LIST_EXTEND")
_MAKES_ARRAYS = ("binop", "unary", "inplace_binop", "call")  # that could be one loop together


class Typing:
    """A typing context that finds operators at once, and looks for new ones where there may be."""

    def __init__(self, context: Any) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def __eq__(self, other: object) -> bool:
        """Numba keeps what it compiles by the context: this one is the same."""
        return self._context is getattr(other, "_context", other)

    def __hash__(self) -> int:
        return hash(self._context)

    def refresh(self) -> None:
        """Take up declarations that are new."""
        _refresh(self._context)

    def resolve_value_type(self, val: Any) -> Any:
        """The type of a constant; those of operators are looked up before all else."""
        if isinstance(val, BuiltinFunctionType):
            found = self._context._lookup_global(val)
            if found is not None:
                return found
        return self._context.resolve_value_type(val)


class TypingOnce(Typing):
    """A typing context that finds the signature of an operator for the same types once.

    Of functions that Numba knows only: their types name their templates, so one that was extended
    since is another type. What fails is tried again.
    """

    _signatures: ClassVar[dict[tuple, Any]] = {}

    def __init__(self, context: Any, flags: Any) -> None:
        super().__init__(context)
        self._flags = repr(sorted(flags.values().items()))  # overloads are compiled with them

    def resolve_function_type(self, func: Any, args: tuple, kws: dict) -> Any:
        """The signature of a call; its arguments are typed."""
        if not _is_of_numba(func):
            return self._context.resolve_function_type(func, args, kws)
        key = (self._flags, func, tuple(args), tuple(kws.items()))
        found, implementation = self._signatures.get(key, (None, None))
        if found is None:
            found = self._context.resolve_function_type(func, args, kws)
            if found is not None:
                self._signatures[key] = found, func._impl_keys.get(found.args)
        elif implementation is not None:  # of these flags; the last one found would be lowered
            func._impl_keys[found.args] = implementation
        return found

    def resolve_static_getitem(self, value: Any, index: Any) -> Any:
        """The signature of a subscript that is constant."""
        if not isinstance(index, int):
            return self._context.resolve_static_getitem(value, index)
        key = (self._flags, value, type(index), index)
        if key not in self._signatures:
            found = self._context.resolve_static_getitem(value, index)
            if found is None:
                return None
            self._signatures[key] = found, None
        return self._signatures[key][0]

    def resolve_setitem(self, target: Any, index: Any, value: Any) -> Any:
        """The signature of an assignment to an item."""
        function = self.resolve_value_type(operator.setitem)
        return self.resolve_function_type(function, (target, index, value), {})


class RefreshedOnImport:
    """A target context that looks for new declarations only where there may be some."""

    def __init__(self, context: Any) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def refresh(self) -> None:
        """Take up declarations that are new."""
        _refresh(self._context)


_known_at_refresh: dict[int, int] = {}  # by context, which live as long as the process


def _refresh(context: Any) -> None:
    """Without new modules or declarations it would look through thirty of Numba's for nothing."""
    if _known_at_refresh.get(id(context)) != _known(context):
        context.refresh()
        _known_at_refresh[id(context)] = _known(context)


def _known(context: Any) -> int:
    """How many modules and declarations there are; intrinsics are declared as they are typed."""
    typed = sum(len(registry.functions) for registry in context._registries)
    return len(sys.modules) + sum(map(len, _declarations())) + typed


def _declarations() -> tuple[list, ...]:
    """What `numba.extending` adds to."""
    signatures, code = templates.builtin_registry, imputils.builtin_registry
    lists = (code.functions, code.getattrs, code.setattrs, code.casts, code.constants)
    return signatures.functions, signatures.attributes, signatures.globals, *lists


def _is_of_numba(function: Any) -> bool:
    return isinstance(function, types.Function)


def is_plain(function: Any) -> bool:
    """Whether a function has no functions within, no generator expressions, lists or sets."""
    code = function.__code__
    return not (
        any(isinstance(constant, CodeType) for constant in code.co_consts)
        or any(step.opname in _LISTS_AND_SETS for step in dis.get_instructions(code))
        or "reduce" in code.co_names
    )


class Passes(PassManager):
    """Numba's passes, without a clock, a text of all types and a search for errors at each."""

    def _runPass(self, index: int, pss: Any, internal_state: Any) -> None:
        if event._registered["numba:run_pass"]:
            super()._runPass(index, pss, internal_state)
            return
        pss.analysis = self._analysis
        with errors.new_error_context("Pass {name}", name=pss.name()):  # type: ignore[attr-defined]
            pss.run_initialization(internal_state)
            pss.run_pass(internal_state)
            pss.run_finalizer(internal_state)


def shortened(manager: PassManager, *, plain: bool) -> PassManager:
    """Numba's passes, of which some are replaced; in `plain` kernels also by shorter ones."""
    replaced = _REPLACED | _SHORTER if plain else _REPLACED
    left_out = _LEFT_OUT if plain else ()
    made = Passes(manager.pipeline_name)
    made.passes = [
        (replaced.get(each, each), text) for each, text in manager.passes if each not in left_out
    ]
    made.finalize()
    return made


def _rewrite(kind: str, state: Any) -> None:
    """As `rewrite_registry.apply`, without lifetimes."""
    blocks = state.func_ir.blocks
    for rewrite_class in rewrite_registry.rewrites[kind]:
        rewrite = rewrite_class(state)
        waiting = list(blocks.items())
        while waiting:
            label, block = waiting.pop()
            if rewrite.match(state.func_ir, block, state.typemap, state.calltypes):
                blocks[label] = rewrite.apply()
                waiting.append((label, blocks[label]))
    state.func_ir.blocks = transforms.canonicalize_cfg(blocks)


class _Shorter(FunctionPass):
    def __init__(self) -> None:
        FunctionPass.__init__(self)


@register_pass(mutates_CFG=True, analysis_only=False)
class RewriteConstants(_Shorter):
    """Subscripts, powers and exceptions that are constant."""

    _name = "dovetail_rewrite_constants"

    def run_pass(self, state: Any) -> bool:
        _rewrite("before-inference", state)
        return True


@register_pass(mutates_CFG=False, analysis_only=False)
class AssignOnce(untyped_passes.ReconstructSSA):
    """A variable of its own for every assignment."""

    _name = "dovetail_assign_once"

    def run_pass(self, state: Any) -> bool:
        state.func_ir.blocks = reconstruct(state.func_ir.blocks)
        self._patch_locals(state)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return True


@register_pass(mutates_CFG=False, analysis_only=False)
class MergeVariables(typed_passes.PreLowerStripPhis):
    """The way back: assignments in place of phi nodes."""

    _name = "dovetail_merge_variables"

    def run_pass(self, state: Any) -> bool:
        state.func_ir = self._strip_phi_nodes(state.func_ir)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        state.func_ir.blocks = transforms.canonicalize_cfg(state.func_ir.blocks)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class RewriteArrays(typed_passes.NopythonRewrites):
    """Array expressions become loops, where there are any."""

    _name = "dovetail_rewrite_arrays"

    def run_pass(self, state: Any) -> bool:
        if _may_have_array_expressions(state.func_ir, state.typemap):
            return bool(super().run_pass(state))
        return True


def _may_have_array_expressions(func_ir: Any, typemap: dict[str, Any]) -> bool:
    if any(isinstance(kind, types.StringLiteral) for kind in typemap.values()):
        return True
    return any(
        isinstance(assign.value, ir.Expr)
        and assign.value.op in _MAKES_ARRAYS
        and isinstance(typemap[assign.target.name], types.Array)
        for block in func_ir.blocks.values()
        for assign in block.find_insts(ir.Assign)
    )


_REPLACED: dict[type, type] = {
    typed_passes.NativeLowering: LowerKernel,
    typed_passes.NopythonTypeInference: InferTypes,
}
_SHORTER: dict[type, type] = {
    untyped_passes.GenericRewrites: RewriteConstants,
    untyped_passes.ReconstructSSA: AssignOnce,
    typed_passes.PreLowerStripPhis: MergeVariables,
    typed_passes.NopythonRewrites: RewriteArrays,
}
_LEFT_OUT = (untyped_passes.InlineClosureLikes,)
