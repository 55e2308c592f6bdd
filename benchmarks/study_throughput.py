"""Runs a minute of a study at 1 and 2 workers, and what follows for many.

python benchmarks/study_throughput.py [--runs 40]
"""

import argparse
import tempfile
import time
from pathlib import Path

import dovetail as dt
from dovetail.examples import get
from dovetail.studies import Latin, Output, Uniform


def minutes_per_run(workers: int, runs: int, folder: Path) -> tuple[float, float]:
    """Seconds to set up, and per run once set up (from two studies of different length)."""
    times = []
    for count in (2, runs):
        began = time.monotonic()
        dt.study(
            get("spring-pendulum").build(), {"loads.spring.stiffness": Uniform(20, 60)},
            {"loss": Output("loss", "energy")}, out=folder / f"{workers}-{count}",
            sampling=Latin(count, 1), workers=workers, duration=2.0, step=1e-3, progress=False,
        )  # fmt: skip
        times.append(time.monotonic() - began)
    each = (times[1] - times[0]) / (runs - 2)
    return times[0] - 2 * each, each


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=40)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        measured = {workers: minutes_per_run(workers, runs, Path(folder)) for workers in (1, 2)}
    print("workers | set-up [s] | runs a minute")
    for workers, (setup, each) in measured.items():
        print(f"{workers:7d} | {setup:10.1f} | {60 / each:.1f}")
    print(f"two workers are {measured[1][1] / measured[2][1]:.2f}x as fast as one")


if __name__ == "__main__":
    main()
