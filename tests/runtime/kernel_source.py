"""Make kernels from source text, as a fresh import of an edited file would."""

import types

import pytest

from dovetail.runtime.cache_folders import kernel_folders


def module_from(source, name="module_under_test", **given):
    """Module with the given source; executing it again acts as a new process."""
    module = types.ModuleType(name)
    module.__dict__.update(given)
    exec(
        compile("from dovetail.runtime.jit import jit\n" + source, f"<{name}>", "exec"),
        module.__dict__,
    )
    return module


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """An empty cache folder for one test."""
    monkeypatch.setenv("DOVETAIL_CACHE_DIR", str(tmp_path / "cache"))
    kernel_folders.cache_clear()
    yield tmp_path / "cache"
    kernel_folders.cache_clear()
