"""Flip random bits of finished results; every one must be noticed when the file is opened.

    python benchmarks/bit_flips.py [--flips 10000] [--seed 0]

Half of the flips are in the first 40 kB, where names, scene and structure lie. A finished result
has no free bytes: the seal covers all of them.
"""

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

import dovetail as dt


def example(path: Path) -> bytes:
    """A result with a mesh, contacts and events."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    scene.add_body("ball", dt.Sphere(0.1), mass=1.0, velocity=(1, 0, -1), position=(0, 0, 0.2))
    box = dt.Box((1, 1, 1)).surface()
    scene.add_body("mesh", dt.Mesh(box.vertices, box.faces), mass=1.0, position=(5, 5, 5))
    event = dt.Event("half", lambda t, state: t - 0.1)
    contact = dt.contact.LCP(friction=0.3)
    dt.simulate(scene, 0.2, 0.01, contact=contact, events=[event], out=path, progress=False)
    return path.read_bytes()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flips", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    rng, seen = np.random.default_rng(given.seed), Counter()
    with tempfile.TemporaryDirectory() as folder:
        raw, path = example(Path(folder) / "a.h5"), Path(folder) / "b.h5"
        for k in range(given.flips):
            bit = int(rng.integers(0, 8 * (len(raw) if k % 2 else min(len(raw), 40_000))))
            data = bytearray(raw)
            data[bit // 8] ^= 1 << bit % 8
            path.write_bytes(data)
            try:
                status = dt.load(path).status
            except dt.InputError:
                status = "refused"
            seen[status] += 1
            if status not in ("refused", "damaged"):
                print(f"not noticed: bit {bit % 8} of byte {bit // 8}")
    noticed = seen["refused"] + seen["damaged"]
    print(f"{noticed} of {given.flips} flips in {len(raw)} bytes noticed: {dict(seen)}")
    sys.exit(noticed != given.flips)


if __name__ == "__main__":
    main()
