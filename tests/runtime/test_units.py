"""Kernels that are machine code of their own, which others jump to."""

import os
import subprocess
import sys
import threading

import pytest
from kernel_source import module_from, own_cache  # noqa: F401

from dovetail.runtime.jit import is_compiled_kernel, jit
from dovetail.runtime.units import alone

SOURCE = """
import numpy as np
from dovetail.runtime.jit import apart, jit_in_place

@jit
def below(x):
    if x < 0.0:
        raise ValueError("negative")
    return {below} * x

@apart
@jit
def inner(x):
    return below(x) + 1.0

@apart
@jit
def unit(x):
    return inner(x) + inner(2.0 * x)

@jit
def one(x):
    return unit(x) + {one}

@jit
def other(x):
    return unit(x) * below(x)

@apart
@jit
def array(n):
    return np.full(n, below(3.0))

@jit
def summed(n):
    return array(n).sum()
"""
PROGRAM = """
import sys
from kernels import *
from dovetail.runtime import kernel
made = []
make = kernel.Kernel._make_unit
kernel.Kernel._make_unit = lambda self, piece: made.append(self.place[1]) or make(self, piece)
try:
    one(-1.0)
except ValueError as error:
    print(error)
print(one(1.0), other(1.0), summed(4), unit(2.0), *sorted(made))
"""

pytestmark = pytest.mark.skipif(
    not is_compiled_kernel(jit(lambda x: x)), reason="kernels are plain Python"
)


def said(folder, **constants) -> str:
    """What the program prints in a process of its own: numbers, and the units it compiled."""
    source = "from dovetail.runtime.jit import jit\n" + SOURCE
    (folder / "kernels.py").write_text(source.format(**({"below": 2.0, "one": 10.0} | constants)))
    done = subprocess.run(
        [sys.executable, "-B", "-c", PROGRAM], cwd=folder, capture_output=True, text=True,
        env=os.environ | {"DOVETAIL_CACHE_DIR": str(folder / "cache")}, timeout=100,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_unit_is_compiled_once_and_loaded_by_all_that_jump_to_it(tmp_path):
    first = "negative\n18.0 16.0 24.0 14.0"
    assert said(tmp_path) == f"{first} array inner unit\n"
    assert said(tmp_path) == f"{first}\n"
    # an edit above a unit loads it, one below compiles it
    assert said(tmp_path, one=20.0) == "negative\n28.0 16.0 24.0 14.0\n"
    assert said(tmp_path, below=3.0) == "negative\n21.0 33.0 36.0 20.0 array inner unit\n"
    # without a unit all that jump to it are made again
    for unit in (tmp_path / "cache").rglob("*.inner-*.nbu"):
        unit.unlink()
    for unit in (tmp_path / "cache").rglob("*.array-*.nbu"):
        unit.write_bytes(unit.read_bytes()[:-1])
    assert said(tmp_path) == f"{first} array inner unit\n"
    assert not list((tmp_path / "cache").rglob("*.lock"))


def test_what_is_apart_is_part_of_the_fingerprint_and_of_no_entry(own_cache):  # noqa: F811
    module = module_from(SOURCE.format(below=2.0, one=10.0))
    assert module.one(1.0) == 18.0
    library = next(iter(module.one.entries.values())).library
    defined = {function.name for function in library._final_module.functions}
    declared = {f.name for f in library._final_module.functions if f.is_declaration}
    unit = module.unit.unit(next(iter(module.unit.overloads)))
    assert unit.symbol in declared
    assert not any("below" in name for name in defined)


def test_one_of_two_at_work_on_a_file_waits(tmp_path):
    path, order = tmp_path / "kernel", []
    entered, may_end = threading.Event(), threading.Event()

    def first():
        with alone(path, wait=True) as mine:
            assert mine
            entered.set()
            may_end.wait(10)
            order.append("first")

    thread = threading.Thread(target=first)
    thread.start()
    assert entered.wait(10)
    with alone(path, wait=False) as mine:
        assert not mine
    may_end.set()
    with alone(path, wait=True) as mine:
        assert mine
        order.append("second")
    thread.join()
    assert order == ["first", "second"]
    with alone(None, wait=False) as mine:
        assert mine
    with alone(tmp_path / "nowhere" / "kernel", wait=False) as mine:
        assert mine
