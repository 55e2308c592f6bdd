"""All kernels can be compiled ahead of use."""

import numpy as np
import pytest
from kernel_source import module_from, own_cache  # noqa: F401

from dovetail.runtime import warmup as module


@pytest.mark.usefixtures("own_cache")
def test_warmed_kernels_are_compiled_without_being_run(monkeypatch):
    monkeypatch.setattr(module, "_registered", [])
    source = "@jit\ndef fill(a, x):\n    for i in range(a.shape[0]):\n        a[i] = x"
    fill, example = module_from(source).fill, np.zeros(3)
    module.warm(fill, example, 1.0)
    names = []
    done = module.warmup(report=names.append, packages=())
    assert names == ["module_under_test.fill"]
    assert (done.kernels, done.compiled) == (1, 1)
    assert done.seconds > 0
    assert not example.any()
    fill(example, 2.0)
    assert sum(fill.stats.cache_misses.values()) == 1  # the types were the right ones
    fresh = module_from(source).fill
    monkeypatch.setattr(module, "_registered", [(fresh, (example, 1.0))])
    assert module.warmup(packages=()).compiled == 0  # from the cache


@pytest.mark.usefixtures("own_cache")
def test_examples_follow_the_call_with_defaults_and_any_number_of_arguments(monkeypatch):
    source = "@jit\ndef total(a, b=2.0, *more):\n    return a + b + len(more)"
    total = module_from(source).total
    monkeypatch.setattr(module, "_registered", [(total, (1.0,)), (total, (1.0, 1.0, 1, 2.0))])
    assert module.warmup(packages=()).compiled == 2
    assert (total(1.0), total(1.0, 1.0, 1, 2.0)) == (3.0, 4.0)
    assert sum(total.stats.cache_misses.values()) == 2  # the calls found what was compiled


def test_every_kernel_of_rotations_is_registered():
    module.gather(module.modules_of(["dovetail.linalg"]))
    registered = {kernel.__name__ for kernel, _ in module._registered}
    assert {"each_so3_exp", "each_se3_log", "each_so3xr3_adjoint"} <= registered


@pytest.mark.usefixtures("own_cache")
def test_several_processes_leave_in_the_cache_what_one_would_compile(tmp_path, monkeypatch):
    package = tmp_path / "two_kernels"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from dovetail.runtime.jit import jit\n"
        "from dovetail.runtime.warmup import warm\n"
        "@jit\ndef twice(x):\n    return 2 * x\n"
        "@jit\ndef four_times(x):\n    return twice(twice(x))\n"
        "warm(twice, 1)\nwarm(twice, 1.0)\nwarm(four_times, 1.0)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(module, "_registered", [])
    monkeypatch.setattr(module, "_later", [])
    names = []
    done = module.warmup(report=names.append, packages=("two_kernels",), workers=2)
    assert sorted(name.rpartition(".")[2] for name in names) == ["four_times", "twice", "twice"]
    assert done.kernels == 3
    assert done.compiled >= 2  # a worker may have met `twice` in `four_times` before
    assert module.warmup(packages=()).compiled == 0  # this process finds them all
