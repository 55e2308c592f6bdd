"""Contact points and forces, frame by frame, for arrows; the strongest where they are many.

The forces are those on bodies that move, as in `net_forces`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.results import Result
from dovetail.view.page.net_forces import is_dynamic, on_moving

MAX_CONTACTS = 1_000_000  # of all frames: 24 MB
FULL_LENGTH = 2.0  # times the median force: impacts are cut off, what rests stays visible


def contact_arrays(
    result: Result, frames: NDArray[np.intp], most: int = MAX_CONTACTS
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Arrays for the arrows, and the force [N] of an arrow of full length with a note."""
    stored = result.stored
    starts = np.asarray(stored.column("contacts/start"))[frames]
    counts = np.asarray(stored.column("contacts/count"))[frames]
    forces = np.asarray(stored.column("contacts/forces"))
    strength = np.linalg.norm(forces, axis=1)
    max_per_frame = int(counts.max(initial=0))
    if counts.sum() > most:
        max_per_frame = max(1, most // len(frames))
    kept = [
        start + _strongest(strength[start : start + count], max_per_frame)
        for start, count in zip(starts.tolist(), counts.tolist())
    ]
    rows = np.concatenate(kept).astype(int) if kept else np.zeros(0, dtype=int)
    number = np.array([len(some) for some in kept], dtype="<i4")
    pressing = strength[rows][strength[rows] > 0]
    full = FULL_LENGTH * float(np.median(pressing)) if len(pressing) else 0.0
    left_out = int(counts.sum() - len(rows))
    note = f"only the {max_per_frame} strongest contacts of a frame are drawn" if left_out else ""
    bodies = np.asarray(stored.column("contacts/bodies"))[rows]
    sign = on_moving(bodies, is_dynamic(result))
    arrays = {
        "contact/start": np.concatenate([[0], np.cumsum(number)[:-1]]).astype("<i4"),
        "contact/count": number,
        "contact/points": np.asarray(stored.column("contacts/points"))[rows].astype("<f4"),
        "contact/forces": (sign[:, None] * forces[rows]).astype("<f4"),
    }
    return arrays, {"full": full, "note": note}


def _strongest(strength: NDArray[np.float64], max_per_frame: int) -> NDArray[np.intp]:
    if len(strength) <= max_per_frame:
        return np.arange(len(strength))
    return np.sort(np.argpartition(-strength, max_per_frame)[:max_per_frame])
