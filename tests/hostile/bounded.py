"""`dovetail` on hostile files under limits, each in a process of its own: time, memory, exit code.

python tests/hostile/bounded.py [PART_OF_A_NAME ...]     one line of JSON for each attack
"""

import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from inspect import getmembers, isfunction
from pathlib import Path
from types import ModuleType

MAX_SECONDS = 40  # of CPU time; the kernel ends a process that takes more
MAX_MEMORY = 4 << 30  # [bytes] of addresses, which is more than what is used
Attack = Callable[[Path], str]
HARMLESS = {  # strange, but sound and small once read
    "scene: one long line",
    "mesh: glb of many scenes",
    "mesh: obj of one face a million times",
    "mesh: off of a billion corners",  # of which only those that are there are read
    "mesh: stl of one triangle a million times",
    "result: the whole result itself",
    "result: wall times without end",  # which are left out
}
HEAVY = {  # each takes 4 to 15 s, so the benchmark alone tries them
    "scene: million bodies",
    "scene: inline degenerate triangles",
    "scene: one long line",
    "mesh: obj of degenerate triangles",
    "mesh: obj of long polylines",
    "mesh: obj of many concave polygons",
    "mesh: obj of one face a million times",
    "mesh: obj of polylines",
    "mesh: stl of a fan",
    "mesh: stl of crossing triangles",
    "mesh: stl of needles",
    "mesh: stl of spaces",
    "mesh: stl text of many words",
}


@dataclass(frozen=True)
class Outcome:
    """What became of one command."""

    name: str
    code: int  # exit code; minus the signal's number if one ended it
    seconds: float  # of CPU time
    memory: float  # [MB] most that was resident
    said: str

    @property
    def refused(self) -> bool:
        """With a message and exit code 2, or 3 for a result that is damaged."""
        return self.code in (2, 3) and "rror: " in self.said and "Traceback" not in self.said


def attacks() -> dict[str, Attack]:
    """All attacks by name, such as `mesh: stl of needles`."""
    import mesh_attacks
    import result_attacks
    import scene_attacks
    import xml_attacks

    modules: dict[str, ModuleType] = {
        "scene": scene_attacks,
        "xml": xml_attacks,
        "mesh": mesh_attacks,
        "result": result_attacks,
    }
    return {
        f"{kind}: {name.replace('_', ' ')}": function
        for kind, module in modules.items()
        for name, function in getmembers(module, isfunction)
        if function.__module__ == module.__name__
        and not name.startswith("_")
        and name != "whole_result"
    }


@contextmanager
def emptied_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="hostile-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def outcome(name: str, attack: Attack) -> Outcome:
    """Write the file and let `dovetail` read it, in a fork of this process.

    An attack returns the name of its file, which is checked, or a command and the name.
    """
    with emptied_folder() as folder:
        child = os.fork()  # to write it, so that memory for that is not counted
        if child == 0:
            ended(lambda: (folder / "name").write_text(attack(folder)))
        _, status = os.waitpid(child, 0)
        if status:
            raise RuntimeError(f"the attack {name!r} could not be written")
        arguments = ["check", *(folder / "name").read_text().split()][-2:]
        child = os.fork()
        if child == 0:
            os.chdir(folder)
            ended(lambda: dovetail(arguments, folder / "said"))
        _, status, used = os.wait4(child, 0)
        said = (folder / "said").read_text(errors="replace") if (folder / "said").exists() else ""
    code = os.waitstatus_to_exitcode(status)
    seconds = used.ru_utime + used.ru_stime
    return Outcome(name, code, round(seconds, 3), round(used.ru_maxrss / 1e3, 1), said[:2000])


def ended(work: Callable[[], object]) -> None:
    """Do it and end this process without a look back, whatever happens."""
    try:
        work()
    except BaseException:
        import traceback

        traceback.print_exc()
        os._exit(99)
    os._exit(0)


def dovetail(arguments: list[str], said: Path) -> None:
    """The command under limits; its exit code becomes that of the process."""
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(5 * MAX_SECONDS)  # a read that waits for ever takes no CPU time
    into = os.open(said, os.O_WRONLY | os.O_CREAT)
    os.dup2(into, 1)
    os.dup2(into, 2)
    try:
        from dovetail.cli import main

        main(arguments)
    except SystemExit as request:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(request.code if isinstance(request.code, int) else 1)


def imported() -> None:
    """Load what the readers need once, so that forks share it."""
    os.environ.setdefault("DOVETAIL_QUIET", "1")
    import h5py  # noqa: F401
    import trimesh  # noqa: F401

    import dovetail.cli.check_command
    import dovetail.scene_check
    import dovetail.verifier.certificate  # noqa: F401


def main() -> None:
    imported()
    for name, attack in attacks().items():
        if not sys.argv[1:] or any(part in name for part in sys.argv[1:]):
            began = time.monotonic()
            line = asdict(outcome(name, attack)) | {"wall": round(time.monotonic() - began, 2)}
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
