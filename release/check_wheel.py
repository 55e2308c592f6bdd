"""Install a wheel elsewhere and see that it starts at once: `python release/check_wheel.py WHEEL`.

In a fresh environment with an empty home `dovetail run card-house` must compile nothing, and its
numbers must be those of kernels that this environment compiles for the processor at hand, to the
last bit. Its processor time (the least of three runs) may be SLOWER times that of a run with those
kernels in their cache: a ratio, since machines differ. The wheel may have 45 MB.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
LARGEST = 45e6  # [bytes]
SLOWER = 1.5  # times the processor time of a run with kernels of this machine
EXAMPLE = "card-house"
RUN = """
import json, sys
import dovetail as dt
from dovetail.cli import main
from dovetail.runtime.compile_notice import notice
try:
    main(["run", sys.argv[1], "--quiet"])
except SystemExit as end:
    assert not end.code
print(json.dumps({"compiled": notice.compiled, "package": dt.__file__}))
"""
DIGEST = """
import sys
sys.path.insert(0, sys.argv[1])
from result_digests import digest
import dovetail as dt
print(digest(dt.load(sys.argv[2])))
"""


def run(python: str, code: str, *arguments: str, cwd: Path, **chosen: str) -> str:
    """The last line that `code` prints."""
    ours = ("PYTHONPATH", "DOVETAIL_", "NUMBA_", "VIRTUAL_ENV")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    done = subprocess.run(
        [python, "-c", code, *arguments], cwd=cwd, env=environment | chosen, check=True,
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    return done.stdout.splitlines()[-1]


def used() -> float:
    """[s] of processor time of all children so far."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def from_wheel(wheel: Path, folder: Path) -> tuple[str, float]:
    """Digest and processor time [s] of the example run by the wheel, with a home of its own."""
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    python = str(folder / "venv" / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", str(wheel)], check=True)
    home, fastest = folder / "home", float("inf")
    for _ in range(3):
        home.mkdir(exist_ok=True)
        before = used()
        said = json.loads(run(python, RUN, EXAMPLE, cwd=home, HOME=str(home)))
        fastest = min(fastest, used() - before)
        assert said["package"].startswith(str(folder)), said["package"]
        assert said["compiled"] == 0, f"{said['compiled']} compilations"
        assert not list(home.rglob("*.nbc")), "kernels were compiled"
    print(f"{EXAMPLE} from an empty home: {fastest:.2f} s of processor time, 0 compilations")
    benchmarks, result = str(ROOT / "benchmarks"), str(home / f"{EXAMPLE}.h5")
    return run(python, DIGEST, benchmarks, result, cwd=home, HOME=str(home)), fastest


def native(folder: Path) -> tuple[str, float]:
    """The same of this checkout with kernels for the processor at hand, loaded from their cache."""
    source, home = str(ROOT / "src"), folder / "native"
    home.mkdir()
    chosen = {"DOVETAIL_CPU": "native", "PYTHONPATH": source}
    if "DOVETAIL_CACHE_DIR" in os.environ:
        chosen["DOVETAIL_CACHE_DIR"] = os.environ["DOVETAIL_CACHE_DIR"]
    run(sys.executable, RUN, EXAMPLE, cwd=home, **chosen)  # compiles
    fastest = float("inf")
    for _ in range(3):
        before = used()
        run(sys.executable, RUN, EXAMPLE, cwd=home, **chosen)
        fastest = min(fastest, used() - before)
    print(f"{EXAMPLE} with kernels of this machine: {fastest:.2f} s of processor time")
    result = str(home / f"{EXAMPLE}.h5")
    digest = run(sys.executable, DIGEST, str(ROOT / "benchmarks"), result, cwd=home, **chosen)
    return digest, fastest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=Path)
    wheel = parser.parse_args().wheel.resolve()
    size = wheel.stat().st_size
    print(f"{wheel.name}: {size / 1e6:.1f} MB")
    assert size <= LARGEST, f"the wheel must have at most {LARGEST / 1e6:.0f} MB"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        (shipped, seconds), (here, native_seconds) = from_wheel(wheel, folder), native(folder)
    print(
        f"sha256 of the result: {shipped[:16]} with kernels of the wheel, {here[:16]} with native"
    )
    assert shipped == here, "the results differ"
    assert seconds <= SLOWER * native_seconds, f"it must take at most {SLOWER} times as long"


if __name__ == "__main__":
    main()
