"""The reference's trajectories, scene by scene: python benchmarks/ipc_reference.py [FIXTURE...]

Without names all that are there. Each scene is run with its own step and tolerance for as many
steps as the reference left (at most --steps, and --seconds of CPU time). Columns: steps compared;
the largest distance [m] of a point from where the reference has it until bodies first come near
each other, and over all steps; what the reference's tolerance allows by then, dhat + tolerance
times t; how far we come from ourselves when all bodies start with a tenth of that tolerance [m/s]
more, in random directions. A motion "agrees" within the allowance. It is "unstable" where what
parts us from the reference is less than tenfold what so small a kick does: then neither is wrong.
"""

import argparse
import os
import sys
import time
from pathlib import Path

import numpy as np

os.environ.setdefault("DOVETAIL_QUIET", "1")
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from rigid_ipc_fixtures import (
    Trajectory,
    data_folder,
    deviation,
    reference,
    run_fixture,
    speed_tolerance,
)

TOUCHING = 1e-3  # [m] the largest dhat of these scenes


def names_there():
    folder = data_folder() / "reference"
    return sorted(path.stem.replace("__", "/") for path in folder.glob("*.npz"))


def as_trajectory(result):
    x = np.stack([result.position(name) for name in result.names], axis=1)
    turns = [result.rotation(n) @ result.rotation(n)[0].T for n in result.names]
    return Trajectory(x, np.stack(turns, axis=1))


def compared(name, steps, seconds):
    peer = reference(name)
    began = time.process_time()
    run = run_fixture(name, min(len(peer.x) - 1, steps), seconds=seconds)
    result = run.result
    off = deviation(result, peer)
    t = result.time[: len(off)]
    tolerance = speed_tolerance(name, result.scene)
    allowed = TOUCHING + tolerance * t
    kicked = run_fixture(name, len(t) - 1, seconds=seconds, kick=0.1 * tolerance).result
    spread = deviation(kicked, as_trajectory(result))
    near = np.append(np.isfinite(result.min_distance[: len(off)]), True)
    flying = max(int(np.argmax(near)), 1)
    beyond = np.flatnonzero(off > allowed)
    if not len(beyond):
        verdict = "agrees"
    else:
        grown = np.maximum.accumulate(spread)
        common = min(len(grown), len(off))
        unstable = np.all(off[:common] <= allowed[:common] + 10 * grown[:common])
        verdict = f"{'unstable' if unstable else 'apart'} from t = {t[beyond[0]]:.3g} s"
    if run.failure:
        verdict += f", {run.failure}"
    row = (f"{name:44}{len(off) - 1:6}{off[:flying].max():10.1e}{off.max():10.1e}"
           f"{allowed[-1]:10.1e}{spread.max():10.1e}  {verdict}")  # fmt: skip
    return row, verdict, time.process_time() - began


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    print(f"{'fixture':44}{'steps':>6}{'flying':>10}{'all':>10}{'allowed':>10}{'spread':>10}")
    verdicts = []
    for name in options.names or names_there():
        row, verdict, seconds = compared(name, options.steps, options.seconds)
        verdicts.append(verdict)
        print(f"{row}  ({seconds:.1f} s)", flush=True)
    kinds = [verdict.split()[0].rstrip(",") for verdict in verdicts]
    print(", ".join(f"{kinds.count(kind)} {kind}" for kind in ("agrees", "unstable", "apart")))


if __name__ == "__main__":
    main()
