"""Everything the next step depends on, saved so that a killed run is resumed bit for bit.

A checkpoint is a SHA-256 of what follows, then an npz archive of plain arrays (no pickle).
It is written beside the result and moved into place, so a kill leaves the old or the new one.
"""

import hashlib
import io
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.results.columns import TABLES
from dovetail.results.side_files import side_path

MAGIC = b"dovetail checkpoint 2\n"
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The state of a run. `settings` must equal those of the result file."""

    settings: str
    rows: dict[str, int]
    loop: Arrays  # of the time loop: step number, time, ...
    stepper: Arrays
    control: Arrays  # of the step control


def checkpoint_path(path: Path) -> Path:
    return side_path(path, "checkpoint")


def write_checkpoint(path: Path, checkpoint: Checkpoint, durable: bool = True) -> None:
    """Put the checkpoint of result `path` in place of the one before.

    One that is `durable` outlasts a power cut, once this returns.
    """
    arrays: Arrays = {
        "settings": np.frombuffer(checkpoint.settings.encode(), np.uint8),
        "rows": np.array(list(checkpoint.rows.values()), np.int64),
    }
    for part in ("loop", "stepper", "control"):
        arrays |= {f"{part}.{key}": array for key, array in getattr(checkpoint, part).items()}
    packed = io.BytesIO()
    np.savez(packed, allow_pickle=False, **arrays)
    data = packed.getvalue()
    temporary = side_path(path, "checkpoint.new")
    with temporary.open("wb") as file:
        file.write(MAGIC + hashlib.sha256(data).digest() + data)
        file.flush()
        if durable:
            os.fsync(file.fileno())
    temporary.replace(checkpoint_path(path))


def read_checkpoint(path: Path) -> Checkpoint | None:
    """The checkpoint of result `path`; None when there is none or it is damaged."""
    try:
        raw = checkpoint_path(path).read_bytes()
    except OSError:
        return None
    start = len(MAGIC) + 32
    data = raw[start:]
    if raw[: len(MAGIC)] != MAGIC or hashlib.sha256(data).digest() != raw[len(MAGIC) : start]:
        return None
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        parts: dict[str, Arrays] = {"loop": {}, "stepper": {}, "control": {}}
        for name, array in arrays.items():
            part, dot, key = name.partition(".")
            if dot:
                parts[part][key] = array
        return Checkpoint(
            settings=arrays["settings"].tobytes().decode(),
            rows=dict(zip(TABLES, arrays["rows"].tolist())),
            **parts,
        )
    except (KeyError, ValueError, zipfile.BadZipFile):
        return None
