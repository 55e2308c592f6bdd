"""The kernels of a run are compiled together, with a message, by other processes if possible."""

import json

import pytest
from test_cache import finish, start

from dovetail.runtime import compile_notice
from dovetail.runtime.jit import is_compiled_kernel, jit

pytestmark = pytest.mark.skipif(
    not is_compiled_kernel(jit(lambda x: x)), reason="Numba is disabled"
)
PACKAGE = """
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm

@jit
def a(x): return x + 1.0
@jit
def b(x): return x + 2.0
@jit
def c(x): return x + 3.0
@jit
def d(x): return a(x) + 4.0
@jit
def other(x): return x + 5.0

for kernel in (a, b, c, d, other):
    warm(kernel, 1.0)
"""
# a script without `if __name__ == "__main__"`, as people write them
SCRIPT = """
import json, time
from dovetail.runtime.compile_ahead import compile_ahead
from dovetail.runtime.compile_notice import notice
{before}
import four
began, clock = notice.run_clock(), time.perf_counter()
names = [f"four:{{name}}" for name in "abcd"]
with compile_ahead(["four"], names):
    values = [four.a(1.0), four.d(1.0)]
took, waited = notice.run_clock() - began, time.perf_counter() - clock
misses = [sum(k.stats.cache_misses.values()) for k in (four.a, four.d, four.other)]
kept = len({{p.name.split("-")[0] for p in __import__("pathlib").Path("kernels").rglob("*.nbc")}})
print(json.dumps([values, misses, kept, notice.compiled, took, waited]))
"""


def run(folder, before="", **environment):
    (folder / "four.py").write_text(PACKAGE)
    environment = {
        "DOVETAIL_CACHE_DIR": str(folder / "kernels"),
        "DOVETAIL_QUIET": "",
    } | environment
    process = start(folder, SCRIPT.format(before=before), **environment)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return json.loads(out), err


def test_other_processes_compile_all_of_them_at_the_first_that_is_missing(tmp_path):
    (values, misses, kept, compiled, took, waited), said = run(tmp_path)
    assert values == [2.0, 6.0]
    assert misses == [0, 0, 0]  # this process only loaded
    assert kept == 4  # not the fifth, which was not asked for
    assert compiled >= 4
    assert took < 0.25 * waited  # the clock of the run stood still meanwhile
    assert "dovetail: compiling kernels 0 of 4 (happens once)" in said
    assert "dovetail: compiled 4 kernels in" in said
    again, said = run(tmp_path)
    assert (again[0], again[3], said) == ([2.0, 6.0], 0, "")


@pytest.mark.parametrize(
    "before",
    [
        "import sys; sys.executable = ''",
        "from dovetail.runtime import compile_workers as c; c._CODE = 'raise Exception'",
    ],
    ids=["none can be started", "all of them die"],
)
def test_without_processes_each_is_compiled_here_when_it_is_called(tmp_path, before):
    (values, misses, kept, *_), said = run(tmp_path, before)
    assert (values, misses[:2], kept) == ([2.0, 6.0], [1, 1], 2)
    assert "dovetail: compiling kernels" in said


def test_where_nothing_can_be_kept_each_is_compiled_when_it_is_called(tmp_path):
    (tmp_path / "kernels").write_text("a file keeps anyone from making a folder")
    before = "import pathlib; pathlib.Path.rglob = lambda *_: []"
    (values, misses, *_), said = run(tmp_path, before)
    assert (values, misses[:2]) == ([2.0, 6.0], [1, 1])
    assert "cannot be kept" in said


def test_quiet_means_quiet(tmp_path):
    assert run(tmp_path, DOVETAIL_QUIET="1")[1] == ""


class Terminal:
    """A stderr that says it is a terminal."""

    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text

    def flush(self):
        pass

    def isatty(self):
        return True


def test_on_a_terminal_one_line_counts_and_is_wiped_away(monkeypatch):
    monkeypatch.delenv("DOVETAIL_QUIET", raising=False)
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    with compile_notice.CompileNotice().counting(3) as show:
        show(1)
        show(3)
    lines = terminal.text.split("\r")
    assert lines[1] == "[------------------------] compiling kernels 0 of 3 (happens once)"
    assert lines[2] == "[########----------------] compiling kernels 1 of 3 (happens once)"
    assert lines[4].startswith("\x1b[2K")
    assert "compiled 3 kernels in" in lines[4]


def test_a_progress_bar_that_is_on_the_screen_shows_the_count(monkeypatch, capsys):
    monkeypatch.delenv("DOVETAIL_QUIET", raising=False)
    notice, shown = compile_notice.CompileNotice(), []
    with notice.shown_by(shown.append), notice.counting(2) as show:
        show(2)
    assert shown == [f"compiling kernels {n} of 2 (happens once)" for n in (0, 2)]
    assert capsys.readouterr().err == ""


def test_the_warm_up_imports_no_module_that_compiles(tmp_path):
    """Bundles stand for themselves by type: registering them compiles nothing."""
    code = """
        import json
        from dovetail.runtime import warmup
        from dovetail.runtime.compile_notice import notice
        warmup.gather(warmup.modules_of(warmup.PACKAGES))
        print(json.dumps([len(warmup.registered()), notice.compiled]))
    """
    count, compiled = finish(start(tmp_path, code, DOVETAIL_CACHE_DIR=str(tmp_path / "empty")))[0]
    assert count > 150
    assert compiled == 0
