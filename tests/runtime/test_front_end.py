"""The replaced parts of Numba's front end compute what Numba's own do."""

import numba
import pytest
from numba.core import analysis, bytecode, errors, interpreter, ir

from dovetail.linalg.vec3 import load3
from dovetail.runtime import front_end, warmup
from dovetail.runtime.jit import is_compiled_kernel, jit

pytestmark = pytest.mark.skipif(
    not is_compiled_kernel(jit(lambda x: x)), reason="kernels are plain Python"
)


def test_the_installed_version_was_looked_at():
    """Where this fails: compare `front_end` with the functions of the new version, then add it."""
    assert numba.__version__.rpartition(".")[0] in front_end.NUMBA


def functions():
    """Kernels of several kinds: loops, branches, tuples, calls with keywords."""
    from dovetail.collision.bvh import build
    from dovetail.linalg import so3, vec3

    for module in (vec3, so3, build, warmup):
        for value in vars(module).values():
            function = getattr(value, "py_func", None)
            if function is not None:
                yield function


def test_variables_and_their_uses_are_those_that_numba_lists():
    count = 0
    for function in functions():
        identity = bytecode.FunctionIdentity.from_function(function)
        blocks = (
            interpreter.Interpreter(identity).interpret(bytecode.ByteCode(func_id=identity)).blocks
        )
        for block in blocks.values():
            for statement in block.body:
                own = ir.Inst._rec_list_vars(statement, statement.__dict__)
                assert statement.list_vars() == own
                count += len(own)
        assert analysis.compute_use_defs(blocks) == front_end._list_uses(blocks)
    assert count > 1000


def test_a_signature_that_is_remembered_is_the_one_resolved():
    from numba import float64, int64
    from numba.core.registry import cpu_target

    context = cpu_target.typing_context
    context.refresh()
    for function in (min, max, abs, pow):
        kind = context.resolve_value_type(function)
        for args in ((float64, float64), (int64, float64), (int64, int64)):
            args = args[:1] if function is abs else args
            fresh = front_end._resolve(kind, context, args, {})
            for _ in range(2):
                assert front_end.get_call_type(kind, context, args, {}) == fresh
    with pytest.raises(errors.TypingError):
        front_end.get_call_type(
            context.resolve_value_type(abs), context, (numba.types.unicode_type,), {}
        )


def test_messages_look_as_before():
    assert errors.termcolor().errmsg("text").endswith("text\x1b[0m")


def test_kernels_still_refuse_wrong_arguments():
    with pytest.raises(errors.TypingError):
        load3.compile((numba.types.unicode_type, numba.int64))
