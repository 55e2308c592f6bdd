"""What can be wrong with the contacts of a model at a state, each with its bodies."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.stability.boundary_layer import boundary_layer
from dovetail.stability.contact_case import contact_case
from dovetail.stability.island_contacts import IslandContacts

Array = NDArray[np.float64]
ROUNDING = 1e-12  # of the terms of A: below, A counts as zero
MAX_UNKNOWNS = 10  # of a problem whose solutions are all looked for: 2^10 bases
MAX_CONTACTS = 60  # of an island whose boundary layer is looked at as a whole
DEPENDENT = 1e-9  # of the largest singular value: redundant contacts
KINDS = ("inconsistent", "non-unique", "unstable")


@dataclass(frozen=True)
class Verdict:
    """A finding before it has a time and names: contacts are rows of the island."""

    kind: str
    contacts: tuple[int, ...]
    message: str


def find_problems(island: IslandContacts, c: float = 1.0, k: float = 1.0) -> list[Verdict]:
    """Findings about one island: every sliding contact alone, then all contacts together."""
    found = [verdict for row in range(len(island.contacts)) for verdict in _alone(island, row)]
    if len(island.contacts) > 1 and not found:
        found = _together(island, c, k)
    return found


def _alone(island: IslandContacts, row: int) -> list[Verdict]:
    """Table 1 for one sliding contact: a_N = A lambda + B with A <= 0 is Painleve's paradox."""
    if not np.any(island.slip[row]) or not island.friction[row] > 0:
        return []
    problem = island.problem([row])
    A, B = float(problem.A[0, 0]), float(problem.b[0])
    plain = problem.inertia.inverse
    size = float(np.abs(island.N[row]) @ np.abs(plain) @ np.abs(island.N[row]))
    size *= 1.0 + float(island.friction[row])
    if ROUNDING * size < A:
        return []
    case = contact_case(A, B, ROUNDING * size)
    what = f"A = {A:.4g} 1/kg, B = {B:.4g} m/s^2 ({case.condition}: {case.name})"
    kinds = {"none": "inconsistent", "two solutions": "non-unique", "infinitely many": "non-unique"}
    kind = kinds.get(case.name, "unstable")
    why = {
        "inconsistent": "no force keeps the sliding contact from closing; it must jam or jump",
        "non-unique": "with the same motion the contact may press or part",
        "unstable": "a contact force would grow from any disturbance",
    }[kind]
    return [Verdict(kind, (row,), f"{why}; {what}")]


def _together(island: IslandContacts, c: float, k: float) -> list[Verdict]:
    from dovetail.linalg.lcp import classify

    problem, found = island.problem(), []
    everyone = tuple(range(len(island.contacts)))
    if len(problem.b) <= MAX_UNKNOWNS:
        verdict = classify(problem.A, problem.b)
        if verdict.kind == "none":
            found.append(
                Verdict("inconsistent", everyone, "no forces satisfy all contacts at once")
            )
        elif verdict.kind == "many" and _motions_differ(problem, verdict.solutions):
            found.append(Verdict("non-unique", everyone, "several motions satisfy all contacts"))
    if len(everyone) <= MAX_CONTACTS:
        layer = boundary_layer(_independent(problem), c, k)
        if not layer.stable:
            found.append(Verdict("unstable", everyone, layer.message))
    return found


def _motions_differ(problem: Any, solutions: Any) -> bool:
    """Whether the solutions accelerate the bodies differently; forces alone may be unclear."""
    motions = [problem.motion(solution.x).acceleration for solution in solutions]
    size = max(float(np.abs(motion).max()) for motion in motions)
    return any(float(np.abs(motion - motions[0]).max()) > 1e-8 * size for motion in motions)


def _independent(problem: Any) -> Array:
    """D on the motions that the contacts constrain, redundant ones counted once."""
    U, size, _ = np.linalg.svd(problem.D)
    constrained = U[:, size > DEPENDENT * size[0]] if size[0] > 0 else U[:, :1]
    return np.asarray(constrained.T @ problem.D @ constrained)
