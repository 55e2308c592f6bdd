"""Thousands of random scenes, each run and judged: python benchmarks/ipc_fuzz.py [N] [--first SEED]

Prints every scene that does not end with all its steps made and the judge's verdict "free", and a
table by kind. Exit code 1 when there was one. A scene can be run again by its seed with --first.
"""

import argparse
import os
import sys
import time
from collections import Counter
from pathlib import Path

os.environ.setdefault("DOVETAIL_QUIET", "1")
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import dovetail as dt
from dovetail.errors import RunError
from dovetail.results.certificate import certify
from random_contact_scenes import random_contact_scene


def outcome(case):
    """The judge's verdict, or why the run ended; and the number of waypoints."""
    failure = ""
    try:
        result = dt.simulate(case.scene, case.duration, case.step, dt.contact.IPC())
    except RunError as error:
        result, failure = error.result, f"failed: {error}"
        if result is None:
            return failure, 0, 0
    found = certify(result)
    verdict = found.verdict
    if found.paths:
        verdict += f" {found.paths[0]}"
    elif found.states.crossings:
        verdict += f" {found.states.crossings[0]}"
    if failure:
        return f"{failure} (until then {verdict})", 0, 0
    return verdict, found.states.waypoints, int(result.stats["iterations"].sum())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("number", nargs="?", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    runs, steps, waypoints, iterations = Counter(), Counter(), Counter(), Counter()
    seconds, wrong = Counter(), Counter()
    for seed in range(options.first, options.first + options.number):
        case = random_contact_scene(seed)
        began = time.process_time()
        told, ways, newton = outcome(case)
        seconds[case.kind] += time.process_time() - began
        runs[case.kind] += 1
        steps[case.kind] += case.steps
        waypoints[case.kind] += ways
        iterations[case.kind] += newton
        if told != "free":
            wrong[case.kind] += 1
            print(f"seed {seed} ({case.kind}): {told}", flush=True)
    print(f"{'kind':18}{'scenes':>8}{'steps':>8}{'Newton':>9}{'waypoints':>11}{'CPU s':>8}"
          f"{'not free':>10}")  # fmt: skip
    for kind in sorted(runs):
        print(f"{kind:18}{runs[kind]:8}{steps[kind]:8}{iterations[kind]:9}{waypoints[kind]:11}"
              f"{seconds[kind]:8.1f}{wrong[kind]:10}")  # fmt: skip
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
