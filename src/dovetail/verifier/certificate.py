"""The certificate of a result: did any two bodies meet, at a recorded state or on a path between?

The verifier uses no code of a solver: states are tested exactly (`recorded_states`), solids inside
solids are found (`nested_bodies`), and so are meetings on the path from each recorded frame to the
next by subdivision (`path_clearance`): through the waypoints that the run recorded, and at a
constant world twist between them (`recorded_motion`). Where only every k-th step was recorded and
no waypoints, the path between recorded frames is what is certified, not the steps in between.

Every pair of bodies is examined. Those between which no contact acts are excused where they meet,
by name. With a required clearance, to meet is to come closer than that; with a tolerance, overlaps
that a translation of that length undoes are allowed.

A result is trusted where nothing meets, the run finished, and no invariant is broken
(`invariants`).
"""

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from dovetail.errors import InputError
from dovetail.results.result import Result
from dovetail.results.status import DAMAGED, FINISHED
from dovetail.runtime.parallel import over_ranges
from dovetail.verifier.excused_pairs import Excused, ExcusedPairs, first_of_each
from dovetail.verifier.file_agreement import refuse_disordered
from dovetail.verifier.invariants import Invariant, invariants_of
from dovetail.verifier.nested_bodies import StartSolids
from dovetail.verifier.overlaps import Nested, Overlap, overlaps_of, remaining
from dovetail.verifier.path_search import PathFinding, PathSearch, Search
from dovetail.verifier.recorded_motion import BodyMotion, motions_of
from dovetail.verifier.recorded_states import (
    STOPS_PER_RANGE,
    Crossing,
    StateFindings,
    check_states,
)
from dovetail.verifier.verified_surface import verified_surfaces

TESTS_PER_PATH = 1_000_000  # of one pair of bodies between two frames, about 0.5 s,
TESTS_PER_SIMPLEX = 100  # and these for each triangle of the two

Verdict = Literal["free", "touching", "intersecting", "undecided"]


@dataclass(frozen=True)
class Certificate:
    """What was found at and between the recorded states."""

    states: StateFindings
    paths: tuple[PathFinding, ...]
    nested: tuple[Nested, ...] = ()
    excused: tuple[Excused, ...] = ()
    overlaps: tuple[Overlap, ...] = ()  # one for each pair that meets
    invariants: tuple[Invariant, ...] = ()  # broken or not, and those that could not be verified
    smooth: dict[str, float] = field(default_factory=dict)
    """Bodies verified as the polyhedra they were simulated as, and how far [m] their true surfaces
    lie outside of those."""
    tests: int = 0
    intervals: int = 0  # pairs of bodies between two stops that were examined
    clearance: float = 0.0  # [m] that was required
    tolerance: float = 0.0  # [m] of overlap that was allowed
    allowed: tuple[Overlap, ...] = ()  # overlaps within it
    status: str = FINISHED  # of the run
    reason: str = ""

    @property
    def verdict(self) -> Verdict:
        """About intersections alone."""
        found = {path.verdict for path in self.paths}
        if not self.states.valid or self.nested or "intersecting" in found:
            return "intersecting"
        if "undecided" in found:
            return "undecided"
        return "touching" if found else "free"

    @property
    def broken(self) -> tuple[Invariant, ...]:
        """Invariants that the result does not keep."""
        return tuple(one for one in self.invariants if one.broken)

    @property
    def trusted(self) -> bool:
        """Nothing meets, the run finished, and no invariant is broken."""
        return self.verdict == "free" and self.status == FINISHED and not self.broken


def certify(
    result: Result,
    tests_per_path: int | None = None,
    clearance: float = 0.0,
    tolerance: float = 0.0,
) -> Certificate:
    """Verify every recorded state and every path between two of them.

    With a `clearance` [m] the paths, their ends included, must keep that distance too. With a
    `tolerance` [m] bodies may overlap by as much. `tests_per_path` limits the tests of a pair
    between two frames; by default it grows with the number of triangles.
    """
    for what, length in (("clearance", clearance), ("tolerance", tolerance)):
        if not 0.0 <= length < np.inf:
            raise InputError(f"{what} must be a length >= 0 [m], got {length:g}")
    if clearance > 0 and tolerance > 0:
        raise InputError("clearance and tolerance must not be given together")
    if result.status == DAMAGED:
        raise InputError(f"there is no certificate for a damaged result: {result.reason}")
    if not len(result.time):
        raise InputError("there is no certificate for a result without frames")
    refuse_disordered(result)
    motions = [_lasting(motion) for motion in motions_of(result)]
    states = check_states(result, motions)
    smooth = {m.name: m.verified.error for m in motions if m.verified.error > 0.0}
    empty = Certificate(
        states, (), clearance=clearance, tolerance=tolerance, status=result.status,
        reason=result.reason, smooth=smooth,
    )  # fmt: skip
    pairs = ExcusedPairs(result)
    bodies = [motion for motion in motions if motion.half_space is None]
    planes = [motion for motion in motions if motion.half_space is not None]
    surfaces = verified_surfaces([body.verified for body in bodies])
    most = max((len(body.tree.simplices) for body in bodies), default=0)
    budget = tests_per_path or TESTS_PER_PATH + TESTS_PER_SIMPLEX * most
    search = Search(bodies, planes, surfaces, pairs, states.orthogonality, budget, clearance)
    parts = over_ranges(lambda a, b: _searched(search, a, b), _intervals(motions), STOPS_PER_RANGE)
    paths = tuple(path for part in parts for path in part[0])
    excused = [*states.excused, *(entry for part in parts for entry in part[1])]
    nested, more = _nested(bodies, pairs)
    found = replace(
        empty, paths=paths, nested=nested, excused=first_of_each([*excused, *more]),
        tests=sum(part[2] for part in parts), intervals=sum(part[3] for part in parts),
    )  # fmt: skip
    found = _with_overlaps(found, motions, search)
    return replace(found, invariants=invariants_of(result, found.verdict, tolerance))


def _with_overlaps(found: Certificate, motions: list[BodyMotion], search: Search) -> Certificate:
    """The certificate with the depth of each overlap; those within the tolerance are let pass."""
    overlaps = overlaps_of(motions, found.states.crossings, found.paths, found.nested)
    if found.tolerance == 0.0 or not overlaps:
        return replace(found, overlaps=overlaps)
    where: list[Crossing | PathFinding] = [*found.states.crossings, *found.paths]
    left = remaining(motions, overlaps, where, search, found.tolerance)
    deep = {(one.body_a, one.body_b) for one in left}
    met = {(one.body_a, one.body_b) for one in overlaps}
    kept = [
        p for p in found.paths if (p.body_a, p.body_b) in deep or (p.body_a, p.body_b) not in met
    ]
    crossings = tuple(c for c in found.states.crossings if (c.body_a, c.body_b) in deep)
    return replace(
        found,
        states=replace(found.states, crossings=crossings),
        paths=tuple(kept),
        nested=tuple(n for n in found.nested if {(n.inner, n.outer), (n.outer, n.inner)} & deep),
        overlaps=left,
        allowed=tuple(one for one in overlaps if (one.body_a, one.body_b) not in deep),
    )


def _searched(
    search: Search, begin: int, end: int
) -> tuple[list[PathFinding], list[Excused], int, int]:
    one = PathSearch(search)
    found = list(one.findings(begin, end))
    return found, one.excused, one.tests, one.intervals


def _intervals(motions: list[BodyMotion]) -> int:
    return len(motions[0].v) if len(motions) > 1 else 0


def _nested(
    bodies: list[BodyMotion], pairs: ExcusedPairs
) -> tuple[tuple[Nested, ...], list[Excused]]:
    found, excused = [], []
    for inner, outer in StartSolids(bodies).nested():
        a, b = bodies[inner], bodies[outer]
        why = pairs.reason(a.checked, b.checked)
        if why:
            names = sorted((inner, outer))
            first, second = (bodies[n].name for n in names)
            time = float(a.time[0])
            excused.append(Excused(first, second, why, time, "intersecting"))
        else:
            found.append(Nested(a.name, b.name))
    return tuple(found), excused


def _lasting(motion: BodyMotion) -> BodyMotion:
    """A motion with at least one path: a single state is held for an instant."""
    if len(motion.time) > 1:
        return motion
    return replace(
        motion,
        time=np.repeat(motion.time, 2),
        x=np.repeat(motion.x, 2, axis=0),
        R=np.repeat(motion.R, 2, axis=0),
        ambiguous_rotation=np.zeros(1, bool),
        spun=None,
    )
