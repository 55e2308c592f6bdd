"""Friction of one run: laws, room for lagged contacts, and what is remembered between steps."""

from dataclasses import dataclass

import numpy as np

from dovetail.contact.ipc.friction.coefficients import FrictionLaws
from dovetail.contact.ipc.friction.lagged_contacts import (
    BEND,
    CREEP,
    LAGGINGS,
    MOST_LAGGINGS,
    N_ANCHORS,
    NEEDED,
    SETTLED,
    SLIP,
    bundle_friction,
    friction_room,
)
from dovetail.model.values import Array

FIRST_CONTACTS = 64
MOST = 12  # laggings where their number is not given
STICKS_WITHIN = 0.01  # of dhat: how far a sticking contact bends at most


@dataclass(frozen=True)
class Sticking:
    """How far a contact bends before it slips, and how often friction is brought up to date."""

    eps_v: float | None  # [m/s], times h; None: a part of dhat
    laggings: int | None  # None: until nothing moves any more

    def bend(self, h: float, dhat: float) -> float:
        """Eps [m]."""
        return STICKS_WITHIN * dhat if self.eps_v is None else self.eps_v * h

    @property
    def most(self) -> int:
        return MOST if self.laggings is None else self.laggings


class FrictionRoom:
    """The arrays of `contact.ipc.friction.lagged_contacts`, grown on demand."""

    def __init__(self, laws: FrictionLaws, sticking: Sticking) -> None:
        self._laws, self._sticking = laws, sticking
        self._make(FIRST_CONTACTS if laws.any else 0)

    def _make(self, contacts: int) -> None:
        laws = self._laws
        self._arrays = friction_room(len(laws.kind), len(laws.law_of), contacts)._replace(
            laws=laws.laws, law_of=laws.law_of, kind=laws.kind
        )
        self.bundled = bundle_friction(*self._arrays)

    def begin_step(self, h: float, dhat: float) -> None:
        """Tell the kernels how contacts bend and how often they are taken anew."""
        self._arrays.values[BEND] = self._sticking.bend(h, dhat)
        self._arrays.counts[MOST_LAGGINGS] = self._sticking.most

    def grow(self) -> None:
        """Room for the contacts that were counted; what is remembered stays."""
        needed, kept = int(self._arrays.counts[NEEDED]), self.snapshot()
        bend, most = self._arrays.values[BEND], self._arrays.counts[MOST_LAGGINGS]
        self._make(needed + needed // 2)
        self._arrays.values[BEND], self._arrays.counts[MOST_LAGGINGS] = bend, most
        self.restore(kept)

    @property
    def creep(self) -> float:
        """[m/s] of the fastest contact of pairs that stuck in the last step."""
        return float(self._arrays.values[CREEP])

    @property
    def slip(self) -> float:
        """[m/s] of the fastest contact that slipped in the last step."""
        return float(self._arrays.values[SLIP])

    @property
    def laggings(self) -> int:
        """Solves of the last step, each with friction taken anew."""
        return int(self._arrays.counts[LAGGINGS])

    @property
    def settled(self) -> bool:
        """Whether the last of them moved nothing."""
        return bool(self._arrays.counts[SETTLED])

    def snapshot(self) -> dict[str, Array]:
        """The bent contacts: pairs of bodies (k, 2) and fields (k, 6)."""
        k = int(self._arrays.counts[N_ANCHORS])
        pairs, fields = self._arrays.anchor_pairs[0, :k], self._arrays.fields[:k]
        return {"pairs": pairs.copy(), "fields": fields.copy()}

    def restore(self, snapshot: dict[str, Array]) -> None:
        k = len(snapshot["pairs"])
        if k > self._arrays.anchor_pairs.shape[1]:
            self._make(k + k // 2)
        self._arrays.anchor_pairs[0, :k] = snapshot["pairs"]
        self._arrays.fields[:k] = snapshot["fields"]
        self._arrays.counts[N_ANCHORS] = k


def without_friction(n_bodies: int) -> FrictionRoom:
    """Room for bodies that do not rub."""
    none = FrictionLaws(np.zeros((1, 4)), np.zeros((1, 1), np.int32), np.zeros(n_bodies, np.int32))
    return FrictionRoom(none, Sticking(None, 1))
