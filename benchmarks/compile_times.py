"""CPU seconds of compilation in front of the first step, by kind of scene, kernel and stage.

    python benchmarks/compile_times.py                     # every kind of scene, one line each
    python benchmarks/compile_times.py ipc --top 10        # and the kernels that cost most
    python benchmarks/compile_times.py ipc --edit contact/ipc/line_search/search.py MAX_HALVINGS

A scene runs in a process of its own that begins with an empty kernel cache. What a kernel costs is
its own: what it calls counts for itself. Stages: `numba` is bytecode, types and lowering,
`optimise` LLVM's passes, `emit` machine code. With `--edit`
the cache is filled first; then the integer constant of that file is raised by one in a copy of the
sources, and the figures are of the run that follows.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCES = Path(__file__).parents[1] / "src"
JOINT = 'scene.add_joint("j", dt.Revolute(point=(0, 0, 2), axis=(0, 1, 0)), "ground", "b")\n'
SCENES = {
    "free": "run()",
    "joints": JOINT + "run()",
    "rattlie": JOINT + "run(integrator=dt.integrators.RATTLie())",
    "sdf": "run(contact=dt.contact.SDF())",
    "lcp": "run(contact=dt.contact.LCP(friction=0.3))",
    "ipc": "run(contact=dt.contact.IPC(friction=0.3))",
    "ipc+joints": JOINT + "run(contact=dt.contact.IPC(friction=0.3))",
    "barrier-verlet": "run(contact=dt.contact.IPC(), integrator=dt.integrators.BarrierVerlet())",
    "check": "from dovetail.verifier import certify; result = run(); begin(); certify(result)",
}
RUN = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
from compile_times import Watch
import dovetail as dt

scene = dt.Scene(gravity=(0, 0, -9.81))
scene.add_body("a", dt.Box((1, 1, 1)), density=1000, motion="static")
scene.add_body("b", dt.Box((1, 1, 1)), density=1000, position=(0, 0, 1.001))

def run(**settings):
    return dt.simulate(scene, duration=0.002, step=0.001, **settings)

began = time.process_time()
def begin():
    global began, watch
    began, watch = time.process_time(), Watch()
begin()
"""
REPORT = """
print(json.dumps({"cpu": time.process_time() - began, "kernels": watch.kernels}))
"""


class Watch:
    """CPU seconds of each kernel by stage, from Numba's events and LLVM's entry points."""

    def __init__(self) -> None:
        from llvmlite.binding import newpassmanagers
        from numba.core import codegen, event

        self.kernels: dict[str, dict[str, float]] = {}
        self._stack: list[tuple[str, str]] = [("", "other")]
        self._last = self._now()
        watch = self

        class Compilations(event.Listener):
            def on_start(self, event) -> None:
                function = event.data["dispatcher"].py_func
                module = (function.__module__ or "numba").removeprefix("dovetail.")
                name = f"{module}.{function.__qualname__}"
                watch.enter(name, "numba")
                watch.add(name, "times", 1)

            def on_end(self, event) -> None:
                watch.leave()

        event.register("numba:compile", Compilations())
        library = codegen.JITCodeLibrary
        managers = newpassmanagers.NewPassManager  # of functions and of modules
        managers.run = self._staged("optimise", managers.run)
        library._finalize_specific = self._staged("emit", library._finalize_specific)

    @staticmethod
    def _now() -> float:
        import time

        return time.process_time()

    def _staged(self, stage, function):
        def staged(*arguments):
            self.enter(self._stack[-1][0], stage)
            try:
                return function(*arguments)
            finally:
                self.leave()

        return staged

    def add(self, name: str, stage: str, amount: float) -> None:
        stages = self.kernels.setdefault(name, {})
        stages[stage] = stages.get(stage, 0.0) + amount

    def enter(self, name: str, stage: str) -> None:
        self._charge()
        self._stack.append((name, stage))

    def leave(self) -> None:
        self._charge()
        self._stack.pop()

    def _charge(self) -> None:
        now = self._now()
        self.add(*self._stack[-1], now - self._last)
        self._last = now


def measure(scene: str, cache: Path, sources: Path = SOURCES) -> dict:
    """CPU seconds of the first steps of a scene, all and by kernel."""
    environment = os.environ | {
        "PYTHONPATH": str(sources),
        "DOVETAIL_CACHE_DIR": str(cache),
        "DOVETAIL_QUIET": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", RUN + SCENES[scene] + REPORT, str(Path(__file__).parent)],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(done.stderr)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def raise_constant(file: Path, name: str) -> None:
    """Raise the integer that `name` is assigned in `file` by one."""
    text, count = re.subn(
        rf"^({name} = )(\d+)", lambda m: f"{m[1]}{int(m[2]) + 1}", file.read_text(), flags=re.M
    )
    if count != 1:
        raise SystemExit(f"{file} assigns no integer to {name}")
    file.write_text(text)


def show(scene: str, measured: dict, top: int) -> None:
    kernels = measured["kernels"]
    compiled = {name: stages for name, stages in kernels.items() if "times" in stages}
    stages = {
        stage: sum(kernel.get(stage, 0.0) for kernel in kernels.values())
        for stage in ("numba", "optimise", "emit")
    }
    parts = ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in stages.items())
    times = sum(kernel["times"] for kernel in compiled.values())
    print(
        f"{scene:15s} {measured['cpu']:6.1f} s: {parts}; "
        f"{len(compiled)} kernels, {times:.0f} compilations",
        flush=True,
    )

    def total(name: str) -> float:
        return sum(seconds for stage, seconds in compiled[name].items() if stage != "times")

    for name in sorted(compiled, key=total, reverse=True)[:top]:
        kernel = compiled[name]
        parts = " ".join(f"{kernel.get(stage, 0.0):6.2f}" for stage in stages)
        print(f"  {total(name):6.2f} s ({parts}) {kernel['times']:3.0f} x {name}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scenes", nargs="*", help=", ".join(SCENES))
    parser.add_argument("--top", type=int, default=0, help="kernels to list")
    parser.add_argument("--edit", nargs=2, metavar=("FILE", "NAME"))
    chosen = parser.parse_args()
    for scene in chosen.scenes or SCENES:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            if not chosen.edit:
                show(scene, measure(scene, folder), chosen.top)
                continue
            shutil.copytree(SOURCES, folder / "src")
            show(scene, measure(scene, folder / "cache", folder / "src"), 0)
            raise_constant(folder / "src" / "dovetail" / chosen.edit[0], chosen.edit[1])
            show(f"{scene}, edited", measure(scene, folder / "cache", folder / "src"), chosen.top)


if __name__ == "__main__":
    main()
