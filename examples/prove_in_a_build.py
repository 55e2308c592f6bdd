"""A step of a build that proves motions: what a build lists is proven, and the build fails else.

    python examples/prove_in_a_build.py project.json

`project.json` has parts in the manner of packages for CAD as code: every assembly names its file
and its tests. This step takes those of type `motion`:

    {"assemblies": {"clamp": {"path": "clamp.step", "tests": {
        "opens": {"type": "motion", "joints": ["push: prismatic pin, -30..5 mm"],
                  "clearance": "15 um"}}}}}

A plug-in of such a program calls `motion_test` by itself.
"""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MANY = ("joint", "sweep", "path", "drive", "force")
ONE = ("assemble", "clearance", "contact", "by", "duration", "unit", "tolerance")
VERDICTS = {0: "proven", 1: "meets or jams", 2: "bad input", 3: "undecided"}  # by exit code


@dataclass(frozen=True)
class Outcome:
    """What a test says of an assembly."""

    passed: bool
    message: str
    proof: dict[str, Any] | None  # as in `dovetail schema --proof`; None for bad input


def motion_test(path: Path, test: dict[str, Any], out: Path) -> Outcome:
    """Prove one motion of one assembly; `out` gets the proof as JSON and as a page."""
    known = {"type", "ignore", *ONE, *(f"{option}s" for option in MANY)}
    if unknown := sorted(test.keys() - known):
        return Outcome(
            False, f"a motion test must have no {unknown}; it may have {sorted(known)}", None
        )
    out.parent.mkdir(parents=True, exist_ok=True)
    data, page = out.with_suffix(".json"), out.with_suffix(".html")
    data.unlink(missing_ok=True)
    command = [sys.executable, "-m", "dovetail", "prove", str(path)]
    for option in MANY:
        for text in test.get(f"{option}s", ()):
            command += [f"--{option}", str(text)]
    for pair in test.get("ignore", ()):
        command += ["--ignore", *pair]
    for option in ONE:
        if option in test:
            command += [f"--{option}", str(test[option])]
    done = subprocess.run(
        [*command, "--json", str(data), "--html", str(page)], capture_output=True, text=True
    )
    if done.returncode not in VERDICTS or not data.exists():
        return Outcome(False, done.stderr.strip() or f"exit code {done.returncode}", None)
    proof = json.loads(data.read_text())
    return Outcome(done.returncode == 0, done.stdout.strip().splitlines()[-1], proof)


def main(project: Path) -> int:
    """Run all tests of a project; the number of those that did not pass."""
    failed = 0
    for name, assembly in json.loads(project.read_text())["assemblies"].items():
        for title, test in assembly.get("tests", {}).items():
            if test.get("type") != "motion":
                continue
            out = project.parent / "proofs" / f"{name}-{title}"
            outcome = motion_test(project.parent / assembly["path"], test, out)
            print(f"{'ok' if outcome.passed else 'FAILED'} {name}, {title}: {outcome.message}")
            failed += not outcome.passed
    return failed


if __name__ == "__main__":
    sys.exit(min(main(Path(sys.argv[1])), 1))
