"""Bodies that meet, pair by pair: when first, where deepest, and whether a tolerance allows it.

What a tolerance allows is said in `within_tolerance`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dovetail.verifier.depth import Depth, PairDepth
from dovetail.verifier.path_search import PathFinding, Search
from dovetail.verifier.recorded_motion import BodyMotion
from dovetail.verifier.recorded_states import Crossing
from dovetail.verifier.within_tolerance import WithinTolerance

MAX_EXAMINED = 24  # instants of one pair whose depth is measured,
MAX_IN_ALL = 240  # and of all pairs; it takes about 0.1 s for two polyhedra
NAN = float("nan")


@dataclass(frozen=True)
class Overlap:
    """Two bodies that meet."""

    body_a: str
    body_b: str
    first: float  # [s] when they were first found to meet
    stops: int  # recorded times at which they meet
    paths: int  # and paths between such times
    depth: float  # [m] largest measured: a translation of that length parts them; nan: none was
    time: float  # [s] when that was
    place: tuple[float, float, float]  # [m] where
    touching: bool = False  # they come no closer than rounding can tell from touching


@dataclass(frozen=True)
class Nested:
    """A body inside the solid of another at the start."""

    inner: str
    outer: str


def overlaps_of(
    motions: list[BodyMotion],
    crossings: Sequence[Crossing],
    paths: Sequence[PathFinding],
    nested: Sequence[Nested],
) -> tuple[Overlap, ...]:
    """One entry for each pair that meets or touches, those of greatest depth first."""
    by_name = {motion.name: motion for motion in motions}
    when: dict[tuple[str, str], list[tuple[float, int, float]]] = {}
    counts: dict[tuple[str, str], list[int]] = {}
    time = motions[0].time if motions else np.zeros(1)
    stop_of = {float(t): k for k, t in reversed(list(enumerate(time.tolist())))}
    for crossing in crossings:
        pair = (crossing.body_a, crossing.body_b)
        when.setdefault(pair, []).append((crossing.time, stop_of[crossing.time], 0.0))
        counts.setdefault(pair, [0, 0])[0] += 1
    touching: dict[tuple[str, str], bool] = {}
    for path in paths:
        if path.verdict == "undecided":
            continue
        pair = (path.body_a, path.body_b)
        touching[pair] = touching.get(pair, True) and path.verdict == "touching"
        length = path.end - path.begin
        part = (path.time - path.begin) / length if length > 0 else 0.0
        when.setdefault(pair, []).append((path.time, path.stop, part))
        counts.setdefault(pair, [0, 0])[1] += 1
    for one in nested:
        pair = (one.outer, one.inner)
        if pair not in when and pair[::-1] not in when:
            when[pair], counts[pair] = [(float(time[0]), 0, 0.0)], [1, 0]
    found = []
    each = min(MAX_EXAMINED, max(1, MAX_IN_ALL // max(len(when), 1)))
    for number, (pair, instants) in enumerate(when.items()):
        instants.sort()
        if number >= MAX_IN_ALL:
            found.append(
                Overlap(*pair, instants[0][0], *_counts(counts[pair]), NAN, NAN, (NAN,) * 3)
            )
            continue
        measured = _deepest(PairDepth(by_name[pair[0]], by_name[pair[1]]), instants, each)
        at, depth = measured
        place = (float(depth.place[0]), float(depth.place[1]), float(depth.place[2]))
        stops, passes = counts[pair]
        found.append(
            Overlap(
                *pair,
                first=instants[0][0],
                stops=stops,
                paths=passes,
                depth=max(0.0, depth.depth),
                time=at,
                place=place,
                touching=stops == 0 and touching.get(pair, False),
            )
        )
    return tuple(sorted(found, key=lambda one: -one.depth if one.depth == one.depth else np.inf))


def _counts(counts: list[int]) -> tuple[int, int]:
    return counts[0], counts[1]


def _deepest(
    pair: PairDepth, instants: list[tuple[float, int, float]], most: int
) -> tuple[float, Depth]:
    """The deepest of the instants (time, stop, part of the path), or of some of many."""
    chosen = np.unique(np.linspace(0, len(instants) - 1, most).astype(int))
    measured = []
    for k in chosen.tolist():
        time, stop, part = instants[k]
        measured.append((time, pair.at(pair.a.between(stop, part), pair.b.between(stop, part))))
    return max(measured, key=lambda one: one[1].depth)


def remaining(
    motions: list[BodyMotion],
    overlaps: Sequence[Overlap],
    where: Sequence[Crossing | PathFinding],
    search: Search,
    tolerance: float,
) -> tuple[Overlap, ...]:
    """Of the overlaps those that are not shown to stay within the tolerance at all times."""
    by_name = {motion.name: motion for motion in motions}
    stops = _stops(motions, where)
    numbers = {body.name: number for number, body in enumerate(search.bodies)}
    left = []
    for one in overlaps:
        a, b = by_name[one.body_a], by_name[one.body_b]
        if one.depth > tolerance:
            left.append(one)
            continue
        within = WithinTolerance(a, b, numbers, search, tolerance)
        if not within.on_paths(sorted(stops.get((a.name, b.name), {0}))):
            left.append(one)
    return tuple(left)


def _stops(
    motions: list[BodyMotion], where: Sequence[Crossing | PathFinding]
) -> dict[tuple[str, str], set[int]]:
    """By pair the stops from which a path leads on which they meet."""
    time = motions[0].time
    found: dict[tuple[str, str], set[int]] = {}
    for one in where:
        stops = found.setdefault((one.body_a, one.body_b), set())
        if isinstance(one, PathFinding):
            stops.add(one.stop)
        else:
            for k in np.flatnonzero(time == one.time).tolist():
                stops.update({max(k - 1, 0), min(k, len(time) - 2)})
    return found
