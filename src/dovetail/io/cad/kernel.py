"""Open CASCADE, by the package `cascadio`, in a process of its own.

Of a damaged file it may end the process or never return. Here the first is a sentence, and Ctrl-C
ends the second.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from dovetail.errors import InputError
from dovetail.runtime.extras import require

MILLIMETRE = 1e-3  # [m] the unit in which the kernel takes its tolerance
# Loaded by its file: nothing else is imported, which takes a tenth of the time.
PROGRAM = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
core, source, out, linear, angular = sys.argv[1:]
spec = spec_from_file_location("cascadio._core", core)
kernel = module_from_spec(spec)
spec.loader.exec_module(kernel)
sys.exit(kernel.step_to_glb(source, out, float(linear), float(angular), False, True, False, True))
"""


def tessellated_file(path: Path, tolerance: float, angular: float) -> bytes:
    """A STEP file as binary glTF, with triangles within `tolerance` [m] and `angular` [rad]."""
    core = require("cascadio")._core.__file__
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "parts.glb"
        numbers = repr(float(tolerance / MILLIMETRE)), repr(float(angular))
        done = subprocess.run(
            [_python(), "-I", "-S", "-c", PROGRAM, core, str(path.absolute()), str(out), *numbers],
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
        if done.returncode < 0:
            raise InputError(f"{path.name}: could not be read as STEP; it ends the CAD kernel")
        if done.returncode or not out.exists():
            raise InputError(f"{path.name}: could not be read as STEP; it has no usable solids")
        return out.read_bytes()


def _python() -> str:
    """The interpreter, also where a program such as a CAD system has it built in."""
    if Path(sys.executable or "").name.lower().startswith("python"):
        return sys.executable
    for name in ("bin/python3", "python.exe"):
        found = Path(sys.base_exec_prefix) / name
        if found.exists():
            return str(found)
    return sys.executable or "python3"
