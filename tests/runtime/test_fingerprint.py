"""What a kernel's fingerprint notices, and what it does not."""

import enum
import sys

import numpy as np
import pytest
from kernel_source import module_from, own_cache  # noqa: F401

from dovetail.runtime.fingerprint import NoFingerprintError, fingerprint, nothing_changes

_FACTOR = 2.0

KERNEL = """
import math
{before}
@jit
def inner(x):
    {doc}
    return {expression}

@jit
def outer(x):
    return inner(x) + 1.0
"""


def outer_fingerprint(expression="x * 2.0", before="", doc="'doc'", **given):
    source = KERNEL.format(expression=expression, before=before, doc=doc)
    return fingerprint(module_from(source, **given).outer)


def test_it_changes_with_the_code_of_a_callee():
    assert outer_fingerprint("x * 2.0") == outer_fingerprint("x * 2.0")
    assert outer_fingerprint("x * 2.0") != outer_fingerprint("x * 3.0")
    assert outer_fingerprint("x * 2.0") != outer_fingerprint("x + 2.0")
    assert outer_fingerprint("math.sin(x)") != outer_fingerprint("math.cos(x)")
    assert outer_fingerprint("x * 0.0") != outer_fingerprint("x * -0.0")


def test_it_does_not_change_with_comments_docstrings_or_line_numbers():
    assert outer_fingerprint() == outer_fingerprint(before="\n\n# a comment\n", doc="'other'")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1.0, 2.0),
        ((1.0, 2.0), (1.0, 3.0)),
        (np.array([1.0, 2.0]), np.array([1.0, 3.0])),
        (np.zeros((1, 2)), np.zeros((2, 1))),
        (np.float32(1.0), np.float64(1.0)),
        (1, True),
    ],
)
def test_it_changes_with_a_constant_of_the_module(one, other):
    assert outer_fingerprint("x * K", K=one) == outer_fingerprint("x * K", K=one)
    assert outer_fingerprint("x * K", K=one) != outer_fingerprint("x * K", K=other)
    assert outer_fingerprint("x", K=one) == outer_fingerprint("x", K=other)  # not used


def test_it_changes_with_the_value_of_an_enum_member():
    def of(value):
        return outer_fingerprint("x * E.A", E=enum.IntEnum("E", {"A": value, "B": 7}))

    assert of(1) == of(1)
    assert of(1) != of(2)


def test_it_sees_a_kernel_reached_through_its_module():
    def through_module(factor):
        library = module_from(f"@jit\ndef gain(x):\n    return {factor} * x", "library")
        return outer_fingerprint("library.gain(x)", library=library)

    assert through_module("2.0") == through_module("2.0")
    assert through_module("2.0") != through_module("3.0")


def test_it_sees_values_enclosed_by_a_factory():
    source = """
def make(k):
    @jit
    def f(x, a=1.0):
        return k * x + a
    return f
"""
    make = module_from(source).make
    assert fingerprint(make(1.0)) == fingerprint(make(1.0))
    assert fingerprint(make(1.0)) != fingerprint(make(2.0))
    assert make(1.0).__qualname__ != make(2.0).__qualname__
    other_default = module_from(source.replace("a=1.0", "a=2.0")).make
    assert fingerprint(make(1.0)) != fingerprint(other_default(1.0))


def test_functions_that_call_each_other_have_one_too():
    source = """
@jit
def even(n):
    return True if n == 0 else odd(n - 1)

@jit
def odd(n):
    return False if n == 0 else even(n - {step})
"""
    one, other = (module_from(source.format(step=s)) for s in (1, 3))
    assert fingerprint(one.even) != fingerprint(other.even)
    assert fingerprint(one.even) != fingerprint(one.odd)


def test_a_value_it_cannot_identify_is_refused_and_the_kernel_still_runs(own_cache):  # noqa: F811
    source = "@jit\ndef f(x):\n    return x.K + 1.0"  # K: an attribute here, and a global by chance
    module = module_from(source, K=object())
    with pytest.raises(NoFingerprintError):
        fingerprint(module.f)
    record = np.array([(2.0,)], dtype=[("K", float)])[0]
    assert module.f(record) == 3.0
    assert not list(own_cache.rglob("*.nbc"))  # not kept, rather than mixed up


def test_kernels_of_one_factory_are_not_mixed_up_in_the_cache(own_cache):  # noqa: F811
    source = """
def make(k):
    @jit
    def f(x):
        return k * x
    return f

two, three = make(2.0), make(3.0)

@jit
def both(x):
    return two(x) + 10.0 * three(x)
"""
    first = module_from(source)
    assert (first.both(1.0), first.two(1.0), first.three(1.0)) == (32.0, 2.0, 3.0)
    again = module_from(source)
    assert (again.three(1.0), again.two(1.0), again.both(1.0)) == (3.0, 2.0, 32.0)
    assert all(sum(k.stats.cache_hits.values()) == 1 for k in (again.two, again.three, again.both))


def test_an_edit_has_its_own_entry_and_a_damaged_one_is_compiled_again(own_cache):  # noqa: F811
    source = "@jit\ndef f(x):\n    return x + {}"
    assert module_from(source.format(1.0)).f(1.0) == 2.0
    older = set(own_cache.rglob("*.nbc"))
    assert module_from(source.format(5.0)).f(1.0) == 6.0
    (entry,) = set(own_cache.rglob("*.nbc")) - older
    entry.write_bytes(entry.read_bytes()[:-100])
    repaired = module_from(source.format(5.0)).f
    assert repaired(1.0) == 6.0
    assert sum(repaired.stats.cache_misses.values()) == 1
    assert sum(module_from(source.format(5.0)).f.stats.cache_hits.values()) == 0
    assert sys.getsizeof(entry.read_bytes()) > 100


def test_a_change_is_seen_after_a_compilation_and_not_within(monkeypatch):
    def kernel(x):
        return x * _FACTOR

    before = fingerprint(kernel)
    with nothing_changes():
        assert fingerprint(kernel) == before
        monkeypatch.setitem(globals(), "_FACTOR", 3.0)
        with nothing_changes():
            assert fingerprint(kernel) == before
        assert fingerprint(kernel) == before
    assert fingerprint(kernel) != before
