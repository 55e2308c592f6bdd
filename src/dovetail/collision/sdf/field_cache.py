"""Fields kept on disk under the hash of what they were made from."""

import os
import tempfile
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np

from dovetail.collision.sdf.evaluate import NO_SHAPES, FieldArrays
from dovetail.collision.sdf.field import Field
from dovetail.runtime.cache_folders import is_trusted, user_cache_folder
from dovetail.runtime.read_only import read_only
from dovetail.runtime.trust import make_private

MAX_BYTES = 2 << 30  # of all fields kept; the ones not used for longest go first


def field_folder() -> Path | None:
    """`DOVETAIL_CACHE_DIR`, or the user's cache folder; None without one that is his alone."""
    chosen = os.environ.get("DOVETAIL_CACHE_DIR")
    try:
        root = Path(chosen).expanduser() if chosen else user_cache_folder()
    except RuntimeError:
        return None
    return root / "fields" if is_trusted(root / "fields") else None


def load_field(folder: Path, key: str) -> Field | None:
    """The field stored under `key`; None where there is none or it cannot be read."""
    path = folder / f"{key}.npz"
    try:
        with path.open("rb") as file, np.load(file) as stored:
            values = stored["values"]
            x, y, z, spacing, error = stored["place"].tolist()
            closed, by_windings = (bool(flag) for flag in stored["flags"])
    except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile):
        return None
    if values.ndim != 3 or values.dtype != np.float32 or min(values.shape) < 2:
        return None
    with suppress(OSError):
        os.utime(path)
    arrays = FieldArrays(read_only(values, np.float32), (x, y, z), spacing, NO_SHAPES, not closed)
    return Field(arrays, error, closed, by_windings)


def save_field(folder: Path, key: str, field: Field) -> None:
    """Store `field`; where the folder cannot be written, nothing happens."""
    arrays = field.arrays
    place = np.array([*arrays.origin, arrays.spacing, field.error])
    flags = np.array([field.closed, field.by_windings])
    with suppress(OSError):
        make_private(folder)
        _evict(folder, arrays.values.nbytes)
        handle, name = tempfile.mkstemp(dir=folder, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez(file, values=arrays.values, place=place, flags=flags)
            Path(name).replace(folder / f"{key}.npz")
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def _evict(folder: Path, needed: int) -> None:
    """Delete the fields not used for longest, until `needed` bytes fit."""
    known = sorted(
        ((entry.stat().st_mtime, entry.stat().st_size, entry) for entry in folder.glob("*.npz")),
        reverse=True,
    )
    total = needed
    for _, size, entry in known:
        total += size
        if total > MAX_BYTES:
            entry.unlink(missing_ok=True)
