"""Mechanisms of textbooks under the defaults, at steps from 1e-2 to 1e-5 s.

python benchmarks/textbook_mechanisms.py [part of a name ...]

Largest change of energy (with dry friction that is what it takes out), of the range of kinetic
energy; largest violation of joints; what must vanish, such as how far Peaucellier's point leaves
its line. At most 4000 steps each.
"""

import sys
import time
import warnings

import numpy as np

import dovetail as dt
from dovetail.errors import RunError
from dovetail.validation.dae_problems.textbook import MECHANISMS

STEPS = (1e-2, 1e-3, 1e-4, 1e-5)  # [s]
MOST = 4000


def line(name, step):
    """One row of the table."""
    build, check, seconds = MECHANISMS[name]
    seconds = min(seconds, MOST * step)
    every, began = max(1, round(seconds / step / 200)), time.process_time()
    try:
        result = dt.simulate(build(), seconds, step, every=every, progress=False)
    except RunError as error:
        return f"| {name} | {step:g} | {error} | | | | |"
    spent, total = time.process_time() - began, result.energy["total"]
    off = check(result) if check else 0.0
    return (
        f"| {name} | {step:g} | {np.abs(total - total[0]).max():.1e} | "
        f"{np.ptp(result.energy['kinetic']):.1e} | "
        f"{result.constraint_violation['position'].max():.0e} | {off:.0e} | {spent:.1f} |"
    )


def main():
    warnings.simplefilter("ignore")
    print(
        "| mechanism | step [s] | energy [J] | of [J] | joints [m] | property | CPU s |\n"
        "|---|---|---|---|---|---|---|"
    )
    for name in MECHANISMS:
        if not sys.argv[1:] or any(part in name for part in sys.argv[1:]):
            for step in STEPS:
                print(line(name, step), flush=True)


if __name__ == "__main__":
    main()
