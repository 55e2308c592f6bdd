"""Does the suite notice a wrong line? Mutation testing of the plain Python code, folder by folder.

    python benchmarks/line_map.py lines.json                   # once: which test runs which line
    python benchmarks/mutation.py simulate results --map lines.json    # 40 mutants each, seed 1
    python benchmarks/mutation.py contact --map lines.json --sample 60 --seeds 3 4
    python benchmarks/mutation.py contact --map lines.json --seeds 3 4 --log killed.txt
    python benchmarks/mutation.py simulate --map lines.json --only frame.py    # all of one file
    python benchmarks/mutation.py simulate --list              # what there is, nothing is run
The map of `line_map.py` says which tests run the line of a mutant. One test of each of their files
runs first, in this process, to load kernels. Every mutant then lives in a fork of the process,
where the function gets its changed code and the tests of its line run, quick ones first, until one
fails (killed), all pass or --longest is used up (survived). No file is written. What `mutants.py`
leaves alone is not counted, nor are the mutants of `equivalent_mutants.toml`, each of which does
the same as the code for the reason given there. A mutant with which a test takes ten times as long,
in processor time, is killed too, and printed as such; one of a line that no test runs is, where its
module can no longer be imported. Exit code 1 when less than --goal of a folder's mutants is killed.
"""

import argparse
import json
import os
import random
import resource
import signal
import sys
import time
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from line_map import FOLDERS, QUIETLY, LineMap
from mutants import Mutant, apply, function_named, imported, module_of, mutants_of

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.toml")
SHORTEST, TIMES_AS_LONG = 10, 10  # [s] and times a test's own time: then a mutant is too slow
ASLEEP = 300  # [s] of wall time, for a mutant that waits for ever
MAX_MEMORY = 6 << 30  # [bytes] that a mutant may take beyond what is in use


class Mutation:
    """A pytest plugin: one test of each file first, then one fork per mutant."""

    def __init__(self, mutants: list[Mutant], line_map: LineMap, longest: float, log: Path | None):
        self.mutants, self.map, self.longest, self.log = mutants, line_map, longest, log
        self.tests = {mutant: self._chosen(mutant) for mutant in mutants}  # node ids
        self.killed: set[Mutant] = set()
        self.survived: list[Mutant] = []
        self._failed = False

    def _chosen(self, mutant: Mutant) -> list[str]:
        """Tests that run the statement, quick ones first, and no more than `longest`."""
        function = function_named(mutant.module, mutant.function)
        assert function is not None
        first = function.__code__.co_firstlineno
        lines = range(mutant.lines[0] - first, mutant.lines[1] + 1 - first)
        chosen, total = [], 0.0
        for test in self.map.tests(f"{mutant.module}:{mutant.function}", lines):
            total += self.map.cost[test]
            if total > self.longest and chosen:
                break
            chosen.append(test)
        return chosen

    def pytest_runtest_logreport(self, report: Any) -> None:
        self._failed |= report.failed

    def pytest_runtestloop(self, session: Any) -> bool:
        wanted = {test for tests in self.tests.values() for test in tests}
        items = {item.nodeid: item for item in session.items if item.nodeid in wanted}
        self._load_kernels(items)
        for mutant in self.mutants:
            tests = [items[test] for test in self.tests[mutant] if test in items]
            start = time.perf_counter()
            outcome = self._outcome(mutant, tests)
            passed = time.perf_counter() - start
            print(f"{outcome:9}{len(tests):4} tests {passed:5.1f} s  {mutant}", flush=True)
            if outcome == "survived":
                self.survived.append(mutant)
                continue
            self.killed.add(mutant)
            if self.log:  # at once: a run that ends early is not lost
                with self.log.open("a") as file:
                    print(json.dumps([*mutant.key, mutant.number]), file=file)
        return True

    def _load_kernels(self, items: dict[str, Any]) -> None:
        """Run the quickest test of each file: its kernels need not be loaded in every fork."""
        quickest: dict[Path, Any] = {}
        for test in sorted(items, key=lambda test: self.map.cost[test]):
            quickest.setdefault(items[test].path, items[test])
        for item in quickest.values():
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)

    def _outcome(self, mutant: Mutant, tests: list[Any]) -> str:
        child = os.fork()
        if child == 0:
            self._live(mutant, tests)
        _, status = os.waitpid(child, 0)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # processes that its tests started
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGALRM, signal.SIGPROF):
            return "too slow"
        return "survived" if status == 0 else "killed"

    def _live(self, mutant: Mutant, tests: list[Any]) -> None:
        """In the fork: change the function, run its tests, and end with 0 if all pass."""
        os.setpgid(0, 0)
        in_use = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (in_use + MAX_MEMORY, in_use + MAX_MEMORY))
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nowhere, descriptor)
        for number in (signal.SIGALRM, signal.SIGPROF):
            signal.signal(number, signal.SIG_DFL)
        self._failed = False
        try:
            if not tests:
                imported(mutant)
            apply(mutant)
            for test, following in zip(tests, [*tests[1:], None]):
                most = SHORTEST + TIMES_AS_LONG * self.map.cost[test.nodeid]
                signal.setitimer(signal.ITIMER_PROF, most)
                signal.alarm(ASLEEP)
                test.config.hook.pytest_runtest_protocol(item=test, nextitem=following)
                if self._failed:
                    os._exit(1)
        except BaseException:
            os._exit(2)
        os._exit(0)


def all_mutants(folder: str, only: str | None) -> list[Mutant]:
    """Every mutant of a folder of the package, in the order of its files."""
    found = []
    for path in sorted((SOURCE / "dovetail" / folder).rglob("*.py")):
        if only is None or path.name == only:
            found += mutants_of(path.relative_to(ROOT), module_of(path, SOURCE))
    if only is None:
        for key in equivalents(folder) - {mutant.key for mutant in found}:
            raise SystemExit(f"{EQUIVALENT.name} has a mutant that there is not: {key}")
    return found


def equivalents(folder: str) -> set[tuple[str, str, str, str]]:
    """Keys of the mutants of a folder that do the same as the code."""
    listed = tomllib.loads(EQUIVALENT.read_text())["mutant"]
    of_folder = f"src/dovetail/{folder}/"
    return {
        (row["path"], row["function"], row["text"], change)
        for row in listed
        for change in row["changes"]
        if row["path"].startswith(of_folder)
    }


def logged(path: Path | None) -> set[tuple[Any, ...]]:
    """Keys and numbers of the mutants that an earlier run has killed."""
    if path is None or not path.exists():
        return set()
    return {tuple(json.loads(line)) for line in path.read_text().splitlines()}


def sampled(mutants: list[Mutant], size: int, seed: int, left_out: set[Any]) -> list[Mutant]:
    """The sample of a seed is the same whatever is left out of it."""
    sample = random.Random(seed).sample(mutants, min(size, len(mutants)))
    return [mutant for mutant in sample if mutant.key not in left_out]


def run(mutants: list[Mutant], line_map: LineMap, longest: float, log: Path | None) -> Mutation:
    mutation = Mutation(mutants, line_map, longest, log)
    chosen = {test for tests in mutation.tests.values() for test in tests}
    pytest.main([*QUIETLY, *sorted({test.partition("::")[0] for test in chosen})], [mutation])
    if len(mutation.killed) + len(mutation.survived) < len(mutants):
        raise SystemExit("not all mutants were tried")
    return mutation


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", choices=FOLDERS)
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1], help="one sample for each")
    parser.add_argument("--goal", type=float, default=0.9)
    parser.add_argument("--only", help="name of one file: all its mutants")
    parser.add_argument("--longest", type=float, default=60.0, help="[s] of tests per mutant")
    parser.add_argument("--map", type=Path, nargs="+", default=[], help="files of `line_map.py`")
    parser.add_argument("--log", type=Path, help="append what was killed; do not try it again")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    line_map = LineMap.load([path.absolute() for path in options.map])
    os.chdir(ROOT)
    enough = True
    for folder in options.folders:
        every = all_mutants(folder, options.only)
        size = len(every) if options.only else options.sample
        equivalent = equivalents(folder)
        samples = {seed: sampled(every, size, seed, equivalent) for seed in options.seeds}
        chosen = list(dict.fromkeys(mutant for sample in samples.values() for mutant in sample))
        if options.list:
            print(*chosen, sep="\n")
            continue
        known = logged(options.log)
        left = [mutant for mutant in chosen if (*mutant.key, mutant.number) not in known]
        mutation = run(left, line_map, options.longest, options.log)
        survived = set(mutation.survived)
        for mutant in mutation.survived:
            print(f"  survived: {mutant}\n      {mutant.text}")
        for seed, sample in samples.items():
            killed = sum(mutant not in survived for mutant in sample)
            print(
                f"{folder}, seed {seed}: {killed} of {len(sample)} mutants killed "
                f"({killed / len(sample):.0%}), {size - len(sample)} more are equivalent; "
                f"{len(every)} possible"
            )
            enough &= killed >= options.goal * len(sample)
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
