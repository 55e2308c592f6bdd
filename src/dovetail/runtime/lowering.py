"""From Numba's typed code to LLVM code, without what plain kernels do not need.

Numba looks again for the code of an operator wherever it is written, and in kernels that
count no references it still loads a variable before each assignment and clears it after its last
use, for references that are not there. How kernels call each other: `runtime.calls`.
"""

import operator
from typing import Any

from llvmlite import ir as llvm_ir  # type: ignore[import-untyped]
from numba.core import cgutils, errors, ir, lowering, typed_passes, types
from numba.core.compiler_machinery import register_pass

from dovetail.runtime import calls

_signatures: dict[tuple, Any] = {}  # of operators, by options of a kernel and types


class KernelLower(lowering.Lower):
    """As Numba's; plain kernels call each other by `runtime.calls`."""

    def setup_function(self, fndesc: Any) -> None:
        self.function = calls.declare(self.context, self.module, fndesc)
        self.entry_block = self.function.append_basic_block("entry")
        self.builder = llvm_ir.IRBuilder(self.entry_block)
        self.call_helper = self.call_conv.init_call_helper(self.builder)
        if not self.func_ir.func_id.func.__code__.co_exceptiontable:
            calls.pass_errors_on(self.builder)
        self._counts = self.context.enable_nrt
        self._options = repr(sorted(self.flags.values().items()))
        self._given: dict[str, llvm_ir.Value] = {}  # addresses of arguments, by variable

    def extract_function_arguments(self) -> Any:
        self.fnargs = calls.arguments_of(self.context, self.builder, self.fndesc)
        self._find_given()
        return self.fnargs

    def _find_given(self) -> None:
        """Large records that are assigned once stay where they are, and are passed on from there.

        With references they are cleared after their last use, so only arguments are.
        """
        times: dict[str, int] = {}
        for block in self.blocks.values():
            for assign in block.find_insts(ir.Assign):
                name, value = assign.target.name, assign.value
                times[name] = times.get(name, 0) + 1
                if not isinstance(value, ir.Arg) or self.fnargs[value.index] is None:
                    continue
                at = calls.address_of(self.builder, self.fnargs[value.index])
                if at is not None and self.typeof(name) == self.fndesc.argtypes[value.index]:
                    self._given[name] = at
        self._given = {name: at for name, at in self._given.items() if times[name] == 1}
        self._stay = {
            name
            for name, often in times.items()
            if often == 1 and not self._counts and calls.is_by_address(self.typeof(name))
        }

    def loadvar(self, name: str) -> llvm_ir.Value:
        value = super().loadvar(name)
        if name in self._given:
            calls.is_at(self.builder, value, self._given[name])
        elif name in self._stay and name in self.varmap:
            calls.is_at(self.builder, value, self.varmap[name])
        return value

    def lower_block(self, block: Any) -> None:
        self.pre_block(block)
        for inst in block.body:
            if isinstance(inst, ir.Del) and not self._counts:
                continue
            self.loc = inst.loc
            try:
                self.lower_inst(inst)
            except errors.NumbaError:
                where = {"inst": inst, "loc": inst.loc}
                with errors.new_error_context('lowering "{inst}" at {loc}', **where):  # type: ignore[attr-defined]
                    raise
        self.post_block(block)

    def debug_print(self, msg: str) -> None:
        """Numba's would make a text of every instruction."""

    def alloca_lltype(self, name: str, lltype: llvm_ir.Type, datamodel: Any = None) -> Any:
        return cgutils.alloca_once(self.builder, lltype, name=name, zfill=False)

    def storevar(self, value: llvm_ir.Value, name: str, argidx: int | None = None) -> None:
        if self._counts:
            super().storevar(value, name, argidx)
            return
        self._alloca_var(name, self.typeof(name))
        if name in self._singly_assigned_vars:
            self._blk_local_varmap[name] = value
        else:
            self.builder.store(value, self.getvar(name))

    def lower_binop(self, resty: Any, expr: Any, op: Any) -> Any:
        function = self.context.typing_context.resolve_value_type(op)
        signature = self.fndesc.calltypes[expr]
        values = tuple(
            self.context.cast(self.builder, self.loadvar(one.name), self.typeof(one.name), kind)
            for one, kind in zip((expr.lhs, expr.rhs), signature.args, strict=True)
        )
        value = None
        constants = expr.static_lhs, expr.static_rhs
        if constants != (ir.UNDEFINED, ir.UNDEFINED):
            value = self._with_constants(function, expr, constants, values)
        if value is None:
            value = self._code_of(function, signature.args)(self.builder, values)
        return self.context.cast(self.builder, value, signature.return_type, resty)

    def _with_constants(self, function: Any, expr: Any, constants: tuple, values: tuple) -> Any:
        """What an operator gives by code for constants; None where it has none."""
        left, right = self.typeof(expr.lhs.name), self.typeof(expr.rhs.name)
        kinds = tuple(
            None if one is ir.UNDEFINED else lowering._lit_or_omitted(one) for one in constants
        )
        for types_, given in (
            (kinds, constants),
            ((kinds[0], right), (constants[0], values[1])),
            ((left, kinds[1]), (values[0], constants[1])),
        ):
            if None in types_:
                continue
            try:
                return self._code_of(function, types_)(self.builder, given)
            except (errors.TypingError, NotImplementedError):
                continue
        return None

    def lower_getitem(self, resty: Any, expr: Any, value: Any, index: Any, signature: Any) -> Any:
        function = self.context.typing_context.resolve_value_type(operator.getitem)
        given = [
            self.context.cast(self.builder, self.loadvar(one.name), self.typeof(one.name), kind)
            for one, kind in zip((value, index), signature.args, strict=True)
        ]
        item = self._code_of(function, signature.args)(self.builder, given)
        return self.context.cast(self.builder, item, signature.return_type, resty)

    def _code_of(self, function: Any, kinds: tuple) -> Any:
        """What lowers a call of an operator for some types; looked for once."""
        found: Any
        if type(function) is not types.Function:
            found = function.get_call_type(self.context.typing_context, kinds, {})
            return self.context.get_function(function, found)
        key, known = (self._options, function, kinds), vars(function)["_impl_keys"]
        if key not in _signatures:
            try:
                found = function.get_call_type(self.context.typing_context, kinds, {})
            except errors.TypingError as error:
                _signatures[key] = error, None
            else:
                _signatures[key] = found, known[found.args]
        found, implementation = _signatures[key]
        if implementation is None:
            raise found.with_traceback(None)
        known[found.args] = implementation
        return self.context.get_function(function, found)

    def _lower_call_RecursiveCall(self, fnty: Any, expr: Any, signature: Any) -> Any:
        if fnty.get_overloads(signature.args).uid != self.fndesc.uid:
            raise errors.UnsupportedError("kernels that call each other in a circle")
        given = self.fold_call_args(fnty, signature, expr.args, expr.vararg, expr.kws)
        call = calls.caller_of(self.fndesc, ())
        return call(self.context, self.builder, signature, given)


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerKernel(typed_passes.BaseNativeLowering):
    """Typed code to LLVM code."""

    _name: Any = "dovetail_lower_kernel"

    @property
    def lowering_class(self) -> Any:
        return KernelLower
