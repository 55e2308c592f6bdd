"""Which test runs which line: recorded once, so that a mutant meets only the tests of its line.

    python benchmarks/line_map.py lines.json                   # the tests of `TESTS`
    python benchmarks/line_map.py lines.json tests/simulate    # some again, or more
    python benchmarks/line_map.py lines.json --longest 3       # only tests of 3 s, in less time
Runs the tests and writes, for each, its processor time and the lines of plain functions of
`FOLDERS` that it runs, counted from the first line of the function: an edit of one function leaves
the lines of the others right. What runs while a fixture is made counts for all tests of the file,
since others may use the same fixture. A map that is there already keeps what it has of other tests.
"""

import argparse
import json
import os
import signal
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from types import CodeType
from typing import Any

import pytest
from mutants import codes_in, plain_functions

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
FOLDERS = ("simulate", "results", "integrators", "contact")
TESTS = (
    *(f"tests/{folder}" for folder in (*FOLDERS, "extensions")),
    "tests/stability/test_monitor.py",
    "tests/hostile/test_damaged_files.py",
    "tests/hostile/test_mistakes_reported_at_the_start.py",
    "tests/hostile/test_newcomers_mistakes.py",
    "tests/cli/test_export_fmu_command.py",
    "tests/physics",
)
LONGEST = 15.0  # [s] of processor time; a test that takes longer is not used for mutants
QUIETLY = ("-q", "-m", "not slow", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header",
           "--capture=no", "--hypothesis-profile=ci")  # fmt: skip
Lines = dict[str, set[int]]  # of a function "module:name", counted from its first line


class LineMap:
    """For each test: its processor time [s] and the lines of functions that it runs."""

    def __init__(self) -> None:
        self.cost: dict[str, float] = {}
        self.lines: dict[str, Lines] = {}

    @classmethod
    def load(cls, paths: Sequence[Path]) -> "LineMap":
        found = cls()
        for path in paths:
            for test, (cost, lines) in json.loads(path.read_text()).items():
                found.cost[test] = cost
                found.lines[test] = {name: set(numbers) for name, numbers in lines.items()}
        return found

    def save(self, path: Path) -> None:
        rows = {
            test: (cost, {name: sorted(numbers) for name, numbers in self.lines[test].items()})
            for test, cost in self.cost.items()
        }
        path.write_text(json.dumps(rows))

    def tests(self, function: str, lines: range) -> list[str]:
        """The tests that run one of these lines of a function, quick ones first.

        Those that run the function at all, where none runs the line: it may be new.
        """
        running = [
            test
            for test, seen in self.lines.items()
            if not seen.get(function, set()).isdisjoint(lines)
        ]
        running = running or [test for test, seen in self.lines.items() if function in seen]
        return sorted(running, key=self.cost.__getitem__)


class Recorder:
    """A pytest plugin: every test is run under a trace function."""

    def __init__(self, line_map: LineMap, path: Path, longest: float = LONGEST) -> None:
        self.map, self._path, self._failed, self._phase = line_map, path, False, ""
        self._longest = longest
        self._codes: dict[CodeType, tuple[str, int]] = {}
        for folder in FOLDERS:
            for module, name, function in plain_functions(SOURCE, folder):
                code = function.__code__
                place = (f"{module}:{name}", code.co_firstlineno)
                self._codes.update(dict.fromkeys(codes_in(code), place))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        self._phase = "setup"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self) -> None:
        self._phase = "call"

    def pytest_runtest_logreport(self, report: Any) -> None:
        self._failed |= report.failed

    def pytest_runtestloop(self, session: Any) -> bool:
        items = session.items
        of_fixtures: dict[Path, Lines] = defaultdict(lambda: defaultdict(set))
        for i, item in enumerate(items):
            following = items[i + 1] if i + 1 < len(items) else None
            self._see(item, following, of_fixtures[item.path])
            if following is None or following.path != item.path:  # a run cut short is not lost
                self._add_fixtures([one for one in items if one.path == item.path], of_fixtures)
                self.map.save(self._path)
        return True

    def _add_fixtures(self, items: list[Any], of_fixtures: dict[Path, Lines]) -> None:
        for item in items:
            if item.nodeid in self.map.cost:
                for name, numbers in of_fixtures[item.path].items():
                    self.map.lines[item.nodeid].setdefault(name, set()).update(numbers)

    def _see(self, item: Any, following: Any, of_fixtures: Lines) -> None:
        seen: dict[str, set[tuple[CodeType, int]]] = defaultdict(set)

        def on_call(frame: Any, event: str, _: Any) -> Any:
            return on_line if frame.f_code in self._codes else None

        def on_line(frame: Any, event: str, _: Any) -> Any:
            seen[self._phase].add((frame.f_code, frame.f_lineno))
            return on_line

        self._failed, start = False, time.process_time()
        signal.signal(signal.SIGPROF, _too_slow)
        signal.setitimer(signal.ITIMER_PROF, self._longest)
        sys.settrace(on_call)
        threading.settrace(on_call)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
        signal.setitimer(signal.ITIMER_PROF, 0)
        self.map.cost.pop(item.nodeid, None)
        self.map.lines.pop(item.nodeid, None)
        if self._failed:
            print(f"left out, it fails without a mutant or is too slow: {item.nodeid}", flush=True)
            return
        self.map.cost[item.nodeid] = round(time.process_time() - start, 4)
        lines: Lines = defaultdict(set)
        for phase in seen:
            for code, line in seen[phase]:
                name, first = self._codes[code]
                (of_fixtures if phase == "setup" else lines).setdefault(name, set()).add(
                    line - first
                )
        self.map.lines[item.nodeid] = lines


def _too_slow(number: int, frame: Any) -> None:
    pytest.fail("takes longer than all tests of a mutant may", pytrace=False)


def record(path: Path, tests: Sequence[str], longest: float) -> LineMap:
    """Run tests and add what they run to the map at `path`."""
    line_map = LineMap.load([path] if path.exists() else [])
    pytest.main([*QUIETLY, *tests], [Recorder(line_map, path, longest)])
    return line_map


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("map", type=Path)
    parser.add_argument("tests", nargs="*", default=TESTS)
    parser.add_argument("--longest", type=float, default=LONGEST, help="[s] of one test")
    options = parser.parse_args()
    os.chdir(ROOT)
    recorded = record(options.map.absolute(), options.tests, options.longest)
    print(f"\n{len(recorded.cost)} tests, {sum(recorded.cost.values()):.0f} s of processor time")
