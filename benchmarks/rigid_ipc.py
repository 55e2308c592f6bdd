"""The reference's own scenes, ours against its times: python benchmarks/rigid_ipc.py FIXTURE...

    --all            every fixture of baseline.csv
    --steps N        at most N steps (default: as many as the reference was timed for)
    --full           the scene's own number of steps
    --seconds S      at most S s of wall time per fixture (default 60); such rows carry a *
    --every N        record every N-th step for the judge
    --no-judge       leave out the judge
    --their-tolerance  stop where the reference does: 1 % of the scene's diagonal per second, say,
                     which is up to hundreds of times looser than ours
    --table FILE     also write the table, as Markdown (.md) or CSV

Ours is CPU time per step (both threads where there are two), the first steps run once before so
that nothing is compiled while the clock runs. The reference's time per step is corrected by the
yardstick shared/tools/calibrate.py, taken in this run. Deviation is the largest distance of any
point from where the reference has it, over the steps whose trajectory it left.
"""

import argparse
import contextlib
import csv
import importlib.util
import io
import math
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

os.environ.setdefault("DOVETAIL_QUIET", "1")
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from dovetail.errors import InputError, RunError
from dovetail.results.certificate import certify
from rigid_ipc_fixtures import (
    Baseline,
    baselines,
    data_folder,
    deviation,
    reference,
    run_fixture,
    their_tolerance,
)


@dataclass
class Row:
    """What is told of one fixture."""

    fixture: str
    steps: str
    ours_ms: float  # CPU per step
    theirs_ms: float  # wall per step, corrected
    ratio: float
    newton: float
    newton_theirs: float
    min_distance: float  # [m]
    contacts: float  # mean
    judge: str
    deviation: float  # [m]


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


def measured(base: Baseline, options: argparse.Namespace, yardstick: float) -> Row:
    theirs = 1e3 * base.s_per_step * yardstick / base.calibration_s
    steps = base.steps_full if options.full else base.steps
    steps = min(steps, options.steps or steps)
    nothing = (math.nan, base.newton_per_step, math.nan, math.nan)
    patch = base.patch
    if options.their_tolerance:
        patch = their_tolerance(base.fixture) | patch
    try:
        run_fixture(base.fixture, min(steps, 3), patch)
        run = run_fixture(base.fixture, steps, patch, options.seconds, options.every)
    except (InputError, RunError) as error:
        told = f"refused: {str(error).splitlines()[0][:70]}"
        return Row(base.title, "0", math.nan, theirs, math.nan, *nothing, told, math.nan)
    result = run.result
    short = "*" if run.steps < steps else ""
    verdict = "not judged" if options.no_judge else certify(result).verdict
    if run.failure:
        verdict += f"; failed: {run.failure[:90]}"
    peer = reference(base.fixture) if options.every == 1 and not base.patch else None
    ours = 1e3 * float(np.mean(run.cpu)) if run.cpu else math.nan
    return Row(
        base.title,
        f"{run.steps}{short}",
        ours,
        theirs,
        theirs / ours,
        float(np.sum(result.stats["iterations"])) / max(run.steps, 1),
        base.newton_per_step,
        float(np.min(result.min_distance)),
        float(np.mean(result.contacts.count)),
        verdict,
        math.nan if peer is None else float(np.max(deviation(result, peer))),
    )


HEAD = ["fixture", "steps", "ours ms/step", "reference ms/step", "ratio", "Newton/step",
        "reference's", "least gap m", "contacts", "judge", "deviation m"]  # fmt: skip


def cells(row: Row) -> list[str]:
    return [
        row.fixture, row.steps, f"{row.ours_ms:.3f}", f"{row.theirs_ms:.3f}", f"{row.ratio:.2f}",
        f"{row.newton:.2f}", f"{row.newton_theirs:.2f}", f"{row.min_distance:.2e}",
        f"{row.contacts:.1f}", row.judge, f"{row.deviation:.1e}",
    ]  # fmt: skip


def written(table: Path, rows: list[Row], mean: str) -> None:
    if table.suffix == ".md":
        lines = [HEAD, ["---"] * len(HEAD), *map(cells, rows)]
        text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        table.write_text(f"{text}\n\n{mean}\n")
        return
    with table.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HEAD)
        writer.writerows(map(cells, rows))


def main() -> None:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("fixtures", nargs="*")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--steps", type=int)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--no-judge", action="store_true")
    parser.add_argument("--their-tolerance", action="store_true")
    parser.add_argument("--table", type=Path)
    options = parser.parse_args()
    chosen = [
        base
        for base in baselines()
        if options.all or any(base.fixture.startswith(name) for name in options.fixtures)
    ]
    if not chosen:
        parser.error("name fixtures of baseline.csv, by their beginning, or give --all")
    yardstick = calibration()
    factor = yardstick / chosen[0].calibration_s
    print(f"yardstick {yardstick:.4f} s: the reference's times are multiplied by {factor:.3f}")
    print(f"{HEAD[0]:52}" + "".join(f"{name:>19}" for name in HEAD[1:]), flush=True)
    rows: list[Row] = []
    for base in chosen:
        rows.append(measured(base, options, yardstick))
        name, *rest = cells(rows[-1])
        print(f"{name:52}" + "".join(f"{cell:>19}" for cell in rest), flush=True)
    ratios = [row.ratio for row in rows if np.isfinite(row.ratio)]
    mean = (
        f"geometric mean of {len(ratios)} ratios {np.exp(np.mean(np.log(ratios))):.2f}, "
        f"least {min(ratios):.2f}; judged free: {sum(row.judge == 'free' for row in rows)}"
        if ratios
        else "nothing ran"
    )
    print(mean)
    if options.table:
        written(options.table, rows, mean)


if __name__ == "__main__":
    main()
