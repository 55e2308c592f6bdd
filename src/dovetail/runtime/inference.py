"""Types of variables: `numba.core.typeinfer`, without work on what has not changed.

Numba tries all constraints between variables again until one round changes nothing. Here a
constraint is left out of a round if no variable in it has another type than when it was tried.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from numba.core import errors, typed_passes, typeinfer, types
from numba.core.compiler_machinery import register_pass


def _names(*variables: Any) -> tuple[str, ...]:
    return tuple(one if isinstance(one, str) else one.name for one in variables if one is not None)


def _of_call(call: Any) -> tuple[str, ...]:
    function = (call.func,) if isinstance(call.func, str) else ()
    named = [variable for _, variable in call.kws]
    return _names(call.target, *function, *call.args, *named, call.vararg)


def _of_operator(call: Any) -> tuple[str, ...]:
    return _names(call.target, *call.args)


_VARIABLES: dict[type, Callable[[Any], tuple[str, ...]]] = {  # of a kind of constraint
    typeinfer.Propagate: lambda one: _names(one.dst, one.src),
    typeinfer.ArgConstraint: lambda one: _names(one.dst, one.src),
    typeinfer.BuildTupleConstraint: lambda one: _names(one.target, *one.items),
    typeinfer.ExhaustIterConstraint: lambda one: _names(one.target, one.iterator),
    typeinfer.PairFirstConstraint: lambda one: _names(one.target, one.pair),
    typeinfer.PairSecondConstraint: lambda one: _names(one.target, one.pair),
    typeinfer.StaticGetItemConstraint: lambda one: _names(
        one.target, one.value, *(one.fallback.args if one.fallback else ())
    ),
    typeinfer.CallConstraint: _of_call,
    typeinfer.IntrinsicCallConstraint: _of_operator,
    typeinfer.GetAttrConstraint: lambda one: _names(one.target, one.value),
    typeinfer.SetItemConstraint: lambda one: _names(one.target, one.index, one.value),
    typeinfer.StaticSetItemConstraint: lambda one: _names(one.target, one.index_var, one.value),
}
_NOTED = {typeinfer.Propagate: "dst", typeinfer.GetAttrConstraint: "target"}  # to refine later


class _Watched(NamedTuple):
    """A constraint and the variables in it."""

    constraint: Any
    variables: list[Any]
    kinds: list[list[Any]]  # of the variables before it was tried last, if it was without an error
    noted: str | None  # the variable that it must be known for where that is refined


class Network(typeinfer.ConstraintNetwork):
    """Constraints, of which a round tries those whose variables have changed."""

    def __init__(self) -> None:
        super().__init__()
        self._watched: list[_Watched] = []

    def propagate(self, inferer: Any) -> list[Any]:
        """One round; returns the errors, as Numba's."""
        for constraint in self.constraints[len(self._watched) :]:
            names = _VARIABLES.get(type(constraint), lambda _: ())(constraint)
            variables = [inferer.typevars[name] for name in names]
            noted = _NOTED.get(type(constraint))
            target = None if noted is None else getattr(constraint, noted)
            self._watched.append(_Watched(constraint, variables, [], target))
        found: list[Any] = []
        with inferer.warnings.catch_warnings():
            for one in self._watched:
                found += _tried(one, inferer)
        return found


def _tried(one: _Watched, inferer: Any) -> list[Any]:
    before = [variable.type for variable in one.variables]
    if one.kinds and before and all(x is y for x, y in zip(before, one.kinds[0], strict=True)):
        if one.noted is not None:
            inferer.refine_map[one.noted] = one.constraint
        return []
    one.kinds.clear()
    try:
        one.constraint(inferer)
    except errors.ForceLiteralArg as error:
        return [error]
    except errors.TypingError as error:
        located = errors.TypingError(str(error), loc=one.constraint.loc, highlighting=False)
        located.__cause__ = error
        return [located]
    after = [variable.type for variable in one.variables]
    # again would find the same: it depends on its target only where types are not known in full
    known = all(kind is not None and kind.is_precise() for kind in after)
    if any(isinstance(kind, types.RecursiveCall) for kind in after):
        return []
    bound = any(isinstance(kind, types.BoundFunction) for kind in after)
    one.kinds.append(after if known and not bound else before)
    return []


class Inferer(typeinfer.TypeInferer):
    """As Numba's, with such a network."""

    def __init__(self, context: Any, func_ir: Any, warnings: Any) -> None:
        super().__init__(context, func_ir, warnings)
        self.constraints = Network()

    def get_state_token(self) -> list[Any]:
        """The types of all variables; they are never taken away."""
        return [variable.type for variable in self.typevars.values()]


@register_pass(mutates_CFG=True, analysis_only=False)
class InferTypes(typed_passes.NopythonTypeInference):
    """Types of all variables of a kernel."""

    _name = "dovetail_infer_types"

    def run_pass(self, state: Any) -> bool:
        warnings = errors.WarningsFixer(errors.NumbaWarning)  # type: ignore[attr-defined]
        inferer = Inferer(state.typingctx, state.func_ir, warnings)
        stack = state.typingctx.callstack
        with stack.register(state.targetctx.target, inferer, state.func_id, state.args), warnings:
            for index, (name, kind) in enumerate(zip(state.func_ir.arg_names, state.args)):
                inferer.seed_argument(name, index, kind)
            if state.return_type is not None:
                inferer.seed_return(state.return_type)
            for name, kind in (state.locals or {}).items():
                inferer.seed_type(name, kind)
            inferer.build_constraint()
            inferer.propagate()
            typemap, returned, calltypes = inferer.unify()
        if isinstance(returned, (types.Array, types.Function, types.Phantom)):
            return bool(super().run_pass(state))  # which not every kernel may return
        state.typemap, state.return_type, state.calltypes = typemap, returned, calltypes
        state.typing_errors = None
        return True
