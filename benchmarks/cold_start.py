"""What the first run costs: processor time of three steps with an empty kernel cache.

    python benchmarks/cold_start.py [ipc lcp ...]        # all take some minutes

Each case runs in a process of its own with a cache folder of its own; the time includes that of all
processes that it starts to compile. Then it runs again, with the kernels that it has left there.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BOXES = """
import dovetail as dt
def boxes():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.Box((4, 4, 1)), density=500, motion="static", position=(0, 0, -0.5))
    scene.add_body("crate", dt.Box((1, 1, 1)), density=500, position=(0, 0, 0.502))
    return scene
def jointed():
    scene = boxes()
    scene.add_body("arm", dt.Box((0.2, 0.2, 0.2)), density=500, position=(0, 0, 3))
    scene.add_joint("hinge", dt.Revolute(point=(0, 0, 4), axis=(0, 1, 0)), "ground", "arm")
    return scene
def run(scene, **settings):
    return dt.simulate(scene, duration=0.003, step=0.001, **settings)
"""
CASES = {
    "free": "run(boxes())",
    "joints": "run(jointed())",
    "RATTLie": "run(jointed(), integrator='RATTLie')",
    "SDF": "run(boxes(), contact='sdf')",
    "LCP": "run(boxes(), contact='lcp')",
    "IPC": "run(boxes(), contact='ipc')",
    "IPC and joints": "run(jointed(), contact='ipc')",
    "BarrierVerlet": "run(boxes(), contact='ipc', integrator='BarrierVerlet')",
    "check": "from dovetail.cli import main; main(['check', 'result.h5'])",
}
RESULT = "dt.simulate(boxes(), duration=0.003, step=0.001, contact='ipc', out='result.h5')"


def used() -> float:
    """[s] of processor time of all children, and their children, that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def measure(code: str, folder: Path, cache: Path) -> tuple[float, float]:
    """[s] of processor time and by the clock."""
    environment = os.environ | {"DOVETAIL_CACHE_DIR": str(cache), "DOVETAIL_QUIET": "1"}
    before, began = used(), time.monotonic()
    subprocess.run(
        [sys.executable, "-c", BOXES + code], env=environment, cwd=folder, check=True,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return used() - before, time.monotonic() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", help=f"of {', '.join(CASES)}; all where none is named")
    chosen = [name for name in CASES if name.lower() in map(str.lower, parser.parse_args().cases)]
    print(
        f"{'case':16s} {'kernels':>8s} {'cold: CPU [s]':>14s} {'clock [s]':>10s} {'warm [s]':>9s}"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for case in chosen or CASES:
            cache = folder / case
            if case == "check":
                measure(RESULT, folder, folder / "IPC")
            cold, clock = measure(CASES[case], folder, cache)
            warm, _ = measure(CASES[case], folder, cache)
            kernels = len(list(cache.rglob("*.nbc")))
            print(f"{case:16s} {kernels:8d} {cold:14.1f} {clock:10.1f} {warm:9.2f}", flush=True)


if __name__ == "__main__":
    main()
