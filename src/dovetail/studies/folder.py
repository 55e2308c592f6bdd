"""The folder of a study: its plan, one result and one outcome per run, and the table.

    study.json          what is varied, the outputs, and the values of every run
    runs/000042.h5      the result of run 42 (resumable while it is not finished)
    runs/000042.json    how run 42 ended and its outputs; there once it is done
    table.csv, table.parquet, *.png
Files appear whole or not at all: each is written under another name and then renamed.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dovetail.errors import InputError
from dovetail.studies.sampling import Row

PLAN, RUNS = "study.json", "runs"


@dataclass(frozen=True)
class StudyFolder:
    """Where everything of a study lies."""

    path: Path

    def result(self, run: int) -> Path:
        return self.path / RUNS / f"{run:06d}.h5"

    def outcome(self, run: int) -> Path:
        return self.path / RUNS / f"{run:06d}.json"

    def begin(self, identity: dict[str, str], rows: list[Row]) -> list[Row]:
        """Set up, or check that the folder is of the same study; the rows to run.

        Rows that are there already are kept to the bit; new ones may follow them.
        """
        plan = self.path / PLAN
        if plan.exists():
            rows = self._continued(plan, identity, rows)
        elif self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
            raise InputError(
                f"`out` must be a new or empty folder, or one of this study, but {self.path} holds "
                "something else"
            )
        try:
            (self.path / RUNS).mkdir(parents=True, exist_ok=True)
            write_whole(plan, json.dumps({"identity": identity, "rows": rows}, allow_nan=False))
        except OSError as error:
            raise InputError(
                f"the folder {self.path} must be one that can be written to: {error.strerror}"
            ) from error
        return rows

    def _continued(self, plan: Path, identity: dict[str, str], rows: list[Row]) -> list[Row]:
        try:
            there = json.loads(plan.read_text())
            old, old_rows = dict(there["identity"]), list(there["rows"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{plan} cannot be read ({error}); choose another folder or delete this one"
            ) from None
        keys = sorted({*old, *identity})
        found = [f"`{key}`" for key in keys if old.get(key) != identity.get(key)]
        if found:
            raise InputError(
                f"{self.path} is of another study, {' and '.join(found)} differ; choose another "
                "folder or delete this one"
            )
        return old_rows + rows[len(old_rows) :]

    def read_outcome(self, run: int) -> dict[str, Any] | None:
        """What is known of run number `run`; None if it is not done."""
        try:
            found = json.loads(self.outcome(run).read_text())
        except (FileNotFoundError, ValueError):
            return None
        return found if isinstance(found, dict) and "status" in found else None

    def write_outcome(self, run: int, outcome: dict[str, Any], durable: bool = True) -> None:
        write_whole(self.outcome(run), json.dumps(outcome), durable)

    def lost(self, run: int, outcome: dict[str, Any]) -> bool:
        """Whether the result of a run is not as long as it was, as after a power cut."""
        try:
            there = self.result(run).stat().st_size
        except FileNotFoundError:  # deleted to save space
            return False
        return bool(there != outcome.get("bytes", there))


def write_whole(path: Path, text: str, durable: bool = True) -> None:
    """Write a file so that it is there either as before or complete.

    One that is not `durable` may be empty after a power cut.
    """
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("w") as file:
            file.write(text)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
