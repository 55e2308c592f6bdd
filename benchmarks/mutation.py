"""Does the suite notice a wrong line? Mutation testing of the plain Python code, folder by folder.

    python benchmarks/mutation.py simulate results             # 40 mutants each, seed 1
    python benchmarks/mutation.py contact --sample 60 --seeds 3 4
    python benchmarks/mutation.py contact --seeds 3 4 --log killed.txt --tests tests/contact/ipc
    python benchmarks/mutation.py simulate --only frame.py     # every mutant of one file
    python benchmarks/mutation.py simulate --list              # what there is, nothing is run
The tests of `TESTS` run once, in this process, to load kernels and to see which test runs which
line. Every mutant then lives in a fork of the process, where the function gets its changed code
and the tests that run the line go on until one fails (killed) or all pass (survived). No file is
written. What `mutants.py` leaves alone is not counted, nor are the mutants of
`equivalent_mutants.toml`, each of which does the same as the code for the reason given there. A
mutant with which a test takes ten times as long, in processor time, is killed too, and printed as
such; one of a line that no test runs is, where its module can no longer be imported. Exit code 1
when less than --goal of a folder's mutants is killed.
"""

import argparse
import json
import os
import random
import resource
import signal
import sys
import threading
import time
import tomllib
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from mutants import Mutant, apply, codes_in, function_named, imported, mutants_of

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
OF_STEPS = (
    "free_flight", "held_motions", "loads", "stiff_loads", "jointed_motion", "impacts", "sleeping",
    "lcp_contact", "compliant_contact", "jointed_sdf_contact", "barrier_verlet",
    "joints_without_intersection", "restitution_without_intersection",
)  # fmt: skip
OF_CONTACT = (
    "lcp_contact", "sdf_contact", "compliant_contact", "jointed_sdf_contact", "blocks_and_slopes",
    "joints_without_intersection", "restitution_without_intersection",
)  # fmt: skip
TESTS: dict[str, tuple[str, ...]] = {
    "simulate": (
        "tests/simulate",
        "tests/results",
        "tests/stability/test_monitor.py",
        "tests/cli/test_export_fmu_command.py",
    ),
    "results": ("tests/results", "tests/simulate", "tests/hostile/test_damaged_files.py"),
    "integrators": (
        "tests/integrators",
        "tests/simulate",
        "tests/extensions",
        *(f"tests/physics/test_{name}.py" for name in OF_STEPS),
    ),
    "contact": (
        "tests/contact",
        "tests/extensions",
        *(f"tests/physics/test_{name}.py" for name in OF_CONTACT),
    ),
}
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.toml")
SHORTEST, TIMES_AS_LONG = 10, 10  # [s] and times a test's own time: then a mutant is too slow
ASLEEP = 300  # [s] of wall time, for a mutant that waits for ever
MAX_MEMORY = 6 << 30  # [bytes] that a mutant may take beyond what is in use


class Mutation:
    """A pytest plugin: the run of all tests first, then one fork per mutant."""

    def __init__(self, mutants: list[Mutant], longest: float, log: Path | None) -> None:
        self.mutants, self.longest, self.log = mutants, longest, log
        self.survived: list[Mutant] = []
        self._failed, self._phase = False, ""
        self._codes = {}
        for mutant in mutants:
            function = function_named(mutant.module, mutant.function)
            assert function is not None
            self._codes.update(dict.fromkeys(codes_in(function.__code__), mutant.module))
        self._tests: dict[tuple[str, int], set[Any]] = defaultdict(set)  # of module and line
        self._cost: dict[Any, float] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        self._phase = "setup"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self) -> None:
        self._phase = "call"

    def pytest_runtest_logreport(self, report: Any) -> None:
        self._failed |= report.failed

    def pytest_runtestloop(self, session: Any) -> bool:
        if session.config.option.collectonly:
            return True
        items = session.items
        for item, following in zip(items, [*items[1:], None]):
            self._see(item, following, items)
        print(f"\n{len(self._cost)} tests in {sum(self._cost.values()):.0f} s", flush=True)
        for mutant in self.mutants:
            tests = self._chosen(mutant)
            outcome = self._outcome(mutant, tests)
            print(f"{outcome:9}{len(tests):4} tests  {mutant}", flush=True)
            if outcome == "survived":
                self.survived.append(mutant)
            elif self.log:  # at once: a run that ends early is not lost
                with self.log.open("a") as file:
                    print(json.dumps([*mutant.key, mutant.number]), file=file)
        return True

    def _see(self, item: Any, following: Any, items: list[Any]) -> None:
        """Run one test and note which lines of the functions it runs.

        What runs while a fixture is made counts for all tests of the file, since others may use the
        same fixture.
        """
        seen: dict[str, set[tuple[str, int]]] = defaultdict(set)

        def on_call(frame: Any, event: str, _: Any) -> Any:
            return on_line if frame.f_code in self._codes else None

        def on_line(frame: Any, event: str, _: Any) -> Any:
            seen[self._phase].add((self._codes[frame.f_code], frame.f_lineno))
            return on_line

        self._failed, start = False, time.process_time()
        signal.signal(signal.SIGPROF, _too_slow)
        signal.setitimer(signal.ITIMER_PROF, self.longest)
        sys.settrace(on_call)
        threading.settrace(on_call)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
        signal.setitimer(signal.ITIMER_PROF, 0)
        if self._failed:
            print(f"left out, it fails without a mutant or is too slow: {item.nodeid}")
            return
        self._cost[item] = time.process_time() - start
        for line in seen["call"]:
            self._tests[line].add(item)
        for line in seen["setup"]:
            self._tests[line] |= {other for other in items if other.path == item.path}

    def _chosen(self, mutant: Mutant) -> list[Any]:
        """Tests that run the statement, quick ones first, and no more than `longest`."""
        running: set[Any] = set()
        for line in range(mutant.lines[0], mutant.lines[1] + 1):
            running |= self._tests[(mutant.module, line)]
        tests = sorted(running & self._cost.keys(), key=self._cost.__getitem__)
        chosen, total = [], 0.0
        for test in tests:
            total += self._cost[test]
            if total > self.longest and chosen:
                break
            chosen.append(test)
        return chosen

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
                most = SHORTEST + TIMES_AS_LONG * self._cost[test]
                signal.setitimer(signal.ITIMER_PROF, most)
                signal.alarm(ASLEEP)
                test.config.hook.pytest_runtest_protocol(item=test, nextitem=following)
                if self._failed:
                    os._exit(1)
        except BaseException:
            os._exit(2)
        os._exit(0)


def _too_slow(number: int, frame: Any) -> None:
    pytest.fail("takes longer than all tests of a mutant may", pytrace=False)


def all_mutants(folder: str, only: str | None) -> list[Mutant]:
    """Every mutant of a folder of the package, in the order of its files."""
    found = []
    for path in sorted((SOURCE / "dovetail" / folder).rglob("*.py")):
        if only is None or path.name == only:
            module = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
            found += mutants_of(path.relative_to(ROOT), module.removesuffix(".__init__"))
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


def run(mutants: list[Mutant], tests: Sequence[str], longest: float, log: Path | None) -> Mutation:
    mutation = Mutation(mutants, longest, log)
    arguments = ["-q", "-m", "not slow", "-p", "no:cacheprovider", "-p", "no:xdist"]
    pytest.main([*arguments, "--no-header", "--capture=no", *tests], [mutation])
    return mutation


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", choices=TESTS)
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1], help="one sample for each")
    parser.add_argument("--goal", type=float, default=0.9)
    parser.add_argument("--only", help="name of one file: all its mutants")
    parser.add_argument("--longest", type=float, default=200.0, help="[s] of tests per mutant")
    parser.add_argument("--tests", nargs="+", help="instead of those of `TESTS`")
    parser.add_argument("--log", type=Path, help="append what was killed; do not try it again")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
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
        mutation = run(left, options.tests or TESTS[folder], options.longest, options.log)
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
