"""One thing the check of a scene found."""

from dataclasses import dataclass, replace
from typing import Literal

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
SHOWN = 5  # triangles or places named in a sentence; the finding itself may hold more


@dataclass(frozen=True)
class Finding:
    """What was found, where, and what to do, in one sentence.

    error: the scene cannot be right; warning: it probably is not what was meant; note: good to
    know. `topic` groups findings of one kind.
    """

    severity: Severity
    topic: str
    subject: tuple[str, ...]  # names of bodies, joints or materials
    message: str
    triangles: tuple[tuple[int, ...], ...] = ()  # face numbers, one for each body or face
    locations: tuple[tuple[float, float, float], ...] = ()  # [m] in the world

    def __str__(self) -> str:
        return f"{self.severity}: {self.message}"


def ordered(findings: list[Finding]) -> list[Finding]:
    """Errors first, then warnings, then notes; otherwise as found."""
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


def place(point: tuple[float, ...]) -> str:
    """A place as it appears in a sentence."""
    return "(" + ", ".join(f"{x:.4g}" for x in point) + ") m"


def count_of(n: int, what: str) -> str:
    """`1 edge`, `3 edges`."""
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def told_once(findings: list[Finding]) -> Finding:
    """Findings of one kind about several bodies as one, in the words of the first."""
    first = findings[0]
    names = tuple(dict.fromkeys(name for finding in findings for name in finding.subject))
    others = names[len(first.subject) :]
    if not others:
        return first
    listed = ", ".join(repr(name) for name in others[:SHOWN])
    more = ", ..." if len(others) > SHOWN else ""
    worst = min((f.severity for f in findings), key=SEVERITIES.index)
    sentence = f"{first.message} (the same for {count_of(len(others), 'other')}: {listed}{more})"
    return replace(first, severity=worst, subject=names, message=sentence)
