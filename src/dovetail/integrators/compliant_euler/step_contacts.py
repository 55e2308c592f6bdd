"""The contacts of a step of `CompliantEuler`: of its impacts and of all its pieces."""

from collections.abc import Callable

import numpy as np

from dovetail.collision.field_contacts.rows import ContactRows
from dovetail.contact.law import ContactRecord, no_contacts
from dovetail.integrators.interface import Snapshot
from dovetail.model.values import Array


class StepContacts:
    """Records with impulses [N s] in place of forces, and one of all with mean forces [N]."""

    def __init__(self) -> None:
        self._record = no_contacts()
        self._earlier: list[ContactRecord] = []  # impacts and pieces of this step, with impulses
        self._last: Callable[[], ContactRecord] | None = None

    def start(self, rows: ContactRows, count: int) -> None:
        """The contacts before the first step, without forces."""
        self._record = piece_record(rows, count, np.zeros((count, 3)), -rows.depth)
        self._last = None

    def begin_step(self) -> None:
        self._earlier = []

    def add(self, record: ContactRecord) -> None:
        """An impact, or a piece that is not the last."""
        self._earlier.append(record)

    def end_with(self, last: Callable[[], ContactRecord]) -> None:
        """`last` gives the last piece, when somebody wants to see it."""
        self._last = last

    def of_step(self, h: float) -> ContactRecord:
        """All contacts of a step of h [s], or those of `start`."""
        if self._last is not None:
            pieces = [*self._earlier, self._last()]
            columns = zip(*(vars(piece).values() for piece in pieces))
            self._record = ContactRecord(*(np.concatenate(column) for column in columns))
            self._record.forces[...] /= h
            self._last = None
        return self._record

    def snapshot(self, h: float) -> Snapshot:
        return {name: array.copy() for name, array in vars(self.of_step(h)).items()}

    def restore(self, snapshot: Snapshot) -> None:
        kept = {name: array.copy() for name, array in snapshot.items()}
        self._record, self._last = ContactRecord(**kept), None


def piece_record(rows: ContactRows, count: int, impulses: Array, gaps: Array) -> ContactRecord:
    """The first `count` rows, copied."""
    bodies = np.column_stack([rows.point_body[:count], rows.field_body[:count]])
    return ContactRecord(
        bodies, rows.point[:count].copy(), rows.gradient[:count].copy(), impulses[:count].copy(),
        gaps[:count].copy(),
    )  # fmt: skip
