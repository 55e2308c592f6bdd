"""Kernels that only write into arrays they are given."""

import sys

import numpy as np
import pytest
from numba.core.errors import NumbaError

from dovetail.runtime.jit import is_compiled_kernel, jit_in_place


@jit_in_place
def double_into(a, out):
    for i in range(a.size):
        out[i] = 2.0 * a[i]


@jit_in_place
def make_an_array(n):
    return np.zeros(n)


def test_in_place_kernel_writes_and_leaves_reference_counts_alone():
    a, out = np.arange(3.0), np.empty(3)
    double_into(a, out)
    before = sys.getrefcount(a), sys.getrefcount(out)
    for _ in range(100):
        double_into(a, out)
    assert (sys.getrefcount(a), sys.getrefcount(out)) == before
    assert np.array_equal(out, [0.0, 2.0, 4.0])


@pytest.mark.skipif(not is_compiled_kernel(double_into), reason="kernels are plain Python")
def test_in_place_kernel_that_makes_an_array_does_not_compile():
    with pytest.raises(NumbaError, match="zeros"):
        make_an_array(3)
