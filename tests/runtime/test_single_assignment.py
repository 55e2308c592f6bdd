"""A variable of its own for every assignment: the same as Numba finds."""

import copy

import pytest
from numba.core import bytecode, config, interpreter, ssa

from dovetail.runtime.single_assignment import reconstruct


def _loops(rows, weights):
    total, count = 0.0, 0
    for i in range(rows.shape[0]):
        best = -1.0
        for j in range(rows.shape[1]):
            value = rows[i, j] * weights[j]
            if value > best:
                best, count = value, count + 1
            elif value < 0.0:
                continue
            total = total + best
        if best > 10.0:
            break
    return total, count


def _while(rows, weights):
    low, high = 0, rows.shape[0]
    while low < high:
        middle = (low + high) // 2
        if weights[middle] < 0.0:
            low = middle + 1
        else:
            high = middle
    return low


def _assigned_on_one_path(rows, weights):
    if rows.shape[0] > 2:
        found = weights[0]
    for i in range(3):
        if weights[i] > 0.0:
            found = weights[i]
    return found


def blocks_of(function):
    identity = bytecode.FunctionIdentity.from_function(function)
    return interpreter.Interpreter(identity).interpret(bytecode.ByteCode(identity)).blocks


def text(blocks):
    return {label: [str(one) for one in block.body] for label, block in blocks.items()}


@pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")
@pytest.mark.parametrize("function", [_loops, _while, _assigned_on_one_path])
def test_variables_and_phi_nodes_are_those_of_numba(function):
    blocks = blocks_of(function)
    wanted = text(ssa._run_ssa(copy.deepcopy(blocks)))
    assert any("phi(" in statement for body in wanted.values() for statement in body)
    assert text(reconstruct(blocks)) == wanted


def test_no_blocks_stay_none():
    assert reconstruct({}) == {}
