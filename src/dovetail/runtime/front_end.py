"""Some parts of Numba's front end, faster: what they compute is the same.

`python benchmarks/compile_times.py ipc`: more than half of the time in front of a first step is the
front end, bytecode to LLVM code. It is spread over all passes. Of the 18 functions of
`multibody.loads.wrenches.wrenches` 7 % went into asking every template of an operator whether it
takes two floats, for every `a + b` again (now 1 %), and 5 % into the analysis of lifetimes, nine
times for each function (now 4 %). Templates that do not fit make messages, which nobody sees.

The replacements are local to Numba's functions of the same name and fall back to them. They are
made only for versions of Numba that were looked at; others compile at their own pace.
"""

from typing import Any
from weakref import WeakKeyDictionary

import numba
from numba.core import analysis, errors, ir, targetconfig
from numba.core.types.functions import BaseFunction

NUMBA = ("0.68",)  # versions looked at

_NOTHING, _VARIABLE, _INSTRUCTION, _SEQUENCE, _MAPPING = range(5)
_kinds: dict[type, int] = {}  # of values in instructions
_resolved: WeakKeyDictionary[Any, dict[Any, Any]] = WeakKeyDictionary()  # by function type
_PLAIN = "\x1b[0m"
_resolve = BaseFunction.get_call_type
_list_uses = analysis.compute_use_defs


def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
    """The signature of a built-in function for arguments of such types; asked for once.

    Depends on the flags of compilation too, as implementations of overloads do. What fails is not
    remembered.
    """
    if kws:
        return _resolve(self, context, args, kws)
    flags = targetconfig.ConfigStack.top_or_none()
    try:
        key = (context, tuple(args), _content(flags))
        remembered = _resolved.setdefault(self, {})
        found = remembered.get(key)
    except TypeError:  # a type that cannot be hashed
        return _resolve(self, context, args, kws)
    if found is None:
        signature = _resolve(self, context, args, kws)
        if signature is not None:
            remembered[key] = signature, self._impl_keys[signature.args]
        return signature
    signature, implementation = found
    self._impl_keys[signature.args] = implementation
    return signature.replace()


def _content(flags: Any) -> Any:
    """Options of compilation as something that can be a key: some are objects without a hash."""
    if flags is None:
        return None
    items = flags._values.items()
    return tuple((name, v if isinstance(v, bool | str) else repr(v)) for name, v in items)


def list_vars(values: Any) -> list[ir.Var]:
    """All variables among some values of an instruction, in their order."""
    found: list[ir.Var] = []
    for value in values:
        kind = _kinds.get(type(value))
        if kind is None:
            kind = _kinds[type(value)] = _kind(type(value))
        if kind == _NOTHING:
            continue
        if kind == _VARIABLE:
            found.append(value)
        elif kind == _INSTRUCTION:
            found += value.list_vars()
        else:
            found += list_vars(value if kind == _SEQUENCE else value.values())
    return found


def _kind(kind: type) -> int:
    """In the order in which `Inst._rec_list_vars` asks."""
    for base, number in (
        (ir.Var, _VARIABLE), (ir.Inst, _INSTRUCTION), ((list, tuple), _SEQUENCE), (dict, _MAPPING),
    ):  # fmt: skip
        if issubclass(kind, base):
            return number
    return _NOTHING


def compute_use_defs(blocks: Any) -> Any:
    """Variables that each block uses before it defines them, and that it defines."""
    if analysis.ir_extension_usedefs:
        return _list_uses(blocks)
    used: dict[Any, set[str]] = {}
    defined: dict[Any, set[str]] = {}
    for offset, block in blocks.items():
        uses = used[offset] = set()
        definitions = defined[offset] = set()
        for statement in block.body:
            if isinstance(statement, ir.Assign):
                right = {variable.name for variable in list_vars((statement.value,))}
                if statement.target.name not in right:
                    definitions.add(statement.target.name)
            else:
                right = {variable.name for variable in statement.list_vars()}
            uses |= right - definitions
    return analysis._use_defs_result(usemap=used, defmap=defined)


def markup(self: Any, text: str, color: str | None = None, style: str = "\x1b[1m") -> str:
    """A part of an error message as terminals show it: most messages are never shown."""
    return f"{color or ''}{style or ''}{text}{_PLAIN}"


def _of_statement(self: Any) -> list[ir.Var]:
    return list_vars(self.__dict__.values())


def _of_expression(self: Any) -> list[ir.Var]:
    return list_vars(self._kws.values())


def quicken() -> None:
    """Let Numba use these."""
    if numba.__version__.rpartition(".")[0] not in NUMBA:
        return
    BaseFunction.get_call_type = get_call_type  # type: ignore[method-assign]
    ir.Stmt.list_vars = _of_statement  # type: ignore[method-assign]
    ir.Expr.list_vars = _of_expression  # type: ignore[method-assign]
    analysis.compute_use_defs = compute_use_defs
    scheme = type(errors.termcolor())
    if hasattr(scheme, "_markup"):  # it sets up the terminal for each message (colorama)
        scheme._markup = markup
