"""Opening a result file."""

from os import PathLike
from pathlib import Path

from dovetail.results.findings import read_findings
from dovetail.results.result import Result
from dovetail.results.stored import StoredInFile
from dovetail.results.timing import read_wall_time
from dovetail.results.warnings import read_warnings
from dovetail.runtime.options import named_options


@named_options
def load(path: str | PathLike[str], *, verify: bool | None = None) -> Result:
    """Open a result file; of a run that did not finish, the frames there are.

    A file that was damaged, changed or cut short opens up to the damage: `status` is then 'damaged'
    and `reason` says what is lost. Seal and checksums are compared in files up to 256 MiB, or as
    `verify` says.
    """
    stored = StoredInFile(Path(path), verify)
    result = Result(stored, read_wall_time(stored.path, stored.rows["frames"]))
    result.findings = read_findings(stored.path)
    result.warnings = read_warnings(stored.path)
    return result
