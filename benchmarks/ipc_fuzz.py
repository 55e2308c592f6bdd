"""Thousands of random scenes, run and verified: python benchmarks/ipc_fuzz.py [N] [--first SEED]

With --limits those of the second generator (tests/limit_cases.py), which are at the limits of
sizes, masses, gaps and speeds, under both schemes with barriers; with --heaps those of the third
(tests/contact_heaps.py), heaps of 8 to 30 bodies; with --clusters those of the fourth
(tests/contact_clusters.py), swarms that meet; with --rings those of the fifth
(tests/contact_rings.py), rings on faces, sides, plates and pegs. With --kinds those of some kinds.

Prints every scene that does not end with all its steps made and the verifier's verdict "free", a
table by kind and one line that sums it up. Exit code 1 when there was such a scene. With --log
FILE the outcome of each seed is kept there, a line of JSON each, and seeds that are in it are not
run again: a stopped run goes on where it was. A scene can be run again by its seed with --first.
"""

import argparse
import json
import os
import sys
import time
from collections import Counter
from pathlib import Path

os.environ.setdefault("DOVETAIL_QUIET", "1")
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import dovetail as dt
from contact_clusters import cluster_scene
from contact_heaps import heap_scene
from contact_rings import ring_scene
from dovetail.errors import RunError
from dovetail.verifier.certificate import certify
from limit_cases import LimitCase, limit_scene
from random_contact_scenes import random_contact_scene


def outcome(seed, made=random_contact_scene):
    """What a scene did and what the verifier says of it, as plain values."""
    case = made(seed)
    settled = isinstance(case, LimitCase)
    options, scheme = (case.options, case.integrator) if settled else ({}, None)
    began, failure, found, result = time.process_time(), "", None, None
    try:
        result = dt.simulate(
            case.scene, case.duration, case.step, dt.contact.IPC(**options), integrator=scheme
        )
    except RunError as error:
        result, failure = error.result, str(error)
    ran = time.process_time()
    if result is not None:
        found = certify(result)
    finding = ""
    if found is not None and found.verdict != "free":
        finding = str((found.paths or found.states.crossings or ("",))[0])
    return {
        "seed": seed,
        "kind": case.kind,
        "verdict": "none" if found is None else found.verdict,
        "finding": finding,
        "failure": failure,
        "steps": case.steps,
        "waypoints": 0 if found is None else found.states.waypoints,
        "iterations": 0 if result is None else int(result.stats["iterations"].sum()),
        "run s": ran - began,
        "verify s": time.process_time() - ran,
    }


def known(log):
    """Outcomes that are in the file already, by seed."""
    if log is None or not log.exists():
        return {}
    rows = [json.loads(line) for line in log.read_text().splitlines() if line.endswith("}")]
    return {row["seed"]: row for row in rows}


def report(row):
    if row["failure"] or row["verdict"] != "free":
        verified = f"verifier: {row['verdict']} {row['finding']}".rstrip()
        print(f"seed {row['seed']} ({row['kind']}): {row['failure']} [{verified}]", flush=True)


def table(rows):
    """Sums by kind, then the line that sums up."""
    print(f"{'kind':18}{'scenes':>8}{'steps':>8}{'Newton':>9}{'waypoints':>11}{'run s':>8}"
          f"{'verify s':>9}{'unfinished':>12}{'not free':>10}")  # fmt: skip
    for kind in sorted({row["kind"] for row in rows}):
        mine = [row for row in rows if row["kind"] == kind]
        total = Counter()
        for row in mine:
            total.update({k: v for k, v in row.items() if k != "seed" and not isinstance(v, str)})
        print(f"{kind:18}{len(mine):8}{total['steps']:8}{total['iterations']:9}"
              f"{total['waypoints']:11}{total['run s']:8.1f}{total['verify s']:9.1f}"
              f"{sum(bool(row['failure']) for row in mine):12}"
              f"{sum(row['verdict'] != 'free' for row in mine):10}")  # fmt: skip
    crossed = sum(row["verdict"] not in ("free", "undecided") for row in rows)
    undecided = sum(row["verdict"] == "undecided" for row in rows)
    stopped = sum(bool(row["failure"]) for row in rows)
    seconds = sum(row["run s"] + row["verify s"] for row in rows)
    print(f"{len(rows)} scenes, {crossed} with intersections, {undecided} undecided, {stopped} not "
          f"run to the end, {seconds:.0f} s of CPU time")  # fmt: skip


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("number", nargs="?", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    generators = parser.add_mutually_exclusive_group()
    generators.add_argument("--limits", action="store_true")
    generators.add_argument("--heaps", action="store_true")
    generators.add_argument("--clusters", action="store_true")
    generators.add_argument("--rings", action="store_true")
    parser.add_argument("--log", type=Path, default=None)
    parser.add_argument("--kinds", nargs="+", default=None)
    options = parser.parse_args()
    seeds = list(range(options.first, options.first + options.number))
    made = random_contact_scene
    for name, other in (
        ("limits", limit_scene), ("heaps", heap_scene), ("clusters", cluster_scene),
        ("rings", ring_scene),
    ):  # fmt: skip
        made = other if getattr(options, name) else made
    if options.kinds is not None:
        seeds = [seed for seed in seeds if made(seed).kind in options.kinds]
    done = known(options.log)
    for seed in seeds:
        if seed not in done:
            done[seed] = outcome(seed, made)
            if options.log is not None:
                with options.log.open("a") as file:
                    file.write(json.dumps(done[seed]) + "\n")
        report(done[seed])
    rows = [done[seed] for seed in seeds]
    table(rows)
    sys.exit(any(row["failure"] or row["verdict"] != "free" for row in rows))


if __name__ == "__main__":
    main()
