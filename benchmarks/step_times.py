"""CPU time per step of five examples, here and in another checkout, in turns on one machine.

    python benchmarks/step_times.py OTHER_SRC [--rounds 5]
    python benchmarks/step_times.py --native
OTHER_SRC is the folder that holds the other checkout's `dovetail` package; `--native` compares with
kernels compiled for the processor at hand instead of the level that machines share. Each round runs
every example once on each side, in a process of its own that has run it before; the least time of
all rounds counts. The ratio is ours over the other's.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parents[1] / "src"
STEPS = {  # examples and steps: IPC at rest, IPC in motion, SDF, impulses, joint coordinates
    "arch": 150,
    "wrecking-ball": 200,
    "docking": 100,
    "painleve-rod": 200,
    "hanging-chain": 2000,
}
ONE = """
import sys, time, json, os
import dovetail as dt
steps = json.loads(sys.argv[1])
spent = {}
for name, count in steps.items():
    example = dt.examples.get(name)
    settings = dict(example.RUN) | {"every": count}
    settings["duration"] = count * settings["step"]
    best = float("inf")
    for _ in range(3):
        scene = example.build()
        began = time.process_time()
        result = dt.simulate(scene, **settings)
        took = time.process_time() - began
        best = min(best, took / count)
    spent[name] = best
print(json.dumps(spent))
"""


def measure(source: Path, cpu: str) -> dict[str, float]:
    """CPU seconds per step by example."""
    environment = os.environ | {"PYTHONPATH": str(source), "DOVETAIL_QUIET": "1"}
    environment["DOVETAIL_CPU"] = cpu
    done = subprocess.run(
        [sys.executable, "-c", ONE, json.dumps(STEPS)],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", type=Path, nargs="?", default=HERE)
    parser.add_argument("--native", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    if chosen.other == HERE and not chosen.native:
        parser.error("name the other checkout, or --native")
    sides = ((chosen.other, "native" if chosen.native else ""), (HERE, ""))
    best: list[dict[str, float]] = [{}, {}]
    for _ in range(chosen.rounds):
        for known, side in zip(best, sides):
            for name, took in measure(*side).items():
                known[name] = min(took, known.get(name, took))
    print(f"{'example':16s} {'other [us]':>11s} {'here [us]':>11s} {'ratio':>7s}")
    for name in STEPS:
        other, ours = best[0][name], best[1][name]
        print(f"{name:16s} {1e6 * other:11.1f} {1e6 * ours:11.1f} {ours / other:7.3f}")


if __name__ == "__main__":
    main()
