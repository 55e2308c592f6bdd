"""What a step costs besides the compiled one: of a simulation by hand, recorded, and in a study.

`python benchmarks/live_rows.py` prints CPU times (least of several) and PASS or FAIL:
sim.step() beyond the same steps taken in one compiled call, with efforts set before each or not; a
double pendulum recorded to a file, every step a frame; a run of one step, and such a run in a
study, with its result file, in the worker.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from study_throughput import FEW, cost

import dovetail as dt
from dovetail.examples import double_pendulum, get

STEP, STEPS, RUNS = 1e-3, 500, 20
STUDY_RUNS, STUDIES = 400, 3  # of so many the least


def least(run: Callable[[], object], runs: int = RUNS) -> float:
    """[s] of CPU time."""
    best = np.inf
    for _ in range(runs):
        began = time.process_time()
        run()
        best = min(best, time.process_time() - began)
    return best


def row(what: str, found: float, wanted: float, unit: str) -> None:
    verdict = "PASS" if found <= wanted else "FAIL"
    print(f"{what}: {found:.3g} {unit} (wanted {wanted:g}) {verdict}", flush=True)


def overheads() -> None:
    sim = dt.Simulation(double_pendulum.build(), step=STEP, check=False)
    name = sim.joint_names[0]

    def by_hand() -> None:
        for _ in range(STEPS):
            sim.step()

    def steered() -> None:
        for k in range(STEPS):
            sim.joint(name).effort = 1e-3 * (k % 7)
            sim.step()

    def ahead() -> None:
        sim.steps_ahead(STEPS, STEPS, None)

    sim.step(10)
    compiled = least(ahead) / STEPS
    row("sim.step() beyond the compiled step", 1e6 * (least(by_hand) / STEPS - compiled), 15, "us")
    sim.joint(name).effort = 0.0
    steered()
    found = 1e6 * (least(steered) / STEPS - compiled)
    print(f"  with an effort set before each: {found:.3g} us", flush=True)


def recorded(folder: Path) -> None:
    """The difference between a long and a short run."""

    def run(steps: int) -> None:
        out = folder / f"{steps}.h5"
        out.unlink(missing_ok=True)
        dt.simulate(
            double_pendulum.build(), STEP * steps, STEP, out=out, progress=False, check=False
        )

    run(10)
    short, long = least(lambda: run(100), 5), least(lambda: run(20_100), 5)
    row("recorded double pendulum, a step", 1e6 * (long - short) / 20_000, 25, "us")


def studied(folder: Path) -> None:
    scene = get("spring-pendulum").build()
    found = least(lambda: dt.simulate(scene, STEP, STEP, progress=False, check=False))
    row("run of one step, without a file", 1e3 * found, 3, "ms")
    cost(1, 1, 1, folder)  # kernels and imports are on disk after this
    of_workers = []
    for k in range(STUDIES):
        few = cost(1, FEW, 1, folder / f"few {k}")
        run = cost(1, STUDY_RUNS, 1, folder / f"all {k}").per_run_beyond(few, STUDY_RUNS)
        of_workers.append(1e3 * run.workers)
    row("study run of one step, in the worker", min(of_workers), 3, "ms")
    print(f"  in {STUDIES} studies: {', '.join(f'{one:.3g}' for one in sorted(of_workers))} ms")


def main() -> None:
    overheads()
    with tempfile.TemporaryDirectory() as folder:
        recorded(Path(folder))
        studied(Path(folder))


if __name__ == "__main__":
    main()
