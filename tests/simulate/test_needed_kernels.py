"""A run knows beforehand which kernels it will call."""

import json
import os
import subprocess
import sys

import pytest

from dovetail.runtime.jit import is_compiled_kernel, jit

CODE = """
import json, sys
import dovetail as dt
from dovetail.runtime import cache
from dovetail.simulate import needed_kernels, run
name, scheme, contact = json.loads(sys.argv[1])
example = dt.examples.get(name)
settings = dict(example.RUN)
settings["duration"] = 5 * settings["step"]
settings |= {"integrator": scheme} if scheme else {}
settings |= {"contact": contact} if contact else {}
scene = example.build()
loaded_before, needed, wanted = set(cache._loaded), [], needed_kernels.needed_kernels
def remember(*arguments):
    needed.extend(wanted(*arguments)[1])
    return wanted(*arguments)
run.needed_kernels = remember
dt.simulate(scene, **settings)
called = {
    (function.__module__, f"{function.__module__}:{function.__name__}")
    for name, entry in cache._loaded.items()
    if name not in loaded_before
    for function in [entry._dispatcher.py_func]
}
print(json.dumps([len(called), sorted(k for m, k in called if not {m, k} & set(needed))]))
"""
RARE = {  # that few runs call
    "dovetail.linalg.lie.each:each_so3_exp",
    "dovetail.linalg.lie.each:each_so3_log",
    "dovetail.collision.intersection.pairs:keep_meeting",
}
RUNS = [
    ("dzhanibekov", "", ""),
    ("double-pendulum", "", ""),
    ("stewart", "RATTLie", ""),
    ("four-bar", "LieGeneralizedAlpha", ""),
    ("four-bar", "EulerParameterDAE", ""),
    ("card-house", "", ""),
    ("card-house", "BarrierVerlet", ""),
    ("crank-pusher", "", ""),
    ("sliders", "", ""),
    ("docking", "", ""),
    ("painleve-rod", "", ""),
    ("card-house", "", "lcp"),
]


@pytest.mark.slow
@pytest.mark.skipif(not is_compiled_kernel(jit(lambda x: x)), reason="Numba is disabled")
@pytest.mark.parametrize("chosen", RUNS, ids=" ".join)
def test_all_kernels_that_a_run_calls_are_named_before_it(chosen):
    done = subprocess.run(
        [sys.executable, "-c", CODE, json.dumps(chosen)],
        env=os.environ | {"DOVETAIL_QUIET": "1"}, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    called, not_named = json.loads(done.stdout.splitlines()[-1])
    assert called >= 3
    assert set(not_named) <= RARE
