"""A result may replace an older result, never a file of another kind."""

from pathlib import Path

import h5py

from dovetail.errors import InputError
from dovetail.results.description import FORMAT
from dovetail.results.seal import BLOCK

SIGNATURE = b"\x89HDF\r\n\x1a\n"  # of every HDF5 file


def refuse_foreign(path: Path, what: str) -> None:
    """Raise InputError if writing a result to `path` would destroy something else.

    Nothing there, an empty file and an older result, damaged or not, may be replaced.
    """
    if path.is_dir():
        raise InputError(f"{what} must be a file, but {path} is a folder")
    if path.is_file() and path.stat().st_size > 0 and not _may_be_result(path):
        raise InputError(
            f"{what} must be a new file or an older result, but {path} is neither; choose another "
            "name, or delete that file first"
        )


def _may_be_result(path: Path) -> bool:
    with path.open("rb") as raw:
        start = raw.read(BLOCK + len(SIGNATURE))
    if not start.startswith((SIGNATURE, b"dovetail result")) and start[BLOCK:] != SIGNATURE:
        return False
    try:
        with h5py.File(path, "r", locking=False) as file:
            written = file.attrs.get("format")
    except OSError:  # a damaged one
        return True
    return isinstance(written, bytes | str) and written in (FORMAT, FORMAT.encode())
