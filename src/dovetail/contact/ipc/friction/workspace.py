"""Friction of one run: laws, memory for lagged contacts, and the presliding state."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dovetail.contact.ipc.friction.coefficients import FrictionLaws, no_friction
from dovetail.contact.ipc.friction.records import bundle_friction, empty_friction

FIRST_CONTACTS = 64
MAX_LAGGINGS = 12  # where their number is not given
STICKS_WITHIN = 1e-5  # of dhat: the longest presliding displacement


@dataclass(frozen=True)
class Sticking:
    """How far a contact is sheared before it slips, and how often friction is lagged in a step."""

    eps_v: float | None  # [m/s], times h; None: a part of dhat
    laggings: int | None  # None: until nothing moves any more

    def eps(self, h: float, dhat: float) -> float:
        """[m] the longest presliding displacement."""
        return STICKS_WITHIN * dhat if self.eps_v is None else self.eps_v * h

    @property
    def max_laggings(self) -> int:
        return MAX_LAGGINGS if self.laggings is None else self.laggings


class FrictionWorkspace:
    """The arrays of `contact.ipc.friction.records`, grown on demand."""

    def __init__(self, laws: FrictionLaws, sticking: Sticking) -> None:
        self._laws, self._sticking = laws, sticking
        self._allocate(FIRST_CONTACTS if laws.any else 0)

    def _allocate(self, contacts: int) -> None:
        self._set_for: tuple[float, float] | None = None  # h and dhat of the settings
        self._arrays = empty_friction(self._laws, contacts)
        self.bundled = bundle_friction(*self._arrays)

    def of_bodies(self, bodies: Any) -> "FrictionWorkspace":
        """The friction of some bodies alone, from the same laws."""
        laws = self._laws._replace(kind=self._laws.kind[bodies])
        return FrictionWorkspace(laws, self._sticking)

    def begin_step(self, h: float, dhat: float) -> None:
        """Set how far contacts are sheared and how often they are lagged."""
        if (h, dhat) == self._set_for:
            return
        settings, sticking, self._set_for = self._arrays.settings, self._sticking, (h, dhat)
        settings.eps[0] = sticking.eps(h, dhat)
        settings.max_laggings[0] = sticking.max_laggings

    def grow(self) -> None:
        """Memory for the contacts that were counted; settings and presliding state stay."""
        before, kept = self._arrays, self.snapshot()
        needed = int(before.contacts.needed[0])
        self._allocate(needed + needed // 2)
        for ours, old in zip(self._arrays.settings, before.settings):
            ours[...] = old
        self.restore(kept)

    @property
    def creep(self) -> float:
        """[m/s] of the fastest contact of pairs that stuck in the last step."""
        return float(self._arrays.report.sticking_speed[0])

    @property
    def settled(self) -> bool:
        """Whether the last of its laggings moved nothing."""
        return bool(self._arrays.report.converged[0])

    def report_of(self, parts: "Sequence[FrictionWorkspace]") -> None:
        """Report what `parts` report of their bodies."""
        for ours, *theirs in zip(self._arrays.report, *(part._arrays.report for part in parts)):
            ours[0] = max(one[0] for one in theirs)
        self._arrays.report.converged[0] = min(one._arrays.report.converged[0] for one in parts)

    def snapshot(self) -> dict[str, Any]:
        """The presliding state: pairs of bodies (k, 2) and their fields (k, 6)."""
        state = self._arrays.presliding
        k = int(state.n_pairs[0])
        return {"pairs": state.pairs[:k].copy(), "fields": state.fields[:k].copy()}

    def restore(self, snapshot: dict[str, Any]) -> None:
        k = len(snapshot["pairs"])
        if k > len(self._arrays.presliding.pairs):
            self._allocate(k + k // 2)
        state = self._arrays.presliding
        state.pairs[:k], state.fields[:k] = snapshot["pairs"], snapshot["fields"]
        state.n_pairs[0] = k


def without_friction(n_bodies: int) -> FrictionWorkspace:
    """The workspace of bodies without friction."""
    return FrictionWorkspace(no_friction(n_bodies), Sticking(None, 1))
