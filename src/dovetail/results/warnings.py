"""What a run warned about, kept beside the result."""

import json
from contextlib import suppress
from pathlib import Path

from dovetail.results.result import Result
from dovetail.results.side_files import side_path
from dovetail.results.stored import StoredInFile

ENDING = "warnings.json"
LARGEST = 1 << 24  # [bytes]


def keep_warnings(result: Result, warnings: tuple[str, ...]) -> None:
    """Give the result its warnings, and its file those of this run and no others."""
    result.warnings = warnings
    if not isinstance(result.stored, StoredInFile):
        return
    beside = side_path(result.stored.path, ENDING)
    with suppress(OSError):
        if not warnings:
            beside.unlink(missing_ok=True)
            return
        temporary = side_path(result.stored.path, f"{ENDING}.new")
        temporary.write_text(json.dumps(list(warnings), indent=1))
        temporary.replace(beside)


def read_warnings(path: Path) -> tuple[str, ...]:
    """Those beside a result; none where they cannot be read."""
    try:
        beside = side_path(path, ENDING)
        if beside.stat().st_size > LARGEST:
            return ()
        return tuple(map(str, json.loads(beside.read_text())))
    except (OSError, ValueError, TypeError, RecursionError):
        return ()
