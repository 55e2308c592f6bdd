"""Opening a result file."""

from os import PathLike
from pathlib import Path

from dovetail.results.result import Result
from dovetail.results.stored import StoredInFile
from dovetail.results.timing import read_wall_time


def load(path: str | PathLike[str]) -> Result:
    """Open a result file; of a run that did not finish, the frames there are."""
    stored = StoredInFile(Path(path))
    return Result(stored, read_wall_time(stored.path, stored.rows["frames"]))
