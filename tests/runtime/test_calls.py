"""How kernels call each other: large records by address, errors passed on."""

import re
from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba import types
from numba.core import config

from dovetail.runtime import calls
from dovetail.runtime.jit import apart, jit, jit_in_place
from dovetail.runtime.records import FloatArray

pytestmark = pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")


class Large(NamedTuple):
    rows: FloatArray
    weights: FloatArray
    sums: FloatArray
    scale: float


def large():
    return Large(np.arange(6.0).reshape(2, 3), np.array([1.0, 2.0, 4.0]), np.zeros(2), 2.0)


@jit_in_place
def _row(record, i):
    total = 0.0
    for j in range(record.weights.shape[0]):
        total += record.rows[i, j] * record.weights[j]
    if total > 1000.0:
        raise ValueError("too large")
    return total * record.scale


@jit_in_place
def _all(record):
    for i in range(record.rows.shape[0]):
        record.sums[i] = _row(record, i)
    return record.sums[0] + record.sums[1]


@apart
@jit_in_place
def _unit(record):
    return _all(record)


@jit
def _changed(record):
    other = Large(record.rows, record.weights, record.sums, 3.0)
    return _all(other), _all(record), _unit(other)


@jit
def _caught(record):
    record.rows[0, 0] = 1e6
    failed = False
    try:
        _row(record, 0)
    except Exception:
        failed = True
    return failed


@jit_in_place
def _maybe(record, wanted):
    if wanted:
        return record.scale
    return None


@jit
def _from_maybe(record, wanted):
    found = _maybe(record, wanted)
    return -1.0 if found is None else found


@jit_in_place
def _halves(record, depth):
    if depth == 0:
        return record.scale
    return 0.5 * _halves(record, depth - 1)


@numba.njit
def _of_numba(record):
    return _all(record)


@jit
def _calls_numba(record):
    return _adds(record)


@numba.njit
def _adds(record):
    return record.weights.sum() + record.scale


def lowered(kernel, *arguments):
    types_ = tuple(numba.typeof(one) for one in arguments)
    return str(kernel.own_piece(types_).library.own_module)


def signature_of(name, code):
    (found,) = re.findall(rf"^define i32 @_ZN\S*{name}\S*\((.*)\)", code, flags=re.MULTILINE)
    return re.sub(r"\([^)]*\)", "", found).split(",")


def test_a_large_record_is_one_argument():
    code = lowered(_all, large())
    assert len(signature_of("_all", code)) == 3  # what is returned, errors, the record
    assert calls.is_by_address(numba.typeof(large()))
    assert not calls.is_by_address(numba.typeof((1.0, 2.0, 3.0)))
    assert not calls.is_by_address(types.float64[:, ::1])


def test_a_record_is_passed_on_by_the_address_it_came_with():
    code = lowered(_all, large())
    (call,) = [line for line in code.splitlines() if "call i32" in line and "_row" in line]
    address = signature_of("_all", code)[2].split()[-1]
    assert address in call


def test_errors_have_no_slot_of_their_own():
    code = lowered(_all, large())
    errors = signature_of("_all", code)[1].split()[-1]
    (call,) = [line for line in code.splitlines() if "call i32" in line and "_row" in line]
    assert errors in call


def test_records_that_differ_are_not_mistaken_for_each_other():
    rows = large().rows @ large().weights
    assert _changed(large()) == (3.0 * rows.sum(), 2.0 * rows.sum(), 3.0 * rows.sum())


def test_an_error_reaches_python():
    record = large()
    record.rows[1, 2] = 1e6
    with pytest.raises(ValueError, match="too large"):
        _changed(record)


def test_an_error_can_be_caught_in_a_kernel():
    assert _caught(large())


def test_a_call_may_return_none_or_a_number():
    assert _from_maybe(large(), True) == 2.0
    assert _from_maybe(large(), False) == -1.0


def test_a_kernel_may_call_itself():
    assert _halves(large(), 3) == 0.25


def test_functions_of_numba_call_kernels_and_are_called():
    record = large()
    assert _of_numba(record) == 2.0 * (record.rows @ record.weights).sum()
    assert _calls_numba(record) == 9.0
