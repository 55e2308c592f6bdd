"""Does the suite notice a wrong line? Mutation testing of the plain Python code, folder by folder.

    python benchmarks/mutation.py simulate results             # 40 mutants each, seed 1
    python benchmarks/mutation.py contact --sample 100 --seed 7
    python benchmarks/mutation.py simulate --only frame.py     # every mutant of one file
    python benchmarks/mutation.py simulate --list              # what there is, nothing is run
The tests of `TESTS` run once, in this process, to load kernels and to see which test calls which
function. Every mutant then lives in a fork of the process, where the function gets its changed code
and the tests that call it run until one fails (killed) or all pass (survived). No file is written.
What `mutants.py` leaves alone is not counted. A mutant with which a test takes ten times as long,
in processor time, is killed too, and printed as such. Exit code 1 when less than --goal of a
folder's mutants is killed.
"""

import argparse
import os
import random
import resource
import signal
import sys
import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from mutants import Mutant, apply, function_named, mutants_of

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
TESTS = {
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
        "tests/physics/test_free_flight.py",
        "tests/physics/test_held_motions.py",
        "tests/physics/test_loads.py",
        "tests/physics/test_jointed_motion.py",
        "tests/physics/test_barrier_verlet.py",
        "tests/physics/test_lcp_contact.py",
        "tests/physics/test_sdf_contact.py",
    ),
    "contact": (
        "tests/contact",
        "tests/physics/test_lcp_contact.py",
        "tests/physics/test_sdf_contact.py",
        "tests/physics/test_jointed_sdf_contact.py",
        "tests/physics/test_blocks_and_slopes.py",
        "tests/physics/test_joints_without_intersection.py",
        "tests/physics/test_restitution_without_intersection.py",
    ),
}
LONGEST = 200.0  # [s] of tests per mutant, quick ones first
SHORTEST, TIMES_AS_LONG = 10, 10  # [s] and times a test's own time: then a mutant is too slow
ASLEEP = 300  # [s] of wall time, for a mutant that waits for ever
MAX_MEMORY = 6 << 30  # [bytes] that a mutant may take beyond what is in use


class Mutation:
    """A pytest plugin: the run of all tests first, then one fork per mutant."""

    def __init__(self, mutants: list[Mutant]) -> None:
        self.mutants = mutants
        self.survived: list[Mutant] = []
        self.slow: list[Mutant] = []
        self._failed, self._phase = False, ""
        self._codes = {}
        for mutant in mutants:
            function = function_named(mutant.module, mutant.function)
            assert function is not None
            self._codes[function.__code__] = (mutant.module, mutant.function)
        self._tests: dict[tuple[str, str], set[Any]] = defaultdict(set)
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
            elif outcome == "too slow":
                self.slow.append(mutant)
        return True

    def _see(self, item: Any, following: Any, items: list[Any]) -> None:
        """Run one test and note which of the functions it calls.

        What is called while a fixture is made counts for all tests of the file, since others may
        use the same fixture.
        """
        called: dict[str, set[Any]] = defaultdict(set)

        def note(frame: Any, event: str, _: Any) -> None:
            if event == "call" and frame.f_code in self._codes:
                called[self._phase].add(self._codes[frame.f_code])

        self._failed, start = False, time.process_time()
        sys.setprofile(note)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        sys.setprofile(None)
        if self._failed:
            print(f"left out, it fails without a mutant: {item.nodeid}")
            return
        self._cost[item] = time.process_time() - start
        for function in called["call"]:
            self._tests[function].add(item)
        for function in called["setup"]:
            self._tests[function] |= {other for other in items if other.path == item.path}

    def _chosen(self, mutant: Mutant) -> list[Any]:
        """Tests that call the function, quick ones first, and no more than `LONGEST`."""
        calling = self._tests[(mutant.module, mutant.function)] & self._cost.keys()
        tests = sorted(calling, key=self._cost.__getitem__)
        chosen, total = [], 0.0
        for test in tests:
            total += self._cost[test]
            if total > LONGEST and chosen:
                break
            chosen.append(test)
        return chosen

    def _outcome(self, mutant: Mutant, tests: list[Any]) -> str:
        if not tests:
            return "survived"
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


def all_mutants(folder: str, only: str | None) -> list[Mutant]:
    """Every mutant of a folder of the package, in the order of its files."""
    found = []
    for path in sorted((SOURCE / "dovetail" / folder).rglob("*.py")):
        if only is None or path.name == only:
            module = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
            found += mutants_of(path.relative_to(ROOT), module.removesuffix(".__init__"))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", choices=TESTS)
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--goal", type=float, default=0.9)
    parser.add_argument("--only", help="name of one file: all its mutants")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    os.chdir(ROOT)
    enough = True
    for folder in options.folders:
        mutants = all_mutants(folder, options.only)
        total = len(mutants)
        if options.only is None:
            mutants = random.Random(options.seed).sample(mutants, min(options.sample, total))
        if options.list:
            print(*mutants, sep="\n")
            continue
        mutation = Mutation(mutants)
        arguments = ["-q", "-m", "not slow", "-p", "no:cacheprovider", "-p", "no:xdist"]
        pytest.main([*arguments, "--no-header", "--capture=no", *TESTS[folder]], [mutation])
        killed = len(mutants) - len(mutation.survived)
        print(
            f"{folder}: {killed} of {len(mutants)} mutants killed ({killed / len(mutants):.0%}), "
            f"{len(mutation.slow)} of them too slow; {total} possible"
        )
        for mutant in mutation.survived:
            print(f"  survived: {mutant}")
        enough &= killed >= options.goal * len(mutants)
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
