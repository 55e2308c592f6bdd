"""Kill and resume every built-in example under every integrator and contact method, at every step.

    python benchmarks/resume_matrix.py                            # all, the first 30 steps of each
    python benchmarks/resume_matrix.py bolt gears --contact ipc
    python benchmarks/resume_matrix.py --whole --sample 20        # whole runs, 20 random steps each
    python benchmarks/resume_matrix.py --share 0.05 --sample 4    # a random twentieth of the rows

A checkpoint is saved after every step. From each of them the run is resumed to its end; the file
must be that of a run which was never stopped, byte by byte. Rows that make no sense (an integrator
that does not take the method, bodies that intersect at the start) are counted as refused. Exit
code 1 where a file differs.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "results"))
os.environ.setdefault("DOVETAIL_QUIET", "1")

import dovetail as dt
from dovetail.integrators.pairing import refuse_mismatch

CONTACTS = ("own", "none", "sdf", "lcp", "ipc")
EVERY = (1, 3)


class Row(NamedTuple):
    """One line of the matrix."""

    example: str
    contact: str  # "own": that of the example, with its settings
    integrator: str
    every: int


def rows(names: list[str], contacts: list[str], schemes: list[str]) -> Iterator[Row]:
    for name in names:
        has_own = "contact" in dt.examples.get(name).RUN
        for contact in contacts:
            if contact == "own" and not has_own:
                continue
            for scheme in schemes:
                yield from (Row(name, contact, scheme, every) for every in EVERY)


def settings_of(row: Row, steps: int | None) -> dict[str, Any] | None:
    """What `dt.simulate` is to be called with; None where the pairing is refused."""
    example = dt.examples.get(row.example)
    settings = dict(example.RUN)
    if row.contact != "own":
        made = None if row.contact == "none" else getattr(dt.contact, row.contact.upper())
        settings["contact"] = None if made is None else made(friction=0.3)
    settings["integrator"] = dt.integrators.SCHEMES.get(row.integrator)()
    settings["every"] = row.every
    if steps is not None:
        settings["duration"] = min(settings["duration"], steps * settings["step"])
    try:
        model = example.build().build()
        refuse_mismatch(settings["integrator"], model, settings["contact"])
    except dt.InputError:
        return None
    return settings


def resume_all(row: Row, given: argparse.Namespace, chosen: random.Random) -> tuple[int, list[int]]:
    """How often the run of a row was resumed, and after which steps the file differs."""
    from resumed_everywhere import differing, stops

    settings = settings_of(row, None if given.whole else given.steps)
    if settings is None:
        return 0, []
    build = dt.examples.get(row.example).build
    in_memory = Path("/dev/shm")
    place = in_memory if os.access(in_memory, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=place) as folder:
        try:
            found = stops(build, Path(folder), settings)
        except dt.InputError:
            return 0, []
        if given.sample is not None and given.sample < len(found):
            found = sorted(chosen.sample(found, given.sample), key=lambda stop: stop.step)
        return len(found), differing(build, Path(folder), settings, found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("examples", nargs="*", help="all where none is named")
    parser.add_argument("--contact", choices=CONTACTS, action="append")
    parser.add_argument("--integrator", choices=dt.integrators.SCHEMES.names(), action="append")
    parser.add_argument("--steps", type=int, default=30, help="of each run")
    parser.add_argument("--whole", action="store_true", help="all steps of each example")
    parser.add_argument("--sample", type=int, help="steps to resume from, chosen at random")
    parser.add_argument("--share", type=float, default=1.0, help="of the rows, chosen at random")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    chosen = random.Random(given.seed)
    schemes = given.integrator or dt.integrators.SCHEMES.names()
    matrix = list(
        rows(given.examples or dt.examples.names(), given.contact or list(CONTACTS), schemes)
    )
    if given.share < 1:
        matrix = sorted(chosen.sample(matrix, max(1, round(given.share * len(matrix)))))
    resumed = refused = 0
    wrong: list[Row] = []
    began = time.process_time()
    for row in matrix:
        clock = time.process_time()
        count, differs = resume_all(row, given, chosen)
        resumed, refused = resumed + count, refused + (count == 0)
        wrong += [row] if differs else []
        if count:
            verdict = f"DIFFERS when killed after steps {differs}" if differs else "same"
            name = f"{row.example} {row.contact} {row.integrator} every={row.every}"
            print(f"{name:60s} {time.process_time() - clock:6.1f} s {verdict}", flush=True)
    print(
        f"{len(matrix) - refused} runs ({refused} refused), resumed {resumed} times in "
        f"{time.process_time() - began:.0f} s of CPU: {len(wrong)} runs with differing files"
    )
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
