"""From a clone and an STL file to a moving picture, timed: `python benchmarks/newcomer.py`.

In a fresh folder: clone, virtual environment, install, then the commands of the tutorial with an
empty kernel cache. Wall and processor time (of all processes) of each step are printed; on a busy
machine the second is what an idle one would take, or less with several cores.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
SCENE = """version: 1
gravity: [0, 0, -9.81]
run: {duration: 0.24, step: 0.001, every: 5}
bodies:
  - name: part
    shape: {mesh: part.stl, scale: 0.001}
    density: 7850
    position: [0, 0, 1]
    velocity: [0.15, 0, 1.2]
    angular_velocity: [2, 30, 0]
"""
CORNERS = [(0, 0, 0), (60, 0, 0), (0, 40, 0), (0, 0, 20)]  # [mm]
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]


def stl() -> str:
    """A tetrahedron as a CAD program would write it, in millimetres."""
    lines = ["solid part"]
    for face in FACES:
        lines += ["facet normal 0 0 0", "outer loop"]
        lines += ["vertex {} {} {}".format(*CORNERS[i]) for i in face]
        lines += ["endloop", "endfacet"]
    return "\n".join([*lines, "endsolid part", ""])


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fresh = {"PYTHONPATH", "PYTHONPYCACHEPREFIX", "PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV"}
        env = {k: v for k, v in os.environ.items() if k not in fresh}
        env["DOVETAIL_CACHE_DIR"] = str(folder / "kernels")
        bin_ = folder / "venv" / "bin"
        (folder / "part.stl").write_text(stl())
        (folder / "throw.yaml").write_text(SCENE)
        steps = {
            "clone": ["git", "clone", "-q", str(ROOT), "clone"],
            "environment": [sys.executable, "-m", "venv", "venv"],
            "install": [str(bin_ / "pip"), "install", "-q", "-e", "clone"],
            "check the scene": [str(bin_ / "dovetail"), "check", "throw.yaml"],
            "run, with a picture": [str(bin_ / "dovetail"), "run", "throw.yaml", "--picture"],
            "a page that plays": [str(bin_ / "dovetail"), "export", "throw.h5", "throw.html"],
        }
        begin, total = time.monotonic(), 0.0
        for what, command in steps.items():
            before, used = time.monotonic(), _used()
            subprocess.run(command, cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL)
            cpu = _used() - used
            total += cpu
            wall = time.monotonic() - before
            print(f"{what:22s} {wall:6.1f} s, {cpu:6.1f} s of processor time", flush=True)
        print(f"{'all':22s} {time.monotonic() - begin:6.1f} s, {total:6.1f} s of processor time")
        assert (folder / "throw.png").stat().st_size > 5000
        assert (folder / "throw.html").stat().st_size > 100_000


def _used() -> float:
    """[s] of processor time of all finished children."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
