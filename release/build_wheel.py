"""Build the platform wheel, with all kernels compiled: `python release/build_wheel.py`.

Compiles what is missing in the kernel cache, packs it, and builds `dist/dovetail-*.whl` for this
Python, this platform and the level of processors that `dovetail.runtime.target` names. Run it in an
environment that has dovetail installed from this checkout; the versions of Numba and llvmlite in it
are those that the wheel will require, since compiled kernels fit no other.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from importlib.metadata import distribution
from pathlib import Path

ROOT = Path(__file__).parents[1]


def wheel_tag() -> str:
    """Python, ABI and platforms: those of the installed llvmlite, which loads the kernels."""
    lines = (distribution("llvmlite").read_text("WHEEL") or "").splitlines()
    tags = [line.removeprefix("Tag: ").split("-") for line in lines if line.startswith("Tag: ")]
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{'.'.join(sorted({platform for *_, platform in tags}))}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder of the wheel")
    out = parser.parse_args().out.resolve()
    python = [sys.executable, "-m"]
    subprocess.run([*python, "dovetail", "warmup", "--quiet"], check=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*python, "dovetail.runtime.packing", folder], check=True)
        environment = os.environ | {"DOVETAIL_KERNELS": folder, "DOVETAIL_WHEEL_TAG": wheel_tag()}
        build = [
            *python,
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--wheel-dir",
            str(out),
            str(ROOT),
        ]
        subprocess.run(build, env=environment, check=True)
    wheel = max(out.glob("dovetail-*.whl"), key=lambda path: path.stat().st_mtime)
    print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
