"""Pieces of a step that end at impacts: which contacts bounce, and which bodies fly freely."""

from typing import NamedTuple

import numpy as np

from dovetail.contact.impact.records import BOUNCE, SAME_TIME, ImpactContacts
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.contact.impulse.records import ContactSet, Outcome
from dovetail.model.values import Array
from dovetail.runtime.records import BoolArray


class PieceImpacts(NamedTuple):
    """The impacts at the start of a piece."""

    shift: Array | None  # (n, 6) [m, rad] added to the displacements where bodies meet within it
    iterations: int


class SolvedPiece(NamedTuple):
    """A piece whose velocities at the end are known."""

    h: float  # [s]
    speed: float  # [m/s] the largest
    outcome: Outcome
    later: BoolArray  # (contacts,) those that a later piece or step reflects; () without any
    alone: BoolArray  # (n,) bodies without impulses and joints
    overlap: bool  # whether bodies must be moved apart
    start: Array  # (n, 6) velocities before the loads, if contacts may bounce
    at_once: bool = False  # whether it was solved in one call


def slow_approaches(contacts: ContactSet, load_speed: Array) -> Array:
    """(contacts,) [m/s] approaches that do not bounce; load_speed (n,) is what a step adds."""
    body = contacts.points.body
    return np.asarray(BOUNCE * (load_speed[body[:, 0]] + load_speed[body[:, 1]]))


def impact_contacts(contacts: ContactSet, load_speed: Array) -> ImpactContacts:
    """The contacts as the impact law sees them."""
    return ImpactContacts(
        contacts.points.gap, SAME_TIME * contacts.smaller_size, contacts.materials.restitution,
        slow_approaches(contacts, load_speed),
    )  # fmt: skip


def will_bounce(contacts: ContactSet, problem: ImpulseProblem, u: Array, slow: Array) -> BoolArray:
    """(contacts,) which approach in u (n, 6) faster than `slow` [m/s]."""
    return np.asarray(-problem.rates(u)[problem.normals()] > slow)
