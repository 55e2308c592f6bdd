"""Problems of the DAE test set and the IFToMM library: published values, ours, cost, order.

python benchmarks/dae_problems.py [--steps 1000000] [--write]
"""

import argparse
import warnings
from pathlib import Path

from dovetail.validation.dae_problems.table import lines

MADE = Path(__file__).parents[1] / "docs" / "made" / "dae-problems.md"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=10**6, help="of the energy band")
    parser.add_argument("--write", action="store_true", help=f"keep the tables in {MADE.name}")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    made = []
    for line in lines(options.steps):
        print(line, flush=True)
        made.append(line)
    if options.write:
        MADE.write_text("\n".join([*made, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
