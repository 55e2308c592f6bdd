"""One SHA-256 per built-in example of all numbers of its result, to compare two states of the code.

    python benchmarks/result_digests.py --out before.json
    python benchmarks/result_digests.py --against before.json     # exit code 1 where one differs

Each example runs with its own settings for at most `--steps` steps. The digest is of time, poses,
velocities, energies and contacts, bit by bit; nothing in it depends on times or versions.
"""

import argparse
import hashlib
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import dovetail as dt


def digest(result: Any) -> str:
    """SHA-256 of the numbers of a result."""
    total = hashlib.sha256()

    def add(label: str, values: Any) -> None:
        array = np.ascontiguousarray(values)
        total.update(f"{label} {array.dtype.str} {array.shape}".encode())
        total.update(array.tobytes())

    add("time", result.time)
    for name in sorted(result.scene.bodies):
        add(name, result.position(name))
        add(name, result.rotation(name))
        add(name, result.velocity(name))
        add(name, result.angular_velocity(name))
    for kind in sorted(result.energy):
        add(kind, result.energy[kind])
    add("distance", result.min_distance)
    return total.hexdigest()


def run(name: str, steps: int) -> str:
    """The digest of one example over at most so many steps."""
    example = dt.examples.get(name)
    settings = dict(example.RUN)
    settings["duration"] = min(settings["duration"], steps * settings["step"])
    settings["every"] = 1
    return digest(dt.simulate(example.build(), **settings))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="examples; all where none is named")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--against", type=Path)
    chosen = parser.parse_args()
    known = json.loads(chosen.against.read_text()) if chosen.against else {}
    digests, differing = {}, []
    for name in chosen.names or dt.examples.names():
        began = time.process_time()
        digests[name] = run(name, chosen.steps)
        verdict = ""
        if chosen.against:
            same = known.get(name) == digests[name]
            verdict = "same" if same else "DIFFERS"
            differing += [] if same else [name]
        took = time.process_time() - began
        print(f"{name:18s} {digests[name][:16]} {took:7.2f} s {verdict}", flush=True)
    if chosen.out:
        chosen.out.write_text(json.dumps(digests, indent=1) + "\n")
    if chosen.against:
        print(f"{len(digests) - len(differing)} of {len(digests)} to the bit")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
