"""Opening a result file."""

from os import PathLike
from pathlib import Path

from dovetail.errors import InputError
from dovetail.model.values import quote
from dovetail.results.findings import read_findings
from dovetail.results.result import Result
from dovetail.results.stored import StoredInFile
from dovetail.results.timing import read_wall_time
from dovetail.results.warnings import read_warnings
from dovetail.runtime.options import named_options

SCENES = (".yaml", ".yml", ".json", ".urdf", ".xml", ".xacro")


@named_options
def load(path: str | PathLike[str], *, verify: bool | None = None) -> Result:
    """Open a result file; of a run that did not finish, the frames there are.

    A file that was damaged, changed or cut short opens up to the damage: `status` is then 'damaged'
    and `reason` says what is lost. Seal and checksums are compared in files up to 256 MiB, or as
    `verify` says.
    """
    if not isinstance(path, str | PathLike):
        raise InputError(f"`path` must be the name of a result file, got {quote(path)}")
    if Path(path).suffix.lower() in SCENES and Path(path).is_file():
        raise InputError(
            f"{Path(path).name} is a scene, not a result; use dt.Scene.load, or dt.simulate to run "
            "it"
        )
    stored = StoredInFile(Path(path), verify)
    result = Result(stored, read_wall_time(stored.path, stored.rows["frames"]))
    result.findings = read_findings(stored.path)
    result.warnings = read_warnings(stored.path)
    return result
