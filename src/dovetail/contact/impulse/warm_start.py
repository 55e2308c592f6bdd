"""The contacts of the last step with their impulses: first iterate of the next, and the record.

A step may consist of pieces that end at impacts (`contact.impact`). The last piece has the first
iterate of the next; the record has the impulses of all, over the time of the step.
"""

from typing import Any, NamedTuple

import numpy as np

from dovetail.contact.impulse.contact_matching import (
    SolvedContacts,
    in_order,
    match_impulses,
    no_solved_contacts,
    solved_contacts,
    world_impulses,
)
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.contact.impulse.records import ContactSet
from dovetail.contact.law import ContactRecord
from dovetail.model.values import Array
from dovetail.runtime.records import BoolArray, FloatArray, Int32Array

MATCH_DISTANCE = 0.02  # of the smaller body: this near, it is the same contact as before


class PastContacts(NamedTuple):
    """m contacts with impulses earlier in the step: of impacts, and of pieces before the last."""

    body: Int32Array  # (m, 2)
    point: FloatArray  # (m, 3) [m]
    normal: FloatArray  # (m, 3)
    gap: FloatArray  # (m,) [m]
    impulse: FloatArray  # (m, 3) [N s] on a, world axes
    h: FloatArray  # (1,) [s] pieces before the last


def _no_past() -> PastContacts:
    rows = np.zeros((0, 3))
    return PastContacts(np.zeros((0, 2), np.int32), rows, rows, np.zeros(0), rows, np.zeros(1))


def some_contacts(contacts: SolvedContacts, which: BoolArray) -> SolvedContacts:
    """Those of the contacts that `which` (m,) chooses."""
    kept: Any = [rows[which] for rows in contacts[:-1]]
    return SolvedContacts._make([*kept, contacts.h])


def joined_contacts(first: SolvedContacts, second: SolvedContacts) -> SolvedContacts:
    """Both, with impulses for a step as long as the second's, or the first's if that has none."""
    h = second.h if second.h[0] > 0 else first.h
    ratio = float(h[0] / first.h[0]) if first.h[0] > 0 else 1.0
    first = first._replace(impulse=first.impulse * ratio)
    pairs: Any = zip(first[:-1], second[:-1])
    joined: Any = [np.concatenate(pair) for pair in pairs]
    return SolvedContacts._make([*joined, h])


_NO_CONTACTS, _NO_PAST = no_solved_contacts(), _no_past()


class WarmStart:
    """The contacts of the last step, for the first iterate and for the record."""

    def __init__(self) -> None:
        self._last, self._past = _NO_CONTACTS, _NO_PAST
        self._empty = _NO_CONTACTS._replace(h=np.zeros(1))

    def begin_step(self) -> None:
        """Forget the contacts of the step before, but for the first iterate."""
        self._past = _NO_PAST

    @property
    def solved(self) -> SolvedContacts:
        """The contacts that were solved last."""
        return self._last

    def add(self, contacts: SolvedContacts) -> None:
        """Know further contacts, with impulses of a step of their own length, for the next."""
        self._last = joined_contacts(contacts, self._last)

    def remove(self, which: BoolArray) -> None:
        """Forget contacts `which` of those that were solved last."""
        self._last = some_contacts(self._last, ~which)

    def end_piece(self) -> None:
        """The piece that was solved last is not the last one of its step."""
        last = self._last
        self._add(last.body, last.point, last.normal, last.gap, last.impulse, float(last.h[0]))

    def add_impacts(self, contacts: ContactSet, problem: ImpulseProblem, impulses: Array) -> None:
        """Keep the impulses (rows,) [N s] of impacts."""
        points, world = contacts.points, np.zeros((contacts.count, 3))
        world_impulses(problem.n_joint, problem.rows.J, impulses, world)
        self._add(points.body, points.point, points.normal, points.gap, world, 0.0)

    def _add(
        self, body: Int32Array, point: Array, normal: Array, gap: Array, impulse: Array, h: float
    ) -> None:
        pressed, past = impulse.any(axis=1), self._past
        self._past = PastContacts(
            np.concatenate((past.body, body[pressed])),
            np.concatenate((past.point, point[pressed])),
            np.concatenate((past.normal, normal[pressed])),
            np.concatenate((past.gap, gap[pressed])),
            np.concatenate((past.impulse, impulse[pressed])),
            past.h + h,
        )

    def initialise(
        self, contacts: ContactSet, problem: ImpulseProblem, x: Array, R: Array, h: float
    ) -> None:
        """Fill the contacts' `lam` of the problem from the impulses of the last step."""
        old = self._last
        if not contacts.count or not len(old.gap):
            return
        n, m = len(x), len(old.gap)
        order = np.arange(m)
        if not in_order(old.body, n):
            keys = old.body[:, 0].astype(np.int64) * n + old.body[:, 1]
            order = np.argsort(keys, kind="stable")
        match_impulses(
            old, order, np.zeros(m, np.bool_), contacts.points, contacts.body_size, MATCH_DISTANCE,
            x, R, problem.n_joint, problem.rows.J, h / float(old.h[0]), problem.lam,
        )  # fmt: skip

    def keep(self, contacts: SolvedContacts) -> None:
        """`contacts` were solved last."""
        self._last = contacts

    def clear(self, h: float) -> None:
        """A step of h [s] had no contacts."""
        if self._last is not self._empty:  # others may have its h
            self._empty = self._last = _NO_CONTACTS._replace(h=np.zeros(1))
        self._last.h[0] = h

    def update(
        self, contacts: ContactSet, problem: ImpulseProblem, x: Array, R: Array, h: float
    ) -> None:
        """Keep the contacts at x, R with the problem's impulses."""
        if not contacts.count:
            self.clear(h)
            return
        points = contacts.points
        place, impulse = np.empty((contacts.count, 3)), np.empty((contacts.count, 3))
        solved_contacts(
            points, contacts.body_size, x, R, problem.n_joint, problem.rows.J, problem.lam, place,
            impulse,
        )  # fmt: skip
        self._last = SolvedContacts(
            points.body.copy(), place, points.point.copy(), points.normal.copy(),
            points.gap.copy(), impulse, np.array([h]),
        )  # fmt: skip

    def record(self) -> ContactRecord:
        """As results keep them: forces are all impulses over the time of the step."""
        last, past = self._last, self._past
        h = float(last.h[0] + past.h[0]) or 1.0
        if not len(past.gap):
            return ContactRecord(last.body, last.point, last.normal, last.impulse / h, last.gap)
        return ContactRecord(
            np.concatenate((past.body, last.body)),
            np.concatenate((past.point, last.point)),
            np.concatenate((past.normal, last.normal)),
            np.concatenate((past.impulse, last.impulse)) / h,
            np.concatenate((past.gap, last.gap)),
        )

    def snapshot(self) -> dict[str, Any]:
        kept = {name: array.copy() for name, array in self._last._asdict().items()}
        return kept | {f"past_{name}": rows.copy() for name, rows in self._past._asdict().items()}

    def restore(self, snapshot: dict[str, Any]) -> None:
        last, past = SolvedContacts._fields, PastContacts._fields
        self._last = SolvedContacts(*(snapshot[name].copy() for name in last))
        self._past = PastContacts(*(snapshot[f"past_{name}"].copy() for name in past))
