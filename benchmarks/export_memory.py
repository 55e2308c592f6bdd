"""Peak memory of exports of a long result of many bodies: each in a process of its own.

    python benchmarks/export_memory.py [--frames 10001] [--bodies 500] [--result FILE]

Prints the peak resident memory and the CPU time of each format, and of opening the result alone.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

FORMATS = ("csv", "glb", "usda", "vtkhdf", "html")
LIMIT = 300  # [MB]


def simulated(path: Path, frames: int, bodies: int) -> None:
    """Boxes that fly apart."""
    import numpy as np

    import dovetail as dt

    rng, scene, box = np.random.default_rng(0), dt.Scene(), dt.Box((0.1, 0.1, 0.1))
    for k in range(bodies):
        x, v, spin = rng.normal(size=(3, 3))
        scene.add_body(
            f"b{k}", box, density=1e3, position=50 * x, velocity=v, angular_velocity=spin
        )
    dt.simulate(scene, (frames - 1) * 1e-3, 1e-3, out=path, progress=False)


def one(path: str, target: str) -> None:
    """Write one export and print what it took; '-' only opens the result."""
    import dovetail as dt

    result = dt.load(path)
    if target == "-":
        assert len(result.time)
    else:
        result.export(target)
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(f"{used.ru_maxrss / 1024:.0f} {used.ru_utime + used.ru_stime:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=10_001)
    parser.add_argument("--bodies", type=int, default=500)
    parser.add_argument("--result", type=Path)
    parser.add_argument("--formats", nargs="*", default=FORMATS)
    given = parser.parse_args()
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        path = given.result or Path(folder) / "a.h5"
        if given.result is None:
            size = str(given.frames), str(given.bodies)  # not here: memory is inherited
            subprocess.run([sys.executable, __file__, "--make", str(path), *size], check=True)
        print(f"result of {path.stat().st_size / 1e6:.0f} MB\nformat   peak [MB]   CPU [s]")
        for name in ("-", *given.formats):
            target = name if name == "-" else str(Path(folder) / f"a.{name}")
            command = [sys.executable, __file__, "--one", str(path), target]
            said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            memory, seconds = said.split()
            worst = max(worst, float(memory))
            print(f"{name:8} {memory:>9} {seconds:>9}", flush=True)
    sys.exit(worst > LIMIT)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(*sys.argv[2:])
    elif sys.argv[1:2] == ["--make"]:
        simulated(Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
    else:
        main()
