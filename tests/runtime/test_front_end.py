"""The shorter way through Numba's front end lowers the same code."""

import math
import operator
import re

import numpy as np
import pytest
from numba import types
from numba.core import compiler, config, event

from dovetail.runtime import front_end
from dovetail.runtime.jit import jit, jit_in_place

needs_compiler = pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")


def _sums(rows, weights):
    total = 0.0
    for i in range(rows.shape[0]):
        best = -math.inf
        for j in range(rows.shape[1]):
            value = rows[i, j] * weights[j] ** 2
            if value > best:
                best = value
            elif value < 0.0:
                continue
        if best > 10.0:
            raise ValueError("too large")
        rows[i, 0], corner = best, (best, total, min(best, total))
        total += corner[2] + corner[i % 3]
    return total


def _array_expression(rows, weights):
    return (rows * 2.0 + 1.0).sum() + np.sqrt(weights)[0]


def _conditional(rows, weights):
    if rows.shape[0] > 2:
        chosen = weights
    else:
        chosen = rows[0]
    return chosen[0] + len(weights[1:])


ARGUMENTS = (types.float64[:, ::1], types.float64[::1])


def lowered(function, decorator, monkeypatch, *, short):
    """The LLVM code of `function`, compiled again."""
    with monkeypatch.context() as patched:
        patched.setattr("dovetail.runtime.cache.kernel_folders", lambda *_: ())
        if not short:
            patched.setattr("dovetail.runtime.piece_compiler.is_plain", lambda function: False)
        piece = decorator(function).own_piece(ARGUMENTS)
    return re.sub(r"_0x[0-9a-f]+B\dv\d+", "", str(piece.library.own_module))  # of array expressions


@needs_compiler
@pytest.mark.parametrize("decorator", [jit, jit_in_place])
@pytest.mark.parametrize("function", [_sums, _array_expression, _conditional])
def test_shorter_passes_lower_the_same_code(function, decorator, monkeypatch):
    if decorator is jit_in_place and function is _array_expression:
        pytest.skip("makes arrays")
    lowered(function, decorator, monkeypatch, short=False)  # Numba's own functions, kept by it
    whole = lowered(function, decorator, monkeypatch, short=False)
    assert lowered(function, decorator, monkeypatch, short=True) == whole


@needs_compiler
def test_lifetimes_are_found_once_for_a_plain_kernel(monkeypatch):
    times = []
    found = front_end.transforms.canonicalize_cfg

    def counted(blocks):
        times.append(len(blocks))
        return found(blocks)

    monkeypatch.setattr(front_end.transforms, "canonicalize_cfg", counted)
    passes = []

    class Passes(event.Listener):
        def on_start(self, event):
            passes.append(event.data["name"].split()[0])

        def on_end(self, event):
            pass

    listener = Passes()
    event.register("numba:run_pass", listener)
    try:
        lowered(_conditional, jit_in_place, monkeypatch, short=True)
    finally:
        event.unregister("numba:run_pass", listener)
    assert "inline_closure_likes" not in passes
    assert {"dovetail_assign_once", "dovetail_rewrite_constants"} <= set(passes)
    assert len(times) == 4  # of all variables: at the beginning and at the end


@needs_compiler
def test_kernels_with_functions_within_take_all_passes():
    def with_function(x):
        return [y + 1.0 for y in x]

    def with_list(x):
        return [x, x]

    assert not front_end.is_plain(with_list)
    assert not front_end.is_plain(lambda x: [(lambda y: y)(x)])
    assert front_end.is_plain(_sums)
    assert not front_end.is_plain(with_function)


@needs_compiler
def test_an_operator_is_typed_once_for_the_same_types():
    kernel = jit_in_place(_conditional)
    context = kernel.targetdescr.typing_context
    context.refresh()
    calls = []

    class Watched:
        def __getattr__(self, name):
            return getattr(context, name)

        def resolve_function_type(self, func, args, kws):
            calls.append(func)
            return context.resolve_function_type(func, args, kws)

    flags = compiler.Flags()
    flags.error_model = "numpy"
    flags.dbg_directives_only = True  # flags that no kernel has: nothing is known for them
    typing = front_end.TypingOnce(Watched(), flags)
    add = typing.resolve_value_type(operator.add)
    first = typing.resolve_function_type(add, (types.float64, types.int64), {})
    lowered_by = add._impl_keys[first.args]
    add._impl_keys[first.args] = "what kernels with other flags call"
    assert typing.resolve_function_type(add, (types.float64, types.int64), {}) is first
    assert add._impl_keys[first.args] is lowered_by
    assert typing.resolve_function_type(add, (types.int64, types.int64), {}) is not first
    assert len(calls) == 2
