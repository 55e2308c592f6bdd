"""How many intervals the verifier cannot decide: of all examples, and of fits made to be tight.

    python benchmarks/undecided.py                    # the first 100 steps of each example
    python benchmarks/undecided.py --steps 1000000    # whole runs
    python benchmarks/undecided.py --only tight
    python benchmarks/undecided.py --only fixtures --steps 20 --seconds 10    # of Ferguson et al.

A fixture is run until its steps or its seconds of CPU are over.
An interval is a pair of bodies that come near each other between two recorded times. Exit code 1
where 0.01 % of them or more are undecided.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("DOVETAIL_QUIET", "1")
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "verifier"))

import dovetail as dt
from dovetail.verifier import path_search
from dovetail.verifier.certificate import certify

LIMIT = 1e-4


def of_examples(steps: int) -> Iterator[tuple[str, Any]]:
    """Results of the built-in examples."""
    for name in dt.examples.names():
        example = dt.examples.get(name)
        settings = dict(example.RUN)
        settings["duration"] = min(settings["duration"], steps * settings["step"])
        settings["every"] = 1
        yield (
            name,
            lambda e=example, s=settings: dt.simulate(e.build(), progress=False, check=False, **s),
        )


def of_fixtures(steps: int, seconds: float) -> Iterator[tuple[str, Any]]:
    """Results of the scenes of rigid-ipc, the small files first."""
    from rigid_ipc_fixtures import data_folder, run_fixture

    folder = data_folder() / "fixtures"
    for path in sorted(folder.rglob("*.json"), key=lambda path: path.stat().st_size):
        name = path.relative_to(folder).with_suffix("").as_posix()
        yield name, lambda n=name: run_fixture(n, steps, {}, seconds).result


def main() -> None:
    from tight_fits import FITS

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--only", choices=("examples", "tight", "fixtures"))
    parser.add_argument("--seconds", type=float, default=60.0, help="of CPU, of one fixture")
    given = parser.parse_args()
    path_search.MAX_UNDECIDED = 10**9  # count all of them
    cases: list[tuple[str, Any]] = []
    if given.only in (None, "examples"):
        cases += of_examples(given.steps)
    if given.only in (None, "tight"):
        cases += FITS.items()
    if given.only == "fixtures":
        cases += of_fixtures(given.steps, given.seconds)
    intervals = undecided = 0
    for name, make in cases:
        try:
            result = make()
        except (dt.InputError, dt.RunError) as error:
            print(f"{name:34s} {str(error).splitlines()[0][:90]}", flush=True)
            continue
        began = time.process_time()
        found = certify(result)
        left = sum(path.verdict == "undecided" for path in found.paths)
        intervals, undecided = intervals + found.intervals, undecided + left
        print(
            f"{name:34s} {len(result.time):6d} frames {found.intervals:7d} intervals "
            f"{left:5d} undecided  {found.verdict:12s} {time.process_time() - began:6.2f} s",
            flush=True,
        )
    print(f"{undecided} of {intervals} undecided: {100 * undecided / max(intervals, 1):.2g} %")
    sys.exit(undecided >= LIMIT * intervals)


if __name__ == "__main__":
    main()
