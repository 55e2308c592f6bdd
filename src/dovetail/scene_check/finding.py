"""One thing the check of a scene found."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dovetail.model.values import quote

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
SHOWN = 5  # triangles or names given in a sentence
MAX_KEPT = 1000  # pairs of triangles a finding holds


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
    triangles: tuple[tuple[int, ...], ...] = ()  # pairs of face numbers, from 0
    locations: tuple[tuple[float, ...], ...] = ()  # [m] in the world

    def __str__(self) -> str:
        return f"{self.severity}: {self.message}"


def ordered(findings: list[Finding]) -> list[Finding]:
    """Errors first, then warnings, then notes; otherwise as found."""
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


def merged(finding: Finding, names: Sequence[str]) -> Finding:
    """A finding about one body that holds for all of `names`."""
    others = [name for name in dict.fromkeys(names) if name not in finding.subject]
    if not others:
        return finding
    listed = ", ".join(map(quote, others[:SHOWN])) + (", ..." if len(others) > SHOWN else "")
    return replace(
        finding,
        subject=(*finding.subject, *others),
        message=f"{finding.message} (the same for {count_of(len(others), 'other')}: {listed})",
    )


def place(point: ArrayLike) -> str:
    """A place as it appears in a sentence."""
    return "(" + ", ".join(f"{x:.4g}" for x in np.asarray(point).tolist()) + ") m"


def points(rows: ArrayLike) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in np.asarray(rows).tolist())


def numbered(pairs: NDArray[np.int32]) -> str:
    """The first pairs of face numbers, as they appear in a sentence."""
    listed = ", ".join(f"{i} with {j}" for i, j in pairs[:SHOWN].tolist())
    return listed + (", ..." if len(pairs) > SHOWN else "")


def count_of(n: int, what: str) -> str:
    """`1 edge`, `3 edges`."""
    plural = {"vertex": "vertices"}.get(what, f"{what}s")
    return f"{n} {what if n == 1 else plural}"
