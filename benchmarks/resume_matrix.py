"""Kill and resume every built-in example under every integrator and contact method, at every step.

    python benchmarks/resume_matrix.py                            # all, up to 30 steps of each
    python benchmarks/resume_matrix.py bolt gears --contact ipc
    python benchmarks/resume_matrix.py --chained --most 2 --log rows.tsv      # all rows in an hour
    python benchmarks/resume_matrix.py --chained --most 2 --log rows.tsv      # goes on with it
    python benchmarks/resume_matrix.py --summary rows.tsv
    python benchmarks/resume_matrix.py --whole --sample 20        # whole runs, 20 random steps each
    python benchmarks/resume_matrix.py --contact own --whole --chained --kills 100

A checkpoint is saved after every step. From each of them the run is resumed to its end; the file
must be that of a run which was never stopped, byte by byte.

With `--chained` a run is killed after a step, resumed, killed after the next, and so on to its end:
one resume a step instead of one run a step. Whatever a step leaves outside of its checkpoint is
lost at every one.
With `--log` rows that the file lists are not repeated, so that a matrix can be made in parts.
A row that would take more than `--most` seconds of CPU makes fewer steps, at least `--least`; it is
resumed from every checkpoint of the steps that it makes, and the row says from how many.
Runs of one row share what follows from its scene alone: its text, boxes around its meshes, the file
before its first frame (`prepared_once`); the sample in tests/results shares nothing.

Every row ends as *same*, *differs*, *refused* (the integrator does not take the method or the
scene, bodies intersect at the start), or *failed* in its first step, which leaves nothing to
resume. Both of the last are counted by their reason. Exit code 1 where a file differs.
"""

import argparse
import collections
import functools
import os
import random
import re
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
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

    def __str__(self) -> str:
        return f"{self.example} {self.contact} {self.integrator} every={self.every}"


def rows(names: list[str], contacts: list[str], schemes: list[str]) -> Iterator[Row]:
    for name in names:
        has_own = "contact" in dt.examples.get(name).RUN
        for contact in contacts:
            if contact == "own" and not has_own:
                continue
            for scheme in schemes:
                yield from (Row(name, contact, scheme, every) for every in EVERY)


@functools.cache
def settings_of(row: Row, steps: int | None) -> dict[str, Any]:
    """What `dt.simulate` is to be called with; raises InputError where the pairing is refused."""
    example = dt.examples.get(row.example)
    settings = dict(example.RUN)
    if row.contact != "own":
        made = None if row.contact == "none" else getattr(dt.contact, row.contact.upper())
        settings["contact"] = None if made is None else made(friction=0.3)
    settings["integrator"] = dt.integrators.SCHEMES.get(row.integrator)()
    settings["every"] = row.every
    if steps is not None:
        settings["duration"] = min(settings["duration"], steps * settings["step"])
    refuse_mismatch(settings["integrator"], example.build().build(), settings["contact"])
    return settings


class Resumed(NamedTuple):
    """What came of one row."""

    verdict: str  # same, differs, refused, failed
    count: int = 0  # of resumes
    checkpoints: int = 0  # there were
    why: str = ""  # refused or failed; where it differs


class Trial(NamedTuple):
    """A run of `least` steps."""

    stops: list[Any]  # what a kill after each of them leaves
    start: float  # [s] of CPU until the first step is made
    step: float  # [s] of CPU of one more


def seconds_of(trial: Trial, steps: int, given: argparse.Namespace) -> float:
    """CPU time of a row: two runs and the resumes, each of one step or of half the run."""
    limit = given.kills if given.chained else given.sample
    resumes = steps if limit is None else min(steps, limit)
    resumed = resumes if given.chained else resumes / 2 * steps
    return (2 + resumes) * trial.start + (2 * steps + resumed) * trial.step


def steps_within(trial: Trial, given: argparse.Namespace) -> int:
    """How many steps a run may make within `--most`."""
    counts = range(given.steps, given.least, -1)
    return next((n for n in counts if seconds_of(trial, n, given) <= given.most), given.least)


def tried(row: Row, least: int, build: Any, folder: Path) -> Trial:
    """What a short run leaves, and what its start and its steps cost."""
    from resumed_everywhere import stops

    clocks = [time.process_time()]
    found = stops(build, folder, settings_of(row, least), clocks)
    start = clocks[min(1, len(clocks) - 1)] - clocks[0]
    return Trial(found, start, (clocks[-1] - clocks[0] - start) / max(len(clocks) - 2, 1))


def resume_all(row: Row, given: argparse.Namespace, chosen: random.Random) -> Resumed:
    """Kills and resumes the run of a row."""
    from resumed_everywhere import prepared_once

    try:
        settings = settings_of(row, None if given.whole else given.steps)
        scene = dt.examples.get(row.example).build()
        with tempfile.TemporaryDirectory(dir=IN_MEMORY) as name, prepared_once():
            folder, found = Path(name), None
            if not given.whole and given.most is not None:
                trial = tried(row, given.least, lambda: scene, folder)
                if not trial.stops:
                    return Resumed("failed", why=failure(scene, settings))
                steps = steps_within(trial, given)
                settings = settings_of(row, steps)
                found = trial.stops if steps == given.least else None
            killed = chained if given.chained else from_each
            done = killed(scene, folder, settings, given, chosen, found)
            return done if done.count else Resumed("failed", why=failure(scene, settings))
    except dt.InputError as refusal:
        return Resumed("refused", why=reason(refusal))


def from_each(
    scene: dt.Scene,
    folder: Path,
    settings: dict[str, Any],
    given: argparse.Namespace,
    chosen: random.Random,
    found: list[Any] | None,
) -> Resumed:
    """One resume to the end of the run from each checkpoint."""
    from resumed_everywhere import differing, stops

    found = stops(lambda: scene, folder, settings) if found is None else found
    checkpoints = len(found)
    if given.sample is not None and given.sample < checkpoints:
        found = sorted(chosen.sample(found, given.sample), key=lambda stop: stop.step)
    wrong = differing(lambda: scene, folder, settings, found)
    verdict = "differs" if wrong else "same"
    return Resumed(verdict, len(found), checkpoints, f"killed after {wrong}" if wrong else "")


def chained(
    scene: dt.Scene, folder: Path, settings: dict[str, Any], given: argparse.Namespace, *_: Any
) -> Resumed:
    """One run that is killed again and again."""
    from resumed_everywhere import killed_after_every_step

    count, differs = killed_after_every_step(lambda: scene, folder, settings, given.kills)
    why = "killed after some step" if differs else ""
    return Resumed("differs" if differs else "same", count, count, why)


def reason(message: Exception | str) -> str:
    """The first sentence of a message, without names and numbers, so that it can be counted."""
    text = re.sub(r"^at t = \S+ s:\s*", "", " ".join(str(message).split()))
    first = re.split(r"[.;:](?:\s|$)|\s\(", text)[0]
    return re.sub(r"'[^']*'", "'...'", re.sub(r"\b\d[\d.e+-]*", "#", first)).strip()


def failure(scene: dt.Scene, settings: dict[str, Any]) -> str:
    """Why a run does not come to its first checkpoint."""
    try:
        dt.simulate(scene, progress=False, check=False, **settings)
    except dt.RunError as error:
        return reason(error)
    return "no checkpoint"


def logged(log: str | None) -> dict[str, Resumed]:
    """Rows of a log; those that differed are made again."""
    if log is None or not Path(log).exists():
        return {}
    found = {}
    for line in Path(log).read_text().splitlines():
        row, verdict, count, checkpoints, _, why = line.split("\t")
        found[row] = Resumed(verdict, int(count), int(checkpoints), why)
    return {row: made for row, made in found.items() if made.verdict != "differs"}


def summary(done: Iterable[Resumed], left: int) -> str:
    """How many rows ended how, and why some were not run."""
    done = list(done)
    ended = collections.Counter(row.verdict for row in done)
    lines = [
        f"{len(done) + left} rows: {ended['same']} the same, {ended['differs']} differ, "
        f"{ended['refused']} refused, {ended['failed']} failed, {left} left; "
        f"{sum(row.count for row in done)} resumes"
    ]
    for verdict in ("refused", "failed"):
        by_reason = collections.Counter(reason(row.why) for row in done if row.verdict == verdict)
        lines += [f"{number:6d} {verdict}: {why}" for why, number in by_reason.most_common()]
    return "\n".join(lines)


def arguments() -> argparse.Namespace:
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
    parser.add_argument("--chained", action="store_true", help="kill one run of a row repeatedly")
    parser.add_argument("--kills", type=int, help="of a chained run, evenly spread; else each step")
    parser.add_argument("--log", help="file of rows: those in it are left out, new ones added")
    parser.add_argument("--summary", metavar="LOG", help="only what a log has")
    return parser.parse_args()


def chosen_rows(given: argparse.Namespace, chosen: random.Random) -> list[Row]:
    schemes = given.integrator or dt.integrators.SCHEMES.names()
    names, contacts = given.examples or dt.examples.names(), given.contact or list(CONTACTS)
    matrix = list(rows(names, contacts, schemes))
    if given.share < 1:
        matrix = sorted(chosen.sample(matrix, max(1, round(given.share * len(matrix)))))
    if given.shuffle:
        chosen.shuffle(matrix)
    return matrix


def main() -> None:
    given = arguments()
    chosen = random.Random(given.seed)
    known = logged(given.summary or given.log)
    matrix = chosen_rows(given, chosen)
    done = [known[str(row)] for row in matrix if str(row) in known]
    left = [row for row in matrix if str(row) not in known]
    began = time.process_time()
    while left and not given.summary and time.process_time() - began < given.seconds:
        row = left.pop(0)
        clock = time.process_time()
        made = resume_all(row, given, chosen)
        done.append(made)
        columns = (row, *made[:3], f"{time.process_time() - clock:.1f}", made.why)
        line = "\t".join(str(column) for column in columns)
        if made.verdict != "refused":
            print(line, flush=True)
        if given.log is not None:
            with Path(given.log).open("a") as log:
                log.write(line + "\n")
    print(summary(done, len(left)))
    sys.exit(any(row.verdict == "differs" for row in done))


if __name__ == "__main__":
    main()
