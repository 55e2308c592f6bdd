"""Wall times live beside the result, so that the result depends on the physics alone."""

from contextlib import suppress
from pathlib import Path

import numpy as np

from dovetail.model.values import Array
from dovetail.results.side_files import side_path


def write_wall_time(path: Path, wall_time: Array) -> None:
    """Keep the seconds each frame took in `<result>.timing.npy`; losing them does no harm."""
    temporary = side_path(path, "timing.npy.new")
    with suppress(OSError):
        with temporary.open("wb") as file:
            np.save(file, wall_time, allow_pickle=False)
        temporary.replace(side_path(path, "timing.npy"))


def read_wall_time(path: Path, frames: int) -> Array | None:
    """(frames,) [s], nan where unknown; None without the side file."""
    try:
        found = np.load(side_path(path, "timing.npy"), allow_pickle=False)
        known = np.asarray(found, dtype=np.float64).reshape(-1)[:frames]
    except (OSError, ValueError, EOFError, MemoryError):
        return None
    return np.concatenate([known, np.full(frames - len(known), np.nan)])
