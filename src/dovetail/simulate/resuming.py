"""Which state of a result file a run continues from.

The duration may be another one than the file's: a stopped or finished run goes on to a longer one,
as if that had been requested from the beginning. What a run does before its last step does not
depend on its duration, so a checkpoint of before that step serves both.
"""

import json
from pathlib import Path

from dovetail.errors import InputError
from dovetail.results.checkpoint import Checkpoint, read_checkpoint
from dovetail.results.header import Header
from dovetail.results.loading import load
from dovetail.results.result import Result
from dovetail.results.status import FINISHED
from dovetail.results.stored import StoredInFile
from dovetail.simulate.fingerprint import differences
from dovetail.simulate.plan import Plan

MAY_CHANGE = ("duration",)


def to_resume(
    path: Path, header: Header, plan: Plan
) -> Result | tuple[StoredInFile, Checkpoint] | None:
    """The finished result, or what to resume from; None where the run must start over."""
    if not path.exists():
        return None
    stored = StoredInFile(path)
    was, wanted = stored.header.settings, header.settings
    _refuse(path, differences(was, wanted, MAY_CHANGE))
    if stored.status == FINISHED and was == wanted:
        return load(path)
    checkpoint = _usable(read_checkpoint(path), stored, wanted)
    shorter = plan.duration < json.loads(was)["duration"]
    if shorter and (checkpoint is None or not _is_before_the_end(checkpoint, plan)):
        _refuse(path, differences(was, wanted))
    return None if checkpoint is None else (stored, checkpoint)


def _refuse(path: Path, found: list[str]) -> None:
    if found:
        raise InputError(
            f"{path} cannot be resumed, it is of another run: {'; '.join(found)}; "
            "run without `resume` to start over, or choose another `out`"
        )


def _usable(checkpoint: Checkpoint | None, stored: StoredInFile, wanted: str) -> Checkpoint | None:
    if checkpoint is None or differences(checkpoint.settings, wanted, MAY_CHANGE):
        return None
    if any(checkpoint.rows[table] > stored.rows[table] for table in stored.rows):
        return None
    return checkpoint


def _is_before_the_end(checkpoint: Checkpoint, plan: Plan) -> bool:
    """Whether a run of this duration passes the state of `checkpoint` with a step to go."""
    if plan.control is None:
        return int(checkpoint.loop["k"]) < plan.n_steps
    return float(checkpoint.loop["t"] + checkpoint.loop["h"]) < plan.duration
