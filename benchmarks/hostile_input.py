"""Hostile files of every format: how many were tried, was any lost, worst time and memory.

    python benchmarks/hostile_input.py                     # all attacks, 300 damaged files a format
    python benchmarks/hostile_input.py --inputs 5000 --formats m.ply r.h5 --no-attacks
    python benchmarks/hostile_input.py --coverage m.glb --seconds 60    # guided, with atheris
A file is lost when `dovetail check` ends in anything but an answer or a message: by a
signal, with a traceback, beyond the limits of memory (4 GiB of addresses) or CPU time (40 s).
Exit code 1 when one was. A damaged file can be made again from its seed with --first.
"""

import argparse
import contextlib
import io
import os
import resource
import signal
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("DOVETAIL_QUIET", "1")
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "hostile"))

BATCH = 100  # damaged files a process reads one after another


def try_attacks(parts: list[str]) -> bool:
    """Every attack in a process of its own; prints a table, says whether none was lost."""
    from bounded import HARMLESS, attacks, imported, outcome

    imported()
    chosen = {n: a for n, a in attacks().items() if not parts or any(part in n for part in parts)}
    print("exit code | CPU [s] | memory [MB] | attack")
    lost, slowest, largest = [], 0.0, 0.0
    for name, attack in chosen.items():
        found = outcome(name, attack)
        fine = found.refused or (found.code == 0 and name in HARMLESS)
        print(f"{found.code:9d} | {found.seconds:7.2f} | {found.memory:11.0f} | {name}", flush=True)
        slowest, largest = max(slowest, found.seconds), max(largest, found.memory)
        if not fine:
            lost.append(name)
            print(f"LOST: {found.said[-300:]}")
    print(
        f"{len(chosen)} attacks, {len(lost) or 'none'} lost; worst {slowest:.1f} s of CPU time, "
        f"{largest:.0f} MB\n"
    )
    return not lost


def try_damaged(formats: list[str], first: int, count: int) -> bool:
    """`count` damaged files of each format; prints a table, says whether none was lost."""
    from bounded import imported
    from samples import samples

    imported()
    with tempfile.TemporaryDirectory() as folder:
        whole = samples(Path(folder))
    print("format     | tried | refused | answered | lost | worst CPU [s] | worst memory [MB]")
    total, every_lost = 0, []
    for name, data in whole.items():
        if formats and name not in formats:
            continue
        codes, lost, slowest, largest = _tried(name, data, first, count)
        refused = sum(code in (2, 3) for code in codes)
        print(
            f"{name:10} | {count:5d} | {refused:7d} | {len(codes) - refused:8d} | {len(lost):4d} | "
            f"{slowest:13.2f} | {largest:.0f}",
            flush=True,
        )
        total += count
        every_lost += [f"{name} seed {seed}: {why}" for seed, why in lost]
    print(f"{total} damaged files, {len(every_lost) or 'none'} lost")
    for line in every_lost:
        print(f"LOST {line}")
    return not every_lost


def _tried(
    name: str, data: bytes, first: int, count: int
) -> tuple[list[int], list[tuple[int, str]], float, float]:
    codes: list[int] = []
    lost: list[tuple[int, str]] = []
    slowest = largest = 0.0
    seed, end = first, first + count
    while seed < end:
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            _read_damaged(name, data, range(seed, min(seed + BATCH, end)), writer)
        os.close(writer)
        with os.fdopen(reader) as lines:
            for line in lines:
                code, seconds, why = line.rstrip("\n").split(" ", 2)
                codes.append(int(code))
                slowest = max(slowest, float(seconds))
                if why:
                    lost.append((seed, why))
                seed += 1
        _, status, used = os.wait4(child, 0)
        largest = max(largest, used.ru_maxrss / 1e3)
        if status:  # the one it was reading ended it
            lost.append((seed, f"ended the process ({os.waitstatus_to_exitcode(status)})"))
            codes.append(-1)
            seed += 1
    return codes, lost, slowest, largest


def _read_damaged(name: str, data: bytes, seeds: range, writer: int) -> None:
    """In a child: damage, check, report; never returns."""
    from bounded import MAX_MEMORY, MAX_SECONDS
    from mutations import mutated
    from samples import written

    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    with tempfile.TemporaryDirectory() as folder, os.fdopen(writer, "w", 1) as report:
        os.chdir(folder)
        for seed in seeds:
            argument = written(Path(folder), name, mutated(data, seed))
            signal.setitimer(signal.ITIMER_VIRTUAL, MAX_SECONDS)
            began = time.process_time()
            code, why = checked(argument)
            report.write(f"{code} {time.process_time() - began:.3f} {why}\n")
        os.chdir("/")
    os._exit(0)


def checked(argument: str) -> tuple[int, str]:
    """Exit code of `dovetail check`, and what is wrong with how it ended ("" if nothing is)."""
    from dovetail.cli import main

    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            main(["check", argument])
        except SystemExit as request:
            code = int(request.code or 0)
        except BaseException as error:
            return -1, f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    text = said.getvalue()
    if code in (1, 2, 3) and "rror: " not in text and "undecided: " not in text:
        return code, "no message"
    return code, "" if 0 <= code <= 3 and "Traceback" not in text else f"exit code {code}"


def fuzz_with_coverage(name: str, seconds: int) -> None:
    """Let atheris look for inputs that reach new lines of the readers; ends the process."""
    import atheris

    corpus = Path(tempfile.mkdtemp(prefix="corpus-"))
    child = os.fork()  # makes the sample with compiled kernels, which cannot be instrumented
    if child == 0:
        from samples import samples

        with tempfile.TemporaryDirectory() as made:
            data = samples(Path(made))[name]
        (corpus / "whole").write_bytes(data)
        os._exit(0)
    os.waitpid(child, 0)
    readers = ["dovetail.io", "dovetail.model.mesh_files", "dovetail.results", "trimesh.exchange"]
    with atheris.instrument_imports(include=readers, exclude=["dovetail.runtime"]):
        import trimesh.exchange.load  # noqa: F401

        import dovetail.io.loading
        import dovetail.io.mjcf
        import dovetail.io.urdf
        import dovetail.model.mesh_files.reading
        import dovetail.results.loading
    from samples import written

    from dovetail.errors import InputError

    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))

    def read(data: bytes) -> None:
        path = folder / written(folder, name, data)
        with contextlib.suppress(InputError):
            if path.suffix == ".h5":
                dovetail.results.loading.load(path)
            else:
                dovetail.io.loading.load_scene(path)

    limits = ["-max_len=20000", "-timeout=40", "-rss_limit_mb=4096", f"-max_total_time={seconds}"]
    atheris.Setup([sys.argv[0], *limits, str(corpus)], read)
    atheris.Fuzz()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=300, help="damaged files of each format")
    parser.add_argument("--first", type=int, default=0, help="seed of the first damaged file")
    parser.add_argument("--formats", nargs="*", default=[], help="such as m.ply; default: all")
    parser.add_argument("--attacks", nargs="*", default=[], help="parts of names; default: all")
    parser.add_argument("--no-attacks", action="store_true")
    parser.add_argument("--coverage", metavar="FORMAT", help="fuzz one format with atheris")
    parser.add_argument("--seconds", type=int, default=60, help="of --coverage")
    options = parser.parse_args()
    if options.coverage:
        fuzz_with_coverage(options.coverage, options.seconds)
    sound = options.no_attacks or try_attacks(options.attacks)
    if options.inputs:
        sound = try_damaged(options.formats, options.first, options.inputs) and sound
    sys.exit(0 if sound else 1)


if __name__ == "__main__":
    main()
