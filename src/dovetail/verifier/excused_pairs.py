"""Pairs of bodies that may meet, and why: contact does not act between them.

They are examined like all others until they meet. Then they are named in the certificate.
"""

from dataclasses import dataclass

from dovetail.model.checked_body import CheckedBody
from dovetail.model.massless import connected_through_links
from dovetail.results.result import Result


@dataclass(frozen=True)
class Excused:
    """Two bodies that meet, or may do so, between which no contact acts."""

    body_a: str
    body_b: str
    reason: str
    time: float  # [s] when they were first found to meet
    verdict: str  # 'intersecting', 'touching' or 'undecided'


class ExcusedPairs:
    """Between which bodies no contact acts."""

    def __init__(self, result: Result) -> None:
        self._joints: dict[frozenset[str], str] = {}
        for name, (_, a, b) in result.scene.joints.items():
            self._joints.setdefault(frozenset((a, b)), name)
        self._excluded = {frozenset(pair) for pair in result.scene.excluded_contacts}
        model = result.scene.build()
        joined = connected_through_links(model.bodies, model.joints)
        self._links = {frozenset((model.names[i], model.names[j])) for i, j in joined if i >= 0}

    def reason(self, a: CheckedBody, b: CheckedBody) -> str:
        """Why two bodies may meet; empty for those that must not."""
        if a.motion == b.motion == "static":
            return "both are static"
        if a.motion != "dynamic" and b.motion != "dynamic":
            return "the motion of both is prescribed"
        if a.group is not None and a.group == b.group:
            return f"both are of group '{a.group}'"
        if frozenset((a.name, b.name)) in self._excluded:
            return "their contact is excluded"
        joint = self._joints.get(frozenset((a.name, b.name)))
        if joint is None and frozenset((a.name, b.name)) in self._links:
            return "joints and links without mass connect them"
        return f"joint '{joint}' connects them" if joint is not None else ""


def first_of_each(found: list[Excused]) -> tuple[Excused, ...]:
    """The earliest entry of each pair, in order of time."""
    first: dict[tuple[str, str], Excused] = {}
    for entry in sorted(found, key=lambda entry: entry.time):
        first.setdefault((entry.body_a, entry.body_b), entry)
    return tuple(first.values())
