"""The reference's own scenes, ours against its times: python benchmarks/rigid_ipc.py FIXTURE...

    --all            every fixture of the folder
    --steps N        at most N steps (default: as many as the reference was timed for)
    --full           the scene's own number of steps
    --cpu S          at most S s of CPU time per fixture (default 60)
    --every N        record every N-th step (default: as few as keep about 100 000 poses); the
                     verifier follows each step all the same
    --no-verifier    leave out the verifier
    --their-tolerance  stop where the reference does: 1 %% of the scene's diagonal per second, say,
                     which is up to hundreds of times looser than ours
    --log FILE       append each row to FILE as it is made; rows there that are whole are not made
                     again, so a long series can be stopped and taken up later
    --cheapest-first in the order of the CPU time in the log of shorter runs
    --table FILE     write the table of the log, or of this run, as Markdown

Ours is CPU time per step, the first steps run once before so that nothing is compiled while the
clock runs. The reference's time per step is corrected by a fixed workload beside the shared
data, timed in this run; the ratio is of the first steps, as many as the reference was timed for.
Deviation is the largest distance of any point from where the reference has it, over the steps whose
trajectory it left. Each fixture runs in a process of its own, so one that fails does not stop the
others.
"""

import argparse
import contextlib
import importlib.util
import io
import math
import multiprocessing
import os
import resource
import sys
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

os.environ.setdefault("DOVETAIL_QUIET", "1")
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import rigid_ipc_log as log_file
from rigid_ipc_log import Row

from dovetail.errors import InputError, RunError
from dovetail.io import load_scene
from dovetail.verifier.certificate import certify
from rigid_ipc_fixtures import (
    Baseline,
    baselines,
    data_folder,
    deviation,
    fixtures,
    reference,
    run_fixture,
    their_tolerance,
)

POSES = 100_000  # recorded at most, about
BEYOND = 60.0  # [s] of CPU time that a last step, and then the verifier, may take beyond the budget
TOO_LONG = 3  # exit code


def calibration() -> float:
    """[s] of the yardstick's workload on this machine now."""
    tool = data_folder().parents[1] / "tools" / "calibrate.py"
    spec = importlib.util.spec_from_file_location("calibrate", tool)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        module.main()
    return float(said.getvalue().split()[1])


def chosen(options: argparse.Namespace) -> list[Baseline]:
    """What is requested, those without a time of the reference last."""
    timed = baselines()
    others = sorted(set(fixtures()) - {base.fixture for base in timed})
    every = timed + [Baseline(name, {}, 0, 0, math.nan, math.nan, 1.0) for name in others]
    return [
        base
        for base in every
        if options.all or any(base.fixture.startswith(name) for name in options.fixtures)
    ]


class CpuLimit:
    """Ends this process when it has used more CPU time than it was last allowed.

    A thread looks once a second; kernels let it run. (With the system's own limit in force,
    `process_time` ticks in steps of 4 ms.)
    """

    def __init__(self) -> None:
        self._until = math.inf
        threading.Thread(target=self._watch, daemon=True).start()

    def allow(self, seconds: float) -> None:
        self._until = time.process_time() + seconds

    def _watch(self) -> None:
        while time.process_time() < self._until:
            time.sleep(1.0)
        os._exit(TOO_LONG)


def run_and_verify(base: Baseline, row: Row, options: argparse.Namespace, out: Connection) -> None:
    """Send the row of a run, then the row with the verifier's verdict."""
    limit = CpuLimit()
    limit.allow(options.cpu + BEYOND)
    try:
        loaded = load_scene(data_folder() / "fixtures" / f"{base.fixture}.json")
        row.bodies = len(loaded.scene.bodies)
        row.full = round(loaded.run.duration / loaded.run.step)
        out.send(row)
        steps = row.full if options.full or not base.steps else base.steps
        steps = min(steps, options.steps or steps)
        row.every = options.every or max(1, round(row.bodies * steps / POSES))
        patch = base.patch
        if options.their_tolerance:
            patch = their_tolerance(base.fixture) | patch
        run_fixture(base.fixture, min(steps, 3), patch, seconds=options.cpu / 4)
        run = run_fixture(base.fixture, steps, patch, options.cpu, row.every)
    except (InputError, RunError) as error:
        row.failure = f"refused: {str(error).splitlines()[0][:90]}"
        out.send(row)
        return
    result = run.result
    row.steps, row.failure = run.steps, run.failure[:90]
    row.ours_ms = 1e3 * float(np.mean(run.cpu))
    row.alike_ms = 1e3 * float(np.mean(run.cpu[: base.steps])) if base.steps else math.nan
    row.newton = float(np.sum(result.stats["iterations"])) / run.steps
    row.min_distance = float(np.min(result.min_distance))
    row.contacts = float(np.mean(result.contacts.count))
    row.peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    peer = reference(base.fixture) if row.every == 1 and not base.patch else None
    if peer is not None:
        row.deviation = float(np.max(deviation(result, peer)))
    out.send(row)
    if not options.no_verifier:
        limit.allow(options.cpu + BEYOND)
        row.verdict = certify(result).verdict
        out.send(row)


def measured(base: Baseline, options: argparse.Namespace, yardstick: float) -> Row:
    """The last row that the fixture's process sent before it ended."""
    theirs = 1e3 * base.s_per_step * yardstick / base.calibration_s
    row = Row(base.title, options.commit, theirs_ms=theirs, newton_theirs=base.newton_per_step,
              yardstick=yardstick)  # fmt: skip
    apart = multiprocessing.get_context("fork")
    inlet, outlet = apart.Pipe(duplex=False)
    child = apart.Process(target=run_and_verify, args=(base, row, options, outlet))
    child.start()
    outlet.close()
    with contextlib.suppress(EOFError):
        while True:
            row = inlet.recv()
    child.join()
    if child.exitcode:
        doing = "the verifier" if row.steps else "its run"
        why = "took too long" if child.exitcode == TOO_LONG else f"died ({child.exitcode})"
        row.failure = f"{doing} {why} {row.failure}".strip()
    return row


def ordered(bases: list[Baseline], rows: list[Row], options: argparse.Namespace) -> list[Baseline]:
    """Without those that are whole; cheapest first if requested."""
    whole = {row.fixture for row in rows if row.whole}
    left = [base for base in bases if base.title not in whole]
    if options.cheapest_first:
        cost = {row.fixture: row.full * row.ours_ms for row in log_file.best(rows) if row.steps}
        left.sort(key=lambda base: cost.get(base.title, math.inf))
    return left


def main() -> None:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("fixtures", nargs="*")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--steps", type=int)
    parser.add_argument("--cpu", type=float, default=60.0)
    parser.add_argument("--every", type=int)
    parser.add_argument("--no-verifier", action="store_true")
    parser.add_argument("--their-tolerance", action="store_true")
    parser.add_argument("--log", type=Path)
    parser.add_argument("--cheapest-first", action="store_true")
    parser.add_argument("--table", type=Path)
    options = parser.parse_args()
    options.commit = log_file.commit()  # now: the tree may change while the series runs
    rows = log_file.read(options.log) if options.log else []
    bases = ordered(chosen(options), rows, options)
    if not bases and not rows:
        parser.error("name fixtures, by their beginning, or give --all")
    if bases:
        yardstick = calibration()
        print(f"yardstick {yardstick:.4f} s")
        with contextlib.suppress(InputError, RunError):
            run_fixture("unit-tests/5-cubes", 3)  # kernels are loaded once, before processes part
    print(" | ".join(log_file.HEAD), flush=True)
    for base in bases:
        rows.append(measured(base, options, yardstick))
        if options.log:
            log_file.append(options.log, rows[-1])
        print(" | ".join(log_file.cells(rows[-1])), flush=True)
    print(log_file.summary(log_file.best(rows)))
    if options.table:
        options.table.write_text(log_file.markdown(log_file.best(rows)), encoding="utf-8")


if __name__ == "__main__":
    main()
