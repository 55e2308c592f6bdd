"""The agreement table in short, and one mechanism under every integrator.

`python benchmarks/choosing.py` prints the tables of docs/how-to/choose.md, `--write` keeps them in
docs/made/choosing.md. Times are processor times of later runs in one process; those of integrators
are of steps alone, nothing recorded between start and end.
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np

import dovetail as dt
from dovetail.integrators import SCHEMES
from dovetail.validation import agreement
from dovetail.validation.agreement.table import summary

MADE = Path(__file__).parents[1] / "docs" / "made" / "choosing.md"


def contact_lines() -> list[str]:
    lines = []
    for line in summary({name: agreement.case(name) for name in agreement.NAMES}):
        lines.append(line)
        print(line, flush=True)
    return lines


def integrator_lines() -> list[str]:
    lines = [
        "| integrator | order | energy error [J] | joints apart [m] | time per step |",
        "|---|---|---|---|---|",
    ]
    scene = dt.examples.get("double-pendulum").build()
    made_of = {name: scheme() for name, scheme in SCHEMES.items() if scheme.takes_joints}
    made_of["RATTLie(order=4), the default"] = dt.integrators.RATTLie(order=4)
    for name, scheme in made_of.items():
        used = np.inf
        for every in (1, 5000):  # the time is that of steps, not of recording them
            began = time.process_time()
            try:
                made = dt.simulate(scene, 5.0, 1e-3, integrator=scheme, contact=None, every=every)
            except dt.DovetailError as error:
                print(f"{name}: {error}")
                break
            if every == 1:
                result = made
            else:
                used = min(used, time.process_time() - began)
        else:
            energy = result.energy["total"]
            apart = float(np.max(result.constraint_violation["position"]))
            lines.append(
                f"| {name} | {scheme.order} | {np.abs(energy - energy[0]).max():.1e} | "
                f"{apart:.1e} | {1e6 * used / 5000:.0f} us |"
            )
            print(lines[-1], flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"keep the tables in {MADE.name}")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    made = ["### Seven scenes, three contact methods", "", *contact_lines(), ""]
    made += ["### One mechanism, every integrator that takes joints", "", *integrator_lines()]
    if options.write:
        MADE.parent.mkdir(exist_ok=True)
        MADE.write_text("\n".join([*made, ""]), encoding="utf-8")
        print(f"wrote {MADE}")


if __name__ == "__main__":
    main()
