"""Building fields: one thread against two, and the memory of a fine one, computed and measured."""

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from dovetail.collision.sdf import build
from dovetail.model.surface import Surface
from dovetail.validation.bench import Row
from dovetail.validation.bench.timing import wall_time

TITLE = "building a field (clock time, so an idle machine is needed)"


def measure(surface: Surface, quick: bool) -> Iterator[Row]:
    """At the default resolution; memory at twice that."""
    n = 48 if quick else 128
    build(surface, 8, cache=False)  # compiles
    one, many = (
        wall_time(partial(build, surface, n, cache=False, progress=False, threads=threads))
        for threads in (1, None)
    )
    cores = os.cpu_count() or 1
    yield Row(
        f"{len(surface.faces)} triangles at {n}^3, {cores} threads", many, "1 thread", one, "s"
    )
    fine = build(surface, 2 * n, cache=False, progress=False)
    full = 8 * np.prod(np.array(fine.arrays.values.shape, dtype=float))
    yield Row(
        f"memory at {2 * n}^3", fine.nbytes / 1e6, "the same in float64", float(full) / 1e6, "MB"
    )
    before, peak = peak_memory(surface, 2 * n)
    yield Row(
        f"most memory of a process that builds it at {2 * n}^3", peak / 1e6,
        "the same before building", before / 1e6, "MB",
    )  # fmt: skip


BUILDING = """
import sys
import numpy as np
from dovetail.validation.bench.field_building import resident_peak
from dovetail.model.surface import Surface
from dovetail.collision.sdf import build
stored = np.load(sys.argv[1])
surface = Surface.of(stored["vertices"], stored["faces"])
build(surface, 8, cache=False)
before = resident_peak()
build(surface, int(sys.argv[2]), cache=False, progress=False)
print(before, resident_peak())
"""


def resident_peak() -> int:
    """[B] the most memory this process has held so far."""
    import resource

    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(held if sys.platform == "darwin" else 1024 * held)


def peak_memory(surface: Surface, resolution: int) -> tuple[float, float]:
    """[B] the most a fresh process holds before and after building, by the operating system."""
    with TemporaryDirectory() as folder:
        stored = Path(folder) / "surface.npz"
        np.savez(stored, vertices=surface.vertices, faces=surface.faces)
        said = subprocess.run(
            [sys.executable, "-c", BUILDING, str(stored), str(resolution)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    before, after = said.stdout.split()
    return float(before), float(after)
