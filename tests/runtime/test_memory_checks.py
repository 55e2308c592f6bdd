"""Checked indices and filled memory (`benchmarks/memory_checks`) reach every sort of kernel."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CHECKS = ROOT / "benchmarks/memory_checks"
KERNELS = """
import numpy as np

from dovetail.runtime.jit import apart, jit, jit_in_place, jit_within

@jit_within
def within(a, i):
    return a[i, 1]

@jit_in_place
def in_place(a, i, out):
    out[0] = within(a, i)

@apart
@jit_in_place
def unit(a, i, out):
    in_place(a, i, out)

@jit_in_place
def into_unit(a, i, out):
    unit(a, i, out)

@jit_in_place
def write(a, i, out):
    a[i, 0] = out[0]

@jit
def row(a, i, out):
    r = a[i]
    out[0] = r[0] + within(a, 0)

@jit
def part(a, i, out):
    out[0] = a[i - 1:i + 1].sum()

@jit
def made(n):
    return np.empty(n)[0], np.empty((n, 2), np.int64)[0, 1]

rows, out = np.arange(12.0).reshape(6, 2)[2:4], np.zeros(1)
for kernel in (in_place, unit, into_unit, write, row, part):
    kernel(rows, 1, out)
    for i in (2, -1):
        try:
            kernel(rows, i, out)
            print(kernel.__name__, i, "read or wrote", out[0])
        except IndexError:
            pass
print(*made(2), np.empty(3)[1], np.empty_like(out)[0])
"""


def output(folder, **settings):
    (folder / "kernels.py").write_text(KERNELS)
    paths = os.pathsep.join([str(CHECKS), str(ROOT / "src")])
    environment = {"PYTHONPATH": paths, "DOVETAIL_CACHE_DIR": str(folder / "cache"), **settings}
    run = subprocess.run(
        [sys.executable, "kernels.py"], cwd=folder, env=os.environ | environment,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return run.stdout.split("\n")[:-1]


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="kernels are plain Python")
def test_every_sort_of_kernel_refuses_an_index_that_leaves_the_array(tmp_path):
    """Also one loaded from the cache, and memory of another byte."""
    assert output(tmp_path, NUMBA_BOUNDSCHECK="1") == ["nan -1 nan nan"]
    huge = output(tmp_path, NUMBA_BOUNDSCHECK="1", DOVETAIL_FILL="85")[-1].split()
    assert [float(x) > 1e18 for x in huge] == [True] * 4


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="kernels are plain Python")
def test_without_bounds_checks_kernels_read_on(tmp_path):
    assert len(output(tmp_path, NUMBA_BOUNDSCHECK="0")) == 6 * 2 + 1
