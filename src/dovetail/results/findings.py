"""What a monitor found during a run, kept beside the result: it follows from the result."""

import json
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from dovetail.results.side_files import side_path
from dovetail.stability.finding import Finding

ENDING = "findings.json"
LARGEST = 1 << 26  # [bytes]


def write_findings(path: Path, findings: tuple[Finding, ...]) -> None:
    """Keep findings in `<result>.findings.json`."""
    temporary = side_path(path, f"{ENDING}.new")
    with suppress(OSError):
        temporary.write_text(json.dumps([asdict(finding) for finding in findings], indent=1))
        temporary.replace(side_path(path, ENDING))


def read_findings(path: Path) -> tuple[Finding, ...] | None:
    """Those beside a result; None where no monitor was on or they cannot be read."""
    try:
        beside = side_path(path, ENDING)
        if beside.stat().st_size > LARGEST:
            return None
        rows = json.loads(beside.read_text())
        return tuple(
            Finding(float(r["time"]), str(r["kind"]), tuple(map(str, r["bodies"])),
                    str(r["message"]))
            for r in rows
        )  # fmt: skip
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
