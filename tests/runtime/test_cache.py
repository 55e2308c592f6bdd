"""Compiled kernels are kept between runs, and never run after what they call was edited."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from kernel_source import module_from, own_cache  # noqa: F401

import dovetail
from dovetail.runtime import cache, cache_folders

CALLER = """
from {decorator} import {name} as jit
from callee import gain

@{decorate}
def response(x):
    return gain(x) + 1.0
"""
CALLEE = """
from {decorator} import {name} as jit

@{decorate}
def gain(x):
    return {factor} * x
"""
RUN = """
import json
from caller import response
from dovetail.runtime.compile_notice import notice
value = response(2.0)
hits = sum(response.stats.cache_hits.values())
misses = sum(response.stats.cache_misses.values())
folder = response.stats.cache_path
print(json.dumps(dict(value=value, hits=hits, misses=misses, folder=folder)))
"""
OURS = {"decorator": "dovetail.runtime.jit", "name": "jit", "decorate": "jit"}
PLAIN_NUMBA = {"decorator": "numba", "name": "njit", "decorate": "jit(cache=True)"}


def write_modules(folder, factor, style=OURS):
    (folder / "caller.py").write_text(CALLER.format(**style))
    (folder / "callee.py").write_text(CALLEE.format(factor=factor, **style))


def start(folder, code=RUN, **environment):
    env = {k: v for k, v in os.environ.items() if k != "NUMBA_DISABLE_JIT"}
    env.update({"DOVETAIL_CACHE_DIR": "", "NUMBA_CACHE_DIR": ""})
    env.update({"HOME": str(folder / "home"), "XDG_CACHE_HOME": ""})
    env.update({"PYTHONPATH": str(Path(dovetail.__file__).parents[1]), **environment})
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(*processes):
    output = [process.communicate(timeout=120) for process in processes]
    for process, (_, err) in zip(processes, output):
        assert process.returncode == 0, err
    return [json.loads(out) for out, _ in output]


def run(folder, code=RUN, **environment):
    return finish(start(folder, code, **environment))[0]


@pytest.fixture
def modules(tmp_path):
    folder = tmp_path / "modules"
    folder.mkdir()
    return folder


def test_an_edited_callee_in_another_file_is_recompiled_and_an_unchanged_one_is_not(modules):
    write_modules(modules, factor="2.0")
    first = run(modules)
    assert (first["value"], first["hits"], first["misses"]) == (5.0, 0, 1)
    again = run(modules)
    assert (again["value"], again["hits"], again["misses"]) == (5.0, 1, 0)
    write_modules(modules, factor="30.0")
    edited = run(modules)
    assert (edited["value"], edited["hits"], edited["misses"]) == (61.0, 0, 1)


def test_numbas_own_cache_would_run_the_old_callee(modules):
    """Shows that the test above can fail, and why the project has its own cache."""
    write_modules(modules, factor="2.0", style=PLAIN_NUMBA)
    assert run(modules)["value"] == 5.0
    write_modules(modules, factor="30.0", style=PLAIN_NUMBA)
    assert run(modules)["value"] == 5.0  # 61 is right


def test_two_checkouts_share_their_kernels_and_an_older_version_is_still_there(tmp_path):
    cache_folder = str(tmp_path / "kernels")
    results = []
    for name, factor in [("one", "2.0"), ("two", "2.0"), ("three", "30.0"), ("four", "2.0")]:
        (tmp_path / name).mkdir()
        write_modules(tmp_path / name, factor)
        results.append(run(tmp_path / name, DOVETAIL_CACHE_DIR=cache_folder))
    assert [r["value"] for r in results] == [5.0, 5.0, 61.0, 5.0]
    assert [r["hits"] for r in results] == [0, 1, 0, 1]


def test_of_many_versions_of_a_kernel_the_oldest_is_dropped(own_cache):  # noqa: F811
    for factor in range(cache._KEPT_VERSIONS + 2):
        gain = module_from(f"@jit\ndef gain(x):\n    return {factor} * x\n").gain
        assert gain(2.0) == 2.0 * factor
    assert len(list(own_cache.rglob("module_under_test.gain-*.nbc"))) == cache._KEPT_VERSIONS


def test_an_entry_is_made_from_pieces_that_are_kept(modules, tmp_path):
    """In a process that compiles nothing else; a tuple is taken apart by tables of Numba."""
    source = "from dovetail.runtime.jit import jit\n@jit\ndef response(x): return x[0] + x[1]\n"
    (modules / "caller.py").write_text(source)
    code, folder = RUN.replace("response(2.0)", "response((2.0, 3.0))"), tmp_path / "kernels"
    run(modules, code, DOVETAIL_CACHE_DIR=str(folder))
    for entry in folder.rglob("*.nbc"):
        entry.unlink()
    assert list(folder.rglob("*.nbp"))
    again = run(modules, code, DOVETAIL_CACHE_DIR=str(folder))
    assert (again["value"], again["hits"], again["misses"]) == (5.0, 0, 1)


@pytest.mark.parametrize(
    ("set_to", "used"),
    [
        ({"NUMBA_CACHE_DIR": "numba"}, "numba"),
        ({"NUMBA_CACHE_DIR": "numba", "DOVETAIL_CACHE_DIR": "ours"}, "ours"),
    ],
)
def test_the_environment_chooses_the_folder(modules, tmp_path, set_to, used):
    write_modules(modules, factor="2.0")
    folder = run(modules, **{k: str(tmp_path / v) for k, v in set_to.items()})["folder"]
    assert Path(folder) == tmp_path / used / "caller"


def test_a_user_whose_cache_cannot_be_written_falls_back_to_the_folder_of_the_source(modules):
    write_modules(modules, factor="2.0")
    (modules / "home").write_text("a file here keeps anyone, root too, from making a folder")
    assert Path(run(modules, PYTHONPYCACHEPREFIX="")["folder"]) == modules / "__pycache__"
    assert run(modules, PYTHONPYCACHEPREFIX="")["hits"] == 1


def test_processes_that_compile_at_once_do_not_spoil_each_others_entries(modules, tmp_path):
    write_modules(modules, factor="2.0")
    chosen = str(tmp_path / "chosen")
    # different argument types race for one kernel's entries, which mixes up Numba's numbering
    codes = [RUN.replace("response(2.0)", f"str(response({a}))") for a in ("2.0", "2.0", "2j")]
    racing = finish(*[start(modules, code, DOVETAIL_CACHE_DIR=chosen) for code in codes])
    assert [r["value"] for r in racing] == ["5.0", "5.0", "(1+4j)"]
    assert all(r["folder"].startswith(chosen) for r in racing)  # the folder requested
    both = RUN.replace("response(2.0)", "str([response(2.0), response(2j)])")
    again = run(modules, both, DOVETAIL_CACHE_DIR=chosen)
    assert (again["value"], again["hits"], again["misses"]) == ("[5.0, (1+4j)]", 2, 0)


def test_without_a_compiler_kernels_are_plain_python(modules):
    write_modules(modules, factor="2.0")
    code = """
        import json, types
        from caller import response
        from dovetail.runtime.warmup import warm, warmup
        warm(response, 1.0)
        plain = isinstance(response, types.FunctionType)
        print(json.dumps([plain, response(2.0), warmup().kernels]))
    """
    assert run(modules, code, NUMBA_DISABLE_JIT="1") == [True, 5.0, 0]


def test_user_cache_folder_follows_the_platform(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/paths/are/to/be/ignored")
    monkeypatch.setattr(sys, "platform", "linux")
    assert cache_folders.user_cache_folder() == tmp_path / ".cache" / "dovetail"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folders.user_cache_folder() == tmp_path / "xdg" / "dovetail"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache_folders.user_cache_folder() == tmp_path / "Library" / "Caches" / "dovetail"
    monkeypatch.setattr(sys, "platform", "win32")
    assert cache_folders.user_cache_folder() == tmp_path / "local" / "dovetail" / "Cache"
