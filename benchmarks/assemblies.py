"""Generated assemblies with known verdicts, through `dt.prove`.

    python benchmarks/assemblies.py                 # 200: 25 of each of eight families
    python benchmarks/assemblies.py --count 40 --seed 3 --exact

Half of them have a clash of 10 um to 1 mm that 37 evenly spaced positions of the driven joint miss.
`--exact` also asks the rational oracle: clashes of all families, freedom of hinges, latches, slides
and bayonets. Exit code 1 where a verdict is wrong or undecided, the median takes more than 5 s of
processor time or one more than 30 s.
"""

import argparse
import os
import sys
import time
from pathlib import Path

import numpy as np

os.environ.setdefault("DOVETAIL_QUIET", "1")
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "prove"))

import dovetail as dt

MEDIAN, MOST = 5.0, 30.0  # [s]


def main() -> None:
    from assemblies import FAMILIES, SAMPLES, assemblies
    from exact_sweeps import exact_verdict

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--exact", action="store_true")
    given = parser.parse_args()
    warm = next(iter(assemblies(1, given.seed)))
    dt.prove(warm.scene, **warm.question)  # kernels are compiled or loaded
    wrong = undecided = missed = disagreed = clashes = 0
    examined = {True: 0, False: 0}
    seconds: list[float] = []
    rows: dict[str, list[float]] = {}
    for one in assemblies(given.count, given.seed):
        began = time.process_time()
        proof = dt.prove(one.scene, **one.question)
        took = time.process_time() - began
        seconds.append(took)
        rows.setdefault(one.name.split()[0], []).append(took)
        expected = "meets" if one.meets else "proven"
        undecided += proof.verdict == "undecided"
        if proof.verdict != expected:
            wrong += 1
            print(f"{one.name}: gap {1e3 * one.gap:.4f} mm, said {proof.verdict}", flush=True)
        if one.meets:
            clashes += 1
            samples = np.linspace(*one.span, SAMPLES)
            hit = any(m.low <= t <= m.high for m in proof.meets for t in samples)
            missed += not hit
        if given.exact and (exact := exact_verdict(one)) is not None:
            examined[exact] += 1
            disagreed += exact != (proof.verdict == "meets")
    for name, took in rows.items():
        print(
            f"{name:10s} {len(took):4d}  median {np.median(took):6.2f} s  most {max(took):6.2f} s"
        )
    print(
        f"{given.count - wrong} of {given.count} right, {undecided} undecided; "
        f"{missed} of {clashes} clashes lie between {SAMPLES} sampled positions"
    )
    if given.exact:
        shown, free = examined[True], examined[False]
        print(f"exact rational oracle: {shown} clash, {free} free, {disagreed} disagree")
    middle, most = float(np.median(seconds)), max(seconds)
    print(f"processor time: median {middle:.2f} s, most {most:.2f} s, {len(FAMILIES)} families")
    sys.exit(bool(wrong or disagreed or middle > MEDIAN or most > MOST))


if __name__ == "__main__":
    main()
