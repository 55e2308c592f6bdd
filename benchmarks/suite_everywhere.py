"""Does the suite pass on other machines? Runs it as they would.

    python benchmarks/suite_everywhere.py seeds            # 20 seeds of the tests with hypothesis
    python benchmarks/suite_everywhere.py processors       # other kernels of BLAS, NumPy and libm
    python benchmarks/suite_everywhere.py kernels          # Numba compiles for another processor
    python benchmarks/suite_everywhere.py user             # not as root, without the shared data
    python benchmarks/suite_everywhere.py bounds           # kernels refuse wrong indices
    python benchmarks/suite_everywhere.py memory           # new memory is not empty

`processors` sets OPENBLAS_CORETYPE (kernels of OpenBLAS), NPY_DISABLE_CPU_FEATURES (loops of NumPy)
and GLIBC_TUNABLES (sin, cos, pow with or without fused multiply-add). `kernels` sets NUMBA_CPU_NAME
and compiles into a folder of its own, which takes minutes. `user` runs as `nobody`; it must be
started as root, with a clone that everybody may read and an --interpreter that everybody may run.
`bounds` and `memory` make Python and kernels strict (`memory_checks/sitecustomize.py`): an index
that leaves an array or is negative raises an IndexError, new arrays hold NaN and -1. `memory` runs
the tests twice, with other bytes in new arrays and in other memory (MALLOC_PERTURB_) and another
order of sets (PYTHONHASHSEED): each result of `simulate` must be the same to the bit. Both compile
all kernels again, half an hour; `--cache FOLDER` keeps them for the next run.
One line per run; the output of runs that fail goes to stdout. Exit code 1 when one fails.
"""

import argparse
import io
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
NUMERICAL = [
    "tests/model",
    "tests/linalg",
    "tests/io/scene_file",
    "tests/multibody",
    "tests/results",
    "tests/simulate",
    "tests/stability",
    "tests/integrators",
    "tests/collision/sdf/test_analytic_fields.py",
    "tests/collision/distance",
    "tests/collision/intersection",
    "tests/contact/impulse",
    "tests/physics/test_free_flight.py",
    "tests/physics/test_held_motions.py",
    "tests/physics/test_loads.py",
    "tests/view/test_glb.py",
    "tests/view/test_other_exports.py",
]
COMPILED = [
    "tests/linalg",
    "tests/multibody/tree",
    "tests/collision/distance",
    "tests/physics/test_free_flight.py",
    "tests/physics/test_loads.py",
]
ALONE = [
    "tests/cli/test_commands.py",
    "tests/hostile",
    "tests/io",
    "tests/model",
    "tests/papers",
    "tests/results",
    "tests/runtime",
    "tests/simulate",
]
WITH_KERNELS = [
    f"tests/{folder}"
    for folder in (
        "agreement", "collision", "contact", "examples", "extensions", "integrators", "linalg",
        "multibody", "physics", "prove", "results", "scene_check", "simulate", "stability",
        "studies", "validation", "verifier", "view",
    )
]  # fmt: skip
CHECKS = ROOT / "benchmarks/memory_checks"
NANS, HUGE = 255, 85  # bytes that new memory is filled with
NO_FUSED = "glibc.cpu.hwcaps=-AVX2_Usable,-FMA_Usable,-FMA4_Usable,-AVX2,-FMA,-FMA4"
PROCESSORS = {
    "Prescott (SSE3)": {"OPENBLAS_CORETYPE": "Prescott"},
    "Nehalem (SSE4.2)": {"OPENBLAS_CORETYPE": "Nehalem"},
    "Haswell (AVX2)": {"OPENBLAS_CORETYPE": "Haswell"},
    "SkylakeX (AVX-512)": {"OPENBLAS_CORETYPE": "SkylakeX"},
    "no AVX in NumPy, no FMA in libm": {
        "OPENBLAS_CORETYPE": "Nehalem",
        "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
        "GLIBC_TUNABLES": NO_FUSED,
    },
}


def passes(
    name: str,
    *arguments: str,
    environment: dict[str, str] | None = None,
    interpreter: str = sys.executable,
    folder: Path = ROOT,
    **process: Any,
) -> bool:
    """Whether pytest passes in that environment; `process` goes to subprocess.run."""
    command = [interpreter, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider"]
    settings, start = os.environ | (environment or {}), time.perf_counter()
    run = subprocess.run(
        [*command, "-m", "not slow", *arguments], cwd=folder, env=settings, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **process,
    )  # fmt: skip
    outcome = run.stdout.strip().split("\n")[-1]
    print(f"{name}: {outcome} [{time.perf_counter() - start:.0f} s]", flush=True)
    if run.returncode:
        print(run.stdout, flush=True)
    return run.returncode == 0


def seeds(first: int, count: int) -> bool:
    """The tests that draw examples, with examples of their own for every seed."""
    files = [p for p in sorted((ROOT / "tests").rglob("test_*.py")) if "@given" in p.read_text()]
    files += sorted((ROOT / "tests/linalg/lie").glob("test_*.py"))
    names = [str(path.relative_to(ROOT)) for path in files]
    drawing = ["-q", "--no-header", "-p", "no:cacheprovider", "-m", "hypothesis and not slow"]
    drawing += ["--hypothesis-profile=random", *names]
    os.chdir(ROOT)
    with redirect_stdout(io.StringIO()):
        pytest.main([*drawing, "--collect-only"])  # imports what every seed needs
    passed = [_passes_in_a_fork(f"seed {n}", drawing, n) for n in range(first, first + count)]
    return all(passed)


def _passes_in_a_fork(name: str, arguments: list[str], seed: int) -> bool:
    """As `passes`, in a fork of this process: nothing is imported again."""
    start = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if child == 0:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
            code = pytest.main([*arguments, f"--hypothesis-seed={seed}"])
            sys.stdout.flush()
            os._exit(code)
        status = os.waitpid(child, 0)[1]
        output.seek(0)
        text = output.read().decode()
    print(
        f"{name}: {text.strip().splitlines()[-1]} [{time.perf_counter() - start:.0f} s]", flush=True
    )
    if status:
        print(text, flush=True)
    return status == 0


def processors(tests: list[str]) -> bool:
    there = Path("/proc/cpuinfo").read_text()
    passed = []
    for name, environment in PROCESSORS.items():
        if "AVX-512" in name and "avx512f" not in there:
            print(f"{name}: not run, this processor cannot")
            continue
        passed.append(passes(name, *tests, environment=environment))
    return all(passed)


def kernels(processor: str, tests: list[str]) -> bool:
    with tempfile.TemporaryDirectory() as cache:
        # without the empty list of features Numba would add those of the processor at hand
        environment = {
            "NUMBA_CPU_NAME": processor,
            "NUMBA_CPU_FEATURES": "",
            "DOVETAIL_CACHE_DIR": cache,
        }
        name = f"Numba for {processor}"
        return passes(name, *tests, environment=environment)


def strict(cache: str, fill: int) -> dict[str, str]:
    """The environment in which kernels refuse wrong indices and new memory holds a byte."""
    paths = [str(CHECKS), f"{ROOT}/src", *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        "PYTHONPATH": os.pathsep.join(paths),
        "NUMBA_BOUNDSCHECK": "1",
        "DOVETAIL_CACHE_DIR": cache,
        "DOVETAIL_FILL": str(fill),
        "MALLOC_PERTURB_": str(fill),  # memory that is free again; new memory: its complement
    }


def bounds(cache: str, tests: list[str]) -> bool:
    return passes("indices checked", *tests, environment=strict(cache, NANS))


def memory(cache: str, tests: list[str]) -> bool:
    passed, logs = [], []
    Path(cache).mkdir(0o700, parents=True, exist_ok=True)
    for seed, fill in enumerate((HUGE, NANS)):
        logs.append(Path(cache, f"results-{fill}"))
        logs[-1].unlink(missing_ok=True)
        settings = {"PYTHONHASHSEED": str(seed), "RESULT_LOG": str(logs[-1])}
        drawn = "-p", "result_log", "--hypothesis-profile=ci"
        environment = strict(cache, fill) | settings
        passed.append(passes(f"memory of {fill}", *drawn, *tests, environment=environment))
    compared = [sys.executable, str(CHECKS / "result_log.py"), *map(str, logs)]
    return subprocess.run(compared).returncode == 0 and all(passed)


def user(interpreter: str, tests: list[str]) -> bool:
    """As `nobody`, who may read the clone and write to a folder of his own."""
    with tempfile.TemporaryDirectory() as folder:
        if "DOVETAIL_CACHE_DIR" in os.environ:  # spares compilations
            known = os.environ["DOVETAIL_CACHE_DIR"]
            shutil.copytree(known, Path(folder) / "cache", copy_function=_copy_if_there)
        subprocess.run(["chown", "-R", "nobody", folder], check=True)
        environment = {
            "HOME": folder,
            "TMPDIR": folder,
            "DOVETAIL_CACHE_DIR": f"{folder}/cache",
            "DOVETAIL_SHARED": f"{folder}/none",
            "HYPOTHESIS_STORAGE_DIRECTORY": f"{folder}/examples",
            "PYTHONPYCACHEPREFIX": f"{folder}/bytecode",
            "PYTHONPATH": os.pathsep.join([f"{ROOT}/src", *filter(os.path.isdir, sys.path[1:])]),
        }
        return passes(
            "as nobody, without shared data", "-rs", *tests,
            interpreter=interpreter, environment=environment,
            user="nobody", group="nogroup", extra_groups=[],
        )  # fmt: skip


def _copy_if_there(source: str, to: str) -> None:
    """Copy a file; another process may just have removed it."""
    with suppress(FileNotFoundError):
        shutil.copy2(source, to)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    runs = ("seeds", "processors", "kernels", "user", "bounds", "memory")
    parser.add_argument("run", choices=runs)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--processor", default="x86-64-v2", help="for `kernels`")
    parser.add_argument("--interpreter", default=sys.executable, help="for `user`")
    parser.add_argument("--cache", help="where `bounds` and `memory` keep their kernels")
    parser.add_argument("--tests", nargs="+", help="others than those meant for the run")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return 0 if _run(options, options.cache or folder) else 1


def _run(options: argparse.Namespace, cache: str) -> bool:
    return {
        "seeds": lambda: seeds(options.first, options.seeds),
        "processors": lambda: processors(options.tests or NUMERICAL),
        "kernels": lambda: kernels(options.processor, options.tests or COMPILED),
        "user": lambda: user(options.interpreter, options.tests or ALONE),
        "bounds": lambda: bounds(cache, options.tests or WITH_KERNELS),
        "memory": lambda: memory(cache, options.tests or WITH_KERNELS),
    }[options.run]()


if __name__ == "__main__":
    sys.exit(main())
