"""A busy scene for a long time under each contact method: is memory flat, energy sane, path free?

    python benchmarks/soak.py --minutes 60            # of wall time, for each method
Balls and boxes tumble in a closed box that is shaken; memory is that of the process, read every
ten seconds after the first tenth of the time.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil

import dovetail as dt
from dovetail.results.certificate import certify

SIDE, WALL = 1.0, 0.2  # [m]
METHODS = {
    "ipc": (lambda: dt.contact.IPC(friction=0.2), 0.01),
    "sdf": (
        lambda: dt.contact.SDF(friction=0.2, restitution=0.5, stiffness=3e4, exponent=1.0),
        5e-4,
    ),
    "lcp": (lambda: dt.contact.LCP(friction=0.2, restitution=0.3), 5e-3),
}


def busy_scene() -> dt.Scene:
    """Twelve parts in a box of six walls that sways sideways, 5 cm at 1 Hz."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    times = np.linspace(0, 3600, 3600 * 20 + 1)
    sway = 0.05 * np.sin(2 * np.pi * times)
    for axis in range(3):
        for side in (-1, 1):
            size = np.full(3, SIDE + 2 * WALL)
            size[axis] = WALL
            place = np.zeros(3)
            place[axis] = side * (SIDE + WALL) / 2
            positions = np.tile(place, (len(times), 1))
            positions[:, 0] += sway
            scene.add_body(
                f"wall {'xyz'[axis]}{side:+d}", dt.Box(tuple(size)), motion="kinematic",
                group="walls",
                trajectory=dt.PoseTable(times, positions),
            )  # fmt: skip
    rng = np.random.default_rng(1)
    for k, place in enumerate(np.argwhere(np.ones((2, 2, 3)))):
        shape = dt.Sphere(0.08) if k % 2 else dt.Box((0.15, 0.12, 0.1))
        scene.add_body(
            f"part {k}", shape, density=1000, position=(place - (0.5, 0.5, 1)) * 0.3,
            velocity=rng.normal(size=3),
        )  # fmt: skip
    return scene


def soak(name: str, minutes: float, folder: Path) -> None:
    make, step = METHODS[name]
    process, began = psutil.Process(), []  # when the first step was done
    memory: list[tuple[float, float]] = []

    def watch(t, state):
        if not began:
            began.append(time.monotonic())
        elapsed = time.monotonic() - began[0]
        if elapsed > 60 * minutes:
            raise KeyboardInterrupt
        if elapsed > 6 * minutes and (not memory or elapsed - memory[-1][0] > min(10, minutes)):
            memory.append((elapsed, process.memory_info().rss / 1e6))

    result = dt.simulate(
        busy_scene(), 3600.0, step, contact=make(), every=max(1, round(0.05 / step)),
        out=folder / f"{name}.h5", on_step=watch, progress=False,
    )  # fmt: skip
    t, mb = np.array(memory).T
    slope = np.polyfit(t / 3600, mb, 1)[0] if len(t) > 2 else float("nan")
    energy = result.energy["kinetic"]
    late = energy[len(energy) // 2 :].max() / energy[: len(energy) // 2].max()
    verdict = certify(result).verdict if name == "ipc" else "not asked"
    print(
        f"{name}: {result.time[-1]:.1f} s simulated in {minutes:g} min, {len(result.time)} frames; "
        f"memory {mb[0]:.0f} to {mb[-1]:.0f} MB ({slope:+.1f} MB/h); largest kinetic energy of the "
        f"second half {late:.2f} of the first's; judge: {verdict}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--method", choices=METHODS, action="append")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.method or METHODS:
            soak(name, arguments.minutes, Path(folder))


if __name__ == "__main__":
    main()
