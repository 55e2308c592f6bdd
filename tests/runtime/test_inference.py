"""Types are those that Numba infers, with fewer tries."""

import pytest
from numba import types
from numba.core import config, errors, typeinfer
from numba.core.registry import cpu_target
from test_single_assignment import _assigned_on_one_path, _loops, _while, blocks_of

from dovetail.runtime import inference
from dovetail.runtime.single_assignment import reconstruct

pytestmark = pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")
ARGUMENTS = (types.float64[:, ::1], types.float64[::1])


def inferred(function, kind, monkeypatch):
    """Types of all variables, of what is returned, and how many constraints were tried."""
    from numba.core import bytecode, interpreter

    identity = bytecode.FunctionIdentity.from_function(function)
    code = interpreter.Interpreter(identity).interpret(bytecode.ByteCode(identity))
    code.blocks = reconstruct(code.blocks)
    context = cpu_target.typing_context
    context.refresh()
    inferer = kind(context, code, errors.WarningsFixer(errors.NumbaWarning))
    for index, (name, argument) in enumerate(zip(code.arg_names, ARGUMENTS, strict=True)):
        inferer.seed_argument(name, index, argument)
    inferer.build_constraint()
    tried = []
    for constraint in {type(one) for one in inferer.constraints.constraints}:
        if "__call__" in vars(constraint):
            monkeypatch.setattr(constraint, "__call__", counted(constraint.__call__, tried))
    inferer.propagate()
    kinds, returned, _ = inferer.unify()
    monkeypatch.undo()
    return dict(kinds), returned, len(tried)


def counted(function, tried):
    def call(self, inferer):
        tried.append(self)
        return function(self, inferer)

    return call


@pytest.mark.parametrize("function", [_loops, _while, _assigned_on_one_path])
def test_types_are_those_of_numba_with_fewer_tries(function, monkeypatch):
    assert blocks_of(function)
    wanted, returned, times = inferred(function, typeinfer.TypeInferer, monkeypatch)
    kinds, same, fewer = inferred(function, inference.Inferer, monkeypatch)
    assert kinds == wanted
    assert same == returned
    assert fewer < 0.6 * times


def test_what_cannot_be_typed_is_an_error(monkeypatch):
    def wrong(rows, weights):
        return rows.nothing_of_the_kind + weights[0]

    with pytest.raises(errors.TypingError, match="nothing_of_the_kind"):
        inferred(wrong, inference.Inferer, monkeypatch)
