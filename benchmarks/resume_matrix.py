"""Kill and resume every built-in example under every integrator and contact method, at every step.

    python benchmarks/resume_matrix.py                            # all, up to 30 steps of each
    python benchmarks/resume_matrix.py bolt gears --contact ipc
    python benchmarks/resume_matrix.py --whole --sample 20        # whole runs, 20 random steps each
    python benchmarks/resume_matrix.py --share 0.05 --sample 4    # a random twentieth of the rows
    python benchmarks/resume_matrix.py --shuffle --seconds 3600 --log rows.txt   # as far as it gets
    python benchmarks/resume_matrix.py --contact own --whole --chained 100

With `--chained` a run is killed after a step, resumed, killed after the next, and so on to its end:
one resume a step instead of one run a step, so that whole examples can be killed at every step.
With `--log` rows that the file lists are not repeated, so that a matrix can be made in parts.
A row that would take more than `--most` seconds of CPU makes fewer steps, at least `--least`; it is
resumed from every checkpoint of the steps that it makes, and the row says from how many.
Runs of one row share what follows from its scene alone: its text, boxes around its meshes, the file
before its first frame (`prepared_once`); the sample in tests/results shares nothing.

A checkpoint is saved after every step. From each of them the run is resumed to its end; the file
must be that of a run which was never stopped, byte by byte. Rows that make no sense (an integrator
that does not take the method, bodies that intersect at the start) are counted as refused. Exit
code 1 where a file differs.
"""

import argparse
import functools
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
IN_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


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


@functools.cache
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


class Resumed(NamedTuple):
    """What came of one row."""

    count: int  # of resumes; 0: the row is refused
    checkpoints: int  # there were
    differs: list[int]  # after which steps a kill changes the finished file


REFUSED = Resumed(0, 0, [])


class Trial(NamedTuple):
    """A run of `least` steps."""

    stops: list[Any]  # what a kill after each of them leaves
    start: float  # [s] of CPU until the first step is made
    step: float  # [s] of CPU of one more


def steps_within(seconds: float, trial: Trial, limits: tuple[int, int], sample: int | None) -> int:
    """How many steps n a run may make: two runs, and n or `sample` resumes of n / 2 steps each."""
    least, most = limits
    n = most
    while n > least:
        resumes = n if sample is None else min(n, sample)
        if (2 + resumes) * trial.start + (2 + resumes / 2) * n * trial.step <= seconds:
            break
        n -= 1
    return n


def tried(row: Row, least: int, build: Any, folder: Path) -> Trial:
    """What a short run leaves, and what its start and its steps cost."""
    from resumed_everywhere import stops

    clocks = [time.process_time()]
    found = stops(build, folder, settings_of(row, least) or {}, clocks)
    start = clocks[min(1, len(clocks) - 1)] - clocks[0]
    return Trial(found, start, (clocks[-1] - clocks[0] - start) / max(len(clocks) - 2, 1))


def resume_all(row: Row, given: argparse.Namespace, chosen: random.Random) -> Resumed:
    """Resumes the run of a row from its checkpoints."""
    from resumed_everywhere import differing, prepared_once, stops

    settings = settings_of(row, None if given.whole else given.steps)
    if settings is None:
        return REFUSED
    scene = dt.examples.get(row.example).build()
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder, prepared_once():
        try:
            found = None
            if not given.whole and given.most is not None:
                trial = tried(row, given.least, lambda: scene, Path(folder))
                limits = (given.least, given.steps)
                steps = steps_within(given.most, trial, limits, given.sample)
                settings = settings_of(row, steps)
                assert settings is not None
                found = trial.stops if steps == given.least else None
            if found is None:
                found = stops(lambda: scene, Path(folder), settings)
        except dt.InputError:
            return REFUSED
        checkpoints = len(found)
        if given.sample is not None and given.sample < checkpoints:
            found = sorted(chosen.sample(found, given.sample), key=lambda stop: stop.step)
        differs = differing(lambda: scene, Path(folder), settings, found)
        return Resumed(len(found), checkpoints, differs)


def chained(row: Row, given: argparse.Namespace) -> Resumed:
    """Kills one run of a row again and again."""
    from resumed_everywhere import killed_after_every_step, prepared_once

    settings = settings_of(row, None if given.whole else given.steps)
    if settings is None:
        return REFUSED
    scene = dt.examples.get(row.example).build()
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder, prepared_once():
        try:
            count, differs = killed_after_every_step(
                lambda: scene, Path(folder), settings, given.chained
            )
        except dt.InputError:
            return REFUSED
    return Resumed(count, count, [-1] if differs else [])


def row_name(row: Row) -> str:
    return f"{row.example} {row.contact} {row.integrator} every={row.every}"


def already(log: str | None) -> dict[str, int]:
    """Rows of a log and how often they were resumed; 0: refused."""
    if log is None or not Path(log).exists():
        return {}
    lines = [line.split() for line in Path(log).read_text().splitlines()]
    return {" ".join(line[:4]): int(line[4]) for line in lines if line[-1] in ("same", "refused")}


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
    parser.add_argument("--shuffle", action="store_true", help="rows in random order")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="of CPU, of all rows")
    parser.add_argument("--most", type=float, help="seconds of CPU of one row")
    parser.add_argument("--least", type=int, default=4, help="steps of a row that is dear")
    parser.add_argument("--chained", type=int, help="kill one run of a row so often")
    parser.add_argument("--log", help="file of rows: those in it are left out, new ones added")
    given = parser.parse_args()
    chosen = random.Random(given.seed)
    schemes = given.integrator or dt.integrators.SCHEMES.names()
    matrix = list(
        rows(given.examples or dt.examples.names(), given.contact or list(CONTACTS), schemes)
    )
    if given.share < 1:
        matrix = sorted(chosen.sample(matrix, max(1, round(given.share * len(matrix)))))
    if given.shuffle:
        chosen.shuffle(matrix)
    known = already(given.log)
    counts = [known[row_name(row)] for row in matrix if row_name(row) in known]
    left = [row for row in matrix if row_name(row) not in known]
    wrong: list[Row] = []
    began = time.process_time()
    while left and time.process_time() - began < given.seconds:
        row = left.pop(0)
        clock = time.process_time()
        done = resume_all(row, given, chosen) if given.chained is None else chained(row, given)
        counts.append(done.count)
        wrong += [row] if done.differs else []
        verdict = "same" if done.count else "refused"
        if done.differs:
            after = "some step" if given.chained else f"steps {done.differs}"
            verdict = f"DIFFERS when killed after {after}"
        line = (
            f"{row_name(row):60s} {done.count} of {done.checkpoints} checkpoints "
            f"{time.process_time() - clock:6.1f} s {verdict}"
        )
        if done.count:
            print(line, flush=True)
        if given.log is not None:
            with Path(given.log).open("a") as log:
                log.write(line + "\n")
    print(
        f"{sum(map(bool, counts))} runs ({counts.count(0)} refused, {len(left)} rows left out), "
        f"resumed {sum(counts)} times in {time.process_time() - began:.0f} s of CPU: "
        f"{len(wrong)} runs with differing files"
    )
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
