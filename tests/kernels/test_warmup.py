"""All kernels can be compiled ahead of use."""

import numpy as np
import pytest
from kernel_source import module_from, own_cache  # noqa: F401

from dovetail.kernels import warmup as module


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


def test_every_kernel_of_rotations_is_registered():
    module._import_all_of("dovetail.kernels")
    registered = {kernel.__name__ for kernel, _ in module._registered}
    assert {"each_so3_exp", "each_se3_log", "each_so3xr3_adjoint"} <= registered
