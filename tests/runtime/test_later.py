"""Kernels that are compiled or loaded when another kernel calls them first."""

import os
import subprocess
import sys

import pytest
from kernel_source import module_from, own_cache  # noqa: F401

from dovetail.runtime.jit import is_compiled_kernel, jit

SOURCE = """
import numpy as np
from dovetail.runtime.jit import apart, jit, jit_in_place, when_called

@when_called(0.0)
@jit
def rare(x):
    if x < 0.0:
        raise ValueError("negative")
    return rarer(x)[0] * {factor}

@when_called((0.0, 0))
@jit_in_place
def rarer(x):
    return x * 3.0, 1

@when_called(None)
@jit_in_place
def fill(array, value):
    for i in range(array.shape[0]):
        array[i] = value

@jit
def one(x, needed):
    return rare(x) if needed else x

@apart
@jit
def unit(x):
    return rare(x)

@jit
def two(x):
    return unit(x) + 1.0

@jit
def filled(n, value):
    array = np.zeros(n)
    fill(array, value)
    return array.sum()
"""
PROGRAM = """
import sys
from kernels import *
from dovetail.runtime import kernel
from dovetail.runtime.compile_notice import notice
made = []
make = kernel.Kernel._make_unit
kernel.Kernel._make_unit = lambda self, piece: made.append(self.place[1]) or make(self, piece)
print(one(3.0, False), len(made))
print(one(3.0, True), two(1.0), filled(4, 2.0))
try:
    one(-1.0, True)
except ValueError as error:
    print(error)
print(*sorted(made))
print(notice.compiled, file=sys.stderr)
"""
NUMBERS = "3.0 0\n18.0 7.0 8.0\nnegative\n"

pytestmark = pytest.mark.skipif(
    not is_compiled_kernel(jit(lambda x: x)), reason="kernels are plain Python"
)


def ran(folder, factor=2.0):
    """What the program prints in a process of its own, and how many kernels it compiled."""
    (folder / "kernels.py").write_text(SOURCE.format(factor=factor))
    done = subprocess.run(
        [sys.executable, "-B", "-c", PROGRAM], cwd=folder, capture_output=True, text=True,
        env=os.environ | {"DOVETAIL_CACHE_DIR": str(folder / "cache"), "DOVETAIL_QUIET": "1"},
        timeout=100,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout, int(done.stderr)


def test_compiled_when_called_and_loaded_afterwards(tmp_path):
    assert ran(tmp_path)[0] == NUMBERS + "fill rare rarer unit\n"
    assert ran(tmp_path) == (NUMBERS + "\n", 0)
    # one that is gone is compiled again, and only that
    for file in (tmp_path / "cache").rglob("*.rarer-*.nbu"):
        file.unlink()
    printed, compiled = ran(tmp_path)
    assert printed == NUMBERS + "rarer\n" and compiled == 1
    # an edit of it reaches its callers
    assert ran(tmp_path, factor=4.0)[0].startswith("3.0 0\n36.0 13.0 8.0")


def test_warm_up_makes_them_ready(own_cache):  # noqa: F811
    from dovetail.runtime import warmup

    module = module_from(SOURCE.format(factor=2.0))
    assert warmup.make_ready(module.one, (1.0, True), wanted=()) == 1
    place = module.rare.py_func.__module__
    assert warmup.make_ready(module.one, (1.0, True), wanted=(f"{place}:rare",)) == 1
    assert warmup.make_ready(module.one, (1.0, True)) == 1  # `rarer`, below `rare`
    assert warmup.make_ready(module.one, (1.0, True)) == 0


def test_what_is_returned_must_be_what_was_declared(own_cache):  # noqa: F811
    module = module_from(
        "from dovetail.runtime.jit import jit, when_called\n"
        "@when_called(0)\n@jit\ndef wrong(x):\n    return 0.5 * x\n"
        "@jit\ndef caller(x):\n    return wrong(x)\n"
    )
    with pytest.raises(TypeError, match="declared"):
        module.wrong(1.0)
    with pytest.raises(SystemError):
        module.caller(1.0)
