"""One line reports that kernels compile, and only if it takes a while."""

import itertools
import sys
import time

import pytest
from kernel_source import module_from, own_cache  # noqa: F401

from dovetail.runtime import compile_notice
from dovetail.runtime.jit import is_compiled_kernel, jit

counter = itertools.count()
pytestmark = [
    pytest.mark.usefixtures("own_cache"),
    pytest.mark.skipif(not is_compiled_kernel(jit(lambda x: x)), reason="Numba is disabled"),
]


def compile_a_kernel():
    """A kernel never seen before, so it cannot come from the cache."""
    constant = next(counter)
    source = f"@jit\ndef f(a):\n    return a[0] * {constant}.0 + {time.time()}"
    module_from(source).f((1.0, 2.0))


@pytest.fixture
def notice(monkeypatch):
    fresh = compile_notice.CompileNotice()
    monkeypatch.setattr(sys.modules[jit.__module__], "notice", fresh)
    monkeypatch.delenv("DOVETAIL_QUIET", raising=False)
    monkeypatch.setattr(compile_notice, "PATIENCE", 0.0)
    return fresh


def test_one_line_on_stderr_for_all_kernels(notice, capsys):
    compile_a_kernel()
    compile_a_kernel()
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "dovetail: compiling kernels (first use, cached afterwards)\n"
    assert notice.compiled == 2
    assert notice.seconds > 0


def test_no_line_when_it_is_quick(notice, capsys, monkeypatch):
    monkeypatch.setattr(compile_notice, "PATIENCE", 1e3)
    compile_a_kernel()
    assert capsys.readouterr().err == ""


def test_no_line_when_quiet(notice, capsys, monkeypatch):
    monkeypatch.setenv("DOVETAIL_QUIET", "1")
    compile_a_kernel()
    assert capsys.readouterr().err == ""
    monkeypatch.delenv("DOVETAIL_QUIET")
    notice.silence()
    compile_a_kernel()
    assert capsys.readouterr().err == ""


def test_kernels_from_the_cache_and_those_of_others_do_not_count(notice):
    from numba import njit

    source = "@jit\ndef f(x):\n    return x + 1.0"
    module_from(source).f(1.0)
    assert notice.compiled == 1
    module_from(source).f(1.0)
    njit(lambda x: x + 1.0)(1.0)
    assert notice.compiled == 1
