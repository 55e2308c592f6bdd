"""Kernels that come with the package are loaded, and only if they are what was shipped."""

import json
import os
import sys

import pytest
from kernel_source import own_cache  # noqa: F401
from test_cache import finish, start

from dovetail.runtime import shipped, target

PACKAGE = """
from dovetail.runtime.jit import apart, jit
from dovetail.runtime.warmup import warm

@jit
def inner(x):
    return 2.0 * x

@apart
@jit
def unit(x):
    return inner(x) + 1.0

@jit
def response(x):
    return unit(x)

warm(response, 1.0)
"""
PACK = """
import json
from pathlib import Path
from dovetail.runtime import warmup
from dovetail.runtime.packing import pack
warmup._registered.clear()
if {compile_first}:
    import subprocess, sys
    code = "from dovetail.runtime.warmup import warmup; warmup(packages=('little',))"
    subprocess.run([sys.executable, "-c", code], check=True)
print(json.dumps(pack(Path("archive"), ("little",))))
"""
USE = """
import json
from pathlib import Path
from dovetail.runtime import shipped
from dovetail.runtime.compile_notice import notice
shipped.FOLDER = Path("archive")
from little import response
print(json.dumps([response(2.0), notice.compiled]))
"""
pytestmark = pytest.mark.skipif(
    target.level_of_architecture() is None or not target.host_has(target.level_of_architecture()),
    reason="this processor has no common level",
)


def use(folder, **environment):
    """(value, compilations) of a user with an empty home, and what was said."""
    environment |= {"DOVETAIL_CACHE_DIR": str(folder / "nothing here"), "DOVETAIL_QUIET": ""}
    process = start(folder, USE, **environment)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return json.loads(out), err


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """A folder with a package and the archive of its kernels."""
    folder = tmp_path_factory.mktemp("shipped")
    (folder / "little.py").write_text(PACKAGE)
    kernels = {"DOVETAIL_CACHE_DIR": str(folder / "kernels"), "PYTHONPATH": paths(folder)}
    assert finish(start(folder, PACK.format(compile_first=True), **kernels)) == [2]  # not `inner`
    return folder


def paths(folder):
    """The folder and where this process finds its packages, which may lie anywhere."""
    return os.pathsep.join(filter(None, [*sys.path, str(folder)]))


@pytest.fixture
def changed(archive, tmp_path):
    """A copy of it to change."""
    import shutil

    return shutil.copytree(archive, tmp_path / "copy", ignore=shutil.ignore_patterns("kernels"))


def test_nothing_is_compiled_with_an_empty_home(archive):
    assert use(archive) == ([5.0, 0], "")


@pytest.mark.parametrize("kernel", ["little.response", "little.unit"])
def test_a_kernel_that_was_changed_is_refused_with_a_message_and_compiled(changed, kernel):
    path = changed / "archive" / "kernels.bin"
    listed = json.loads((changed / "archive" / "kernels.json").read_text())["kernels"]
    ((offset, size, _),) = [place for name, place in listed.items() if name.startswith(kernel)]
    content = bytearray(path.read_bytes())
    content[offset + size // 2] ^= 1
    path.write_bytes(content)
    (value, compiled), said = use(changed)
    assert (value, compiled > 0) == (5.0, True)
    assert f"kernel {kernel} in" in said
    assert "has not the digest it was shipped with" in said


def test_an_edited_function_is_compiled_even_if_an_older_one_was_shipped(changed):
    (changed / "little.py").write_text(PACKAGE.replace("2.0 * x", "30.0 * x"))
    value, compiled = use(changed)[0]
    assert (value, compiled > 0) == (61.0, True)


def test_kernels_for_another_numba_are_left_alone_and_it_is_said(changed):
    path = changed / "archive" / "kernels.json"
    listed = json.loads(path.read_text())
    listed["made_for"]["numba"] = "0.1.2"
    path.write_text(json.dumps(listed))
    (value, compiled), said = use(changed)
    assert (value, compiled > 0) == (5.0, True)
    assert "are for numba 0.1.2 (found" in said


def test_who_wants_native_code_gets_it_and_the_same_number(archive):
    value, compiled = use(archive, DOVETAIL_CPU="native")[0]
    assert (value, compiled > 0) == (5.0, True)


def test_other_code_that_used_numba_before_does_not_keep_kernels_from_being_loaded(archive):
    """It has fixed the target of the process to the processor at hand."""
    before = "import numba\nnumba.njit(lambda x: x + 1)(1)\n"
    process = start(archive, before + USE, DOVETAIL_CACHE_DIR=str(archive / "nothing here"))
    out, err = process.communicate(timeout=120)
    assert json.loads(out) == [5.0, 0], err


def test_what_was_not_compiled_before_is_not_packed(archive, tmp_path):
    kernels = {"DOVETAIL_CACHE_DIR": str(tmp_path / "empty"), "PYTHONPATH": paths(archive)}
    process = start(archive, PACK.format(compile_first=False), **kernels)
    _, err = process.communicate(timeout=120)
    assert process.returncode != 0
    assert "run `dovetail warmup` first" in err


def test_a_checkout_has_no_archive():
    assert shipped.FOLDER.name == "kernels"
    assert not (shipped.FOLDER / "kernels.json").exists()
