"""Warm start: the contacts of the last step with their impulses, the first iterate of the next."""

from typing import Any, NamedTuple

import numpy as np

from dovetail.contact.impulse.contact_matching import (
    in_body_frames,
    match_impulses,
    world_impulses,
)
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.contact.impulse.records import ContactSet
from dovetail.contact.law import ContactRecord
from dovetail.model.values import Array
from dovetail.runtime.records import FloatArray, Int32Array

MATCH_DISTANCE = 0.02  # of the smaller body: this near, it is the same contact as before


class SolvedContacts(NamedTuple):
    """m contacts of one step in the order they were found."""

    body: Int32Array  # (m, 2)
    place: FloatArray  # (m, 3) [m] in the axes of the smaller body
    point: FloatArray  # (m, 3) [m]
    normal: FloatArray  # (m, 3)
    gap: FloatArray  # (m,) [m] at the end of the step
    impulse: FloatArray  # (m, 3) [N s] on a, world axes
    impact: FloatArray  # (m, 3) [N s] on a besides, of impacts with restitution
    h: FloatArray  # (1,) [s] the step


def _no_contacts() -> SolvedContacts:
    rows = np.zeros((0, 3))
    return SolvedContacts(
        np.zeros((0, 2), np.int32), rows, rows, rows, np.zeros(0), rows, rows, np.zeros(1)
    )


class WarmStart:
    """The contacts of the last step, for the first iterate and for the record."""

    def __init__(self) -> None:
        self._last = _no_contacts()

    def initialise(
        self, contacts: ContactSet, problem: ImpulseProblem, x: Array, R: Array, h: float
    ) -> None:
        """Fill the contacts' `lam` of the problem from the impulses of the last step."""
        old = self._last
        if not contacts.count or not len(old.gap):
            return
        body, n = contacts.points.body, len(x)
        keys = old.body[:, 0].astype(np.int64) * n + old.body[:, 1]
        order = np.argsort(keys, kind="stable")
        wanted = body[:, 0].astype(np.int64) * n + body[:, 1]
        low = np.searchsorted(keys[order], wanted, "left")
        high = np.searchsorted(keys[order], wanted, "right")
        match_impulses(
            low, high, order, old.place, old.impulse, np.zeros(len(keys), np.int8),
            _places(contacts, x, R), MATCH_DISTANCE * contacts.smaller_size, problem.n_joint,
            problem.rows.J, h / float(old.h[0]), problem.lam,
        )  # fmt: skip

    def update(
        self, contacts: ContactSet, problem: ImpulseProblem, x: Array, R: Array, h: float,
        impacts: Array,
    ) -> None:  # fmt: skip
        """Keep the contacts at x, R with the problem's impulses and those of `impacts` (rows,)."""
        points, n = contacts.points, contacts.count
        impulse, impact = np.zeros((n, 3)), np.zeros((n, 3))
        world_impulses(problem.n_joint, problem.rows.J, problem.lam, impulse)
        if len(impacts):
            world_impulses(problem.n_joint, problem.rows.J, impacts, impact)
        self._last = SolvedContacts(
            points.body.copy(), _places(contacts, x, R), points.point.copy(),
            points.normal.copy(), points.gap.copy(), impulse, impact, np.array([h]),
        )  # fmt: skip

    def record(self) -> ContactRecord:
        """As results keep them: forces are impulses, impacts included, over the step."""
        last = self._last
        force = (last.impulse + last.impact) / (float(last.h[0]) or 1.0)
        return ContactRecord(last.body, last.point, last.normal, force, last.gap)

    def snapshot(self) -> dict[str, Any]:
        return {name: array.copy() for name, array in self._last._asdict().items()}

    def restore(self, snapshot: dict[str, Any]) -> None:
        self._last = SolvedContacts(**{name: array.copy() for name, array in snapshot.items()})


def _places(contacts: ContactSet, x: Array, R: Array) -> Array:
    """(count, 3) [m] where each contact is on the smaller body, in its axes."""
    points, size = contacts.points, contacts.body_size
    smaller = size[:, 1] < size[:, 0]
    frame = np.where(smaller, points.body[:, 1], points.body[:, 0]).astype(np.int32)
    place = np.zeros((contacts.count, 3))
    in_body_frames(points.point, frame, x, R, place)
    return place
