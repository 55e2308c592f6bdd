"""Bundles: records that kernels read by name, with and without counting references."""

import gc
import weakref
from array import array
from typing import NamedTuple

import numpy as np

from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.records import FloatArray, bundler


class Inner(NamedTuple):
    values: FloatArray
    scale: float


class Outer(NamedTuple):
    inner: Inner  # a bundle
    shift: FloatArray


bundle_inner = bundler(Inner)
bundle_outer = bundler(Outer)


@jit_in_place
def add_shift(outer):
    """values += scale shift; returns their sum."""
    inner, shift = outer.inner, outer.shift
    values, total = inner.values, 0.0
    for i in range(values.shape[0]):
        values[i] += inner.scale * shift[i]
        total += values[i]
    return total


@jit
def shifted_sum(outer):
    return add_shift(outer)


def test_a_kernel_without_reference_counts_reads_and_writes_nested_bundles():
    values = np.arange(3.0)
    outer = bundle_outer(bundle_inner(values, 2.0), np.ones(3))
    assert shifted_sum(outer) == 9.0
    np.testing.assert_array_equal(values, [2.0, 3.0, 4.0])


def test_arrays_of_a_bundle_are_freed_after_it_was_used():
    owner = array("d", [0.0] * 4)  # of memory that a weak reference can watch
    values, gone = np.frombuffer(owner), weakref.ref(owner)
    outer = bundle_outer(bundle_inner(values, 2.0), np.ones(4))
    for _ in range(3):
        shifted_sum(outer)
    del owner, values
    gc.collect()
    assert gone() is not None
    del outer
    gc.collect()
    assert gone() is None
