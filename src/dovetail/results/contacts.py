"""The contacts of a run, frame by frame."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.contact.law import ContactRecord
from dovetail.errors import InputError
from dovetail.results.stored import Stored


class Contacts:
    """All contacts of a result: how many per frame, and those of one frame."""

    def __init__(self, stored: Stored) -> None:
        self._stored = stored

    def __repr__(self) -> str:
        return f"<Contacts: {self._stored.rows['contacts']} in {len(self)} frames>"

    def __len__(self) -> int:
        return self._stored.rows["frames"]

    @property
    def count(self) -> NDArray[np.int64]:
        """(frames,) number of contacts of each frame."""
        return np.array(self._stored.column("contacts/count"))

    def at(self, frame: int) -> ContactRecord:
        """The contacts of one frame: bodies (m, 2), points [m], normals, forces [N], gaps [m],
        torques [N m].

        Bodies are numbers in the order of `result.names`; -1 is the ground.
        """
        frames = len(self)
        if not -frames <= frame < frames:
            raise InputError(f"`frame` must be from 0 to {frames - 1}, got {frame}")
        start = int(self._stored.column("contacts/start")[frame])
        end = start + int(self._stored.column("contacts/count")[frame])
        if not 0 <= start <= end <= self._stored.rows["contacts"]:
            raise InputError(f"the contacts of frame {frame} are damaged in the result file")

        return self._rows(start, end)

    def all(self) -> tuple[NDArray[np.int64], ContactRecord]:
        """The frame of every contact of the run (m,), and the contacts, as `at` gives them."""
        count = self.count
        if np.any(count < 0) or count.sum() > self._stored.rows["contacts"]:
            raise InputError("the numbers of contacts are damaged in the result file")
        return np.repeat(np.arange(len(self)), count), self._rows(0, int(count.sum()))

    def _rows(self, start: int, end: int) -> ContactRecord:
        def part(name: str) -> NDArray[Any]:
            return np.array(self._stored.column(f"contacts/{name}")[start:end])

        record = ContactRecord(
            part("bodies"), part("points"), part("normals"), part("forces"), part("gaps")
        )
        if "contacts/torques" not in self._stored.header.without:
            record.torques = part("torques")
        return record
