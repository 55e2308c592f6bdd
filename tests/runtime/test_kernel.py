"""Kernels as pieces that are linked and entries that Python calls."""

import gc
import os
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest
from kernel_source import module_from, own_cache  # noqa: F401
from numba import njit
from numba.core.errors import TypingError

from dovetail.runtime.jit import is_compiled_kernel, jit
from dovetail.runtime.records import bundler


class Many(NamedTuple):
    """What a bundle is made of."""

    a: object
    b: object


SOURCE = """
@jit
def below(x):
    return {} * x

@jit
def beside(x):
    return x + 1.0

@jit
def middle(x):
    return below(x) + beside(x)

@jit
def top(x):
    return middle(x) + 100.0
"""

pytestmark = pytest.mark.skipif(
    not is_compiled_kernel(jit(lambda x: x)), reason="kernels are plain Python"
)


def compiled(module) -> set[str]:
    """Kernels of a module whose pieces or entries were compiled, not loaded."""
    return {name for name, count in module.compiled.items() if count}


def watched(source: str):
    """A module of kernels that records in `compiled` what it compiles."""
    module = module_from(source)
    module.compiled = {}
    for name in ("below", "beside", "middle", "top"):
        kernel = getattr(module, name)
        module.compiled[name] = 0

        def count(args, name=name, compile_piece=kernel._compile_piece):
            module.compiled[name] += 1
            return compile_piece(args)

        kernel._compile_piece = count
    return module


RETURNS_AN_ARRAY = """
import sys
import numpy as np
from numba import typeof
from dovetail.runtime.jit import jit

@jit
def below(x):
    return x

@jit
def middle(x):
    return below(x)[0]

if __name__ == "__main__":
    import kernels

    if sys.argv[1] == "again":  # the piece of `below` is loaded before its entry
        kernels.below.piece((typeof(np.ones(2)),))
    print(kernels.below(np.ones(2))[0], kernels.middle(np.ones(2)))
"""


def test_a_kernel_that_returns_an_array_is_loaded_after_its_piece(tmp_path):
    """The entry reads the dtype of the array, which the environment of the piece has not."""
    (tmp_path / "kernels.py").write_text(RETURNS_AN_ARRAY)
    for order in ("first", "again"):
        done = subprocess.run(
            [sys.executable, "kernels.py", order], cwd=tmp_path, capture_output=True, text=True,
            env=os.environ | {"DOVETAIL_CACHE_DIR": str(tmp_path / "cache")}, timeout=100,
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (0, "1.0 1.0\n"), done.stderr


def test_an_edit_compiles_what_is_above_it_and_loads_the_rest(own_cache):  # noqa: F811
    first = watched(SOURCE.format(2.0))
    assert first.top(1.0) == 104.0
    assert compiled(first) == {"below", "beside", "middle", "top"}
    edited = watched(SOURCE.format(3.0))
    assert edited.top(1.0) == 105.0
    assert compiled(edited) == {"below", "middle", "top"}


def test_a_kernel_that_others_call_has_machine_code_only_when_python_calls_it(
    own_cache,  # noqa: F811
):
    module = watched(SOURCE.format(2.0))
    module.top(1.0)
    assert list(own_cache.rglob("*.top-*.nbc")) and not list(own_cache.rglob("*.below-*.nbc"))
    assert module.below(1.0) == 2.0
    assert list(own_cache.rglob("*.below-*.nbc"))
    assert module.compiled["below"] == 1  # its piece serves both


def test_machine_code_is_made_from_pieces_of_the_cache(own_cache):  # noqa: F811
    watched(SOURCE.format(2.0)).top(1.0)
    for entry in own_cache.rglob("*.nbc"):
        entry.unlink()
    again = watched(SOURCE.format(2.0))
    assert again.top(1.0) == 104.0
    assert compiled(again) == set()


def test_a_piece_that_is_gone_or_damaged_is_compiled_again(own_cache):  # noqa: F811
    watched(SOURCE.format(2.0)).top(1.0)
    for entry in own_cache.rglob("*.nbc"):
        entry.unlink()
    for piece in own_cache.rglob("*.below-*.nbp"):
        piece.unlink()
    for piece in own_cache.rglob("*.beside-*.nbp"):
        piece.write_bytes(piece.read_bytes()[:-1])
    again = watched(SOURCE.format(2.0))
    assert again.top(1.0) == 104.0
    assert compiled(again) == {"below", "beside"}


def test_constants_and_sizes_of_integers_make_one_piece(own_cache):  # noqa: F811
    @jit
    def add(values, k, scale):
        return values[k] * scale

    @jit
    def total(values, which):
        return (
            add(values, 0, 2) + add(values, 1, which[0])
            + add(values, which[0], which[1]) + add(values, np.int64(1), 3)
        )  # fmt: skip

    assert total(np.arange(3.0), np.array([2, 1], np.int32)) == 0.0 + 2.0 + 2.0 + 3.0
    assert len(add.overloads) == 1


def test_a_constant_that_decides_a_type_stays_one():
    @jit
    def part(pair, k):
        return pair[k]

    @jit
    def both(x):
        return part((x, (x, 2.0)), 0) + part((x, (x, 2.0)), 1)[1]

    assert both(5.0) == 7.0


def test_errors_pass_through_pieces(own_cache):  # noqa: F811
    source = """
@jit
def checked(x):
    if x < 0.0:
        raise ValueError("negative")
    return x

@jit
def outer(x):
    return checked(x) + 1.0
"""
    for _ in range(2):  # compiled, then from the cache
        module = module_from(source)
        assert module.outer(1.0) == 2.0
        with pytest.raises(ValueError, match="negative"):
            module.outer(-1.0)


def test_a_kernel_may_call_itself():
    @jit
    def factorial(n):
        if n <= 1:
            return 1
        return n * factorial(n - 1)

    @jit
    def outer(n):
        return factorial(n) + 0

    assert (outer(5), factorial(6)) == (120, 720)


def test_functions_of_numba_can_call_kernels():
    @jit
    def inner(x):
        return 2.0 * x

    @jit
    def kernel(x):
        return inner(x) + 1.0

    @njit
    def theirs(x):
        return kernel(x) + 10.0

    assert theirs(3.0) == 17.0


def test_arrays_made_in_a_piece_live_as_long_as_they_are_used():
    @jit
    def ramp(n):
        made = np.empty(n)
        for i in range(n):
            made[i] = i
        return made

    @jit
    def twice(n):
        return ramp(n), ramp(n + 1)

    kept = [twice(1000) for _ in range(20)]
    for a, b in kept:
        assert np.array_equal(a, np.arange(1000.0)) and np.array_equal(b, np.arange(1001.0))


def test_garbage_is_collected_again_after_a_compilation_that_failed():
    @jit
    def wrong(x):
        return x.no_such_attribute

    assert gc.isenabled()
    with pytest.raises(TypingError):
        wrong(1.0)
    assert gc.isenabled()


def test_types_of_bundles_differ_by_their_fields_and_have_short_names():
    make = bundler(Many)
    zeros = np.zeros(2)
    names = set()
    for fields in ((zeros, zeros), (zeros, np.zeros((2, 2))), (zeros, zeros.astype(np.int32))):
        make(*fields)
    for result in make.kernel.entries.values():
        names.add(result.signature.return_type.name)
    assert len(names) == 3 and max(map(len, names)) < 40
