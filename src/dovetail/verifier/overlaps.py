"""Bodies that meet, pair by pair: when first, where deepest, and whether a tolerance allows it.

An overlap is within the tolerance if at every instant a translation of at most that length parts
the two. On the path between two stops a translation u that is fixed in the world shows it: body b
moved by u must be clear of body a on the whole path, which the path test decides. Balls, capsules
and half-spaces are instead made smaller by the tolerance.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dovetail.model.values import Array
from dovetail.verifier.depth import Depth, PairDepth
from dovetail.verifier.path_clearance import path_between
from dovetail.verifier.path_search import PathFinding, Search
from dovetail.verifier.plane_clearance import path_over_plane
from dovetail.verifier.recorded_motion import BodyMotion
from dovetail.verifier.recorded_states import Crossing
from dovetail.verifier.records import CLEAR, TOUCH, Limits, Mat3, RelativeMotion

MAX_EXAMINED = 24  # instants of one pair whose depth is measured,
MAX_IN_ALL = 240  # and of all pairs; it takes about 0.1 s for two polyhedra
NAN = float("nan")
HALVINGS = 4  # of the path between two stops, each with a translation of its own


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
        within = _Within(a, b, numbers, search, tolerance)
        if not all(within.on_path(k) for k in sorted(stops.get((a.name, b.name), {0}))):
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


class _Within:
    """Whether two bodies overlap by no more than a tolerance on paths."""

    def __init__(
        self,
        a: BodyMotion,
        b: BodyMotion,
        numbers: dict[str, int],
        search: Search,
        tolerance: float,
    ) -> None:
        self._a, self._b, self._search, self._tolerance = a, b, search, tolerance
        self._numbers = numbers
        self._depth = PairDepth(a, b)
        self._shift: Array | None = None  # that parted them last

    def on_path(self, k: int) -> bool:
        a, b = self._a, self._b
        if a.ambiguous_rotation[k] or b.ambiguous_rotation[k]:
            return False
        if a.half_space is not None:
            normal = tuple(a.R[k] @ a.normal)
            code, *_ = path_over_plane(
                b.verified.discs, tuple(b.x[k] - a.x[k]), tuple(b.v[k] - a.v[k]), _rows(b.R[k]),
                tuple(b.w[k]), normal, tuple(a.w[k]), b.verified.radius, -self._tolerance,
                self._search.budget,
            )  # fmt: skip
            return bool(code in (CLEAR, TOUCH))
        if a.verified.outer_radius + b.verified.outer_radius > self._tolerance:
            return self._code(k, 0.0, 1.0, np.zeros(3), -self._tolerance) in (CLEAR, TOUCH)
        return self._halved(k, 0.0, 1.0, HALVINGS)

    def _code(self, k: int, begin: float, end: float, shift: Array, clearance: float) -> int:
        """The code of the part of path k from `begin` to `end`, b moved by `shift`."""
        (x_a, R_a), (x_b, R_b) = self._a.between(k, begin), self._b.between(k, begin)
        part = end - begin
        motion = RelativeMotion(
            tuple(x_b - x_a + shift), tuple(part * (self._b.v[k] - self._a.v[k])), _rows(R_a),
            tuple(part * self._a.w[k]), _rows(R_b), tuple(part * self._b.w[k]),
        )  # fmt: skip
        limits = Limits(self._search.defect, clearance, self._search.budget, 0.0)
        numbers = self._numbers[self._a.name], self._numbers[self._b.name]
        return int(path_between(self._search.surfaces, *numbers, motion, limits).code)

    def _halved(self, k: int, begin: float, end: float, halvings: int) -> bool:
        if self._shift is not None and self._parts(k, begin, end, self._shift):
            return True
        middle = 0.5 * (begin + end)
        for at in (middle, end, begin):  # where they are apart a direction tells nothing
            found = self._depth.at(self._a.between(k, at), self._b.between(k, at))
            if found.depth > self._tolerance:
                return False
            if self._parted_along(k, begin, end, found):
                return True
        if halvings == 0:
            return False
        return self._halved(k, begin, middle, halvings - 1) and self._halved(
            k, middle, end, halvings - 1
        )

    def _parted_along(self, k: int, begin: float, end: float, found: Depth) -> bool:
        """Whether a translation along the direction that was found parts them there."""
        for length in (self._tolerance, 0.5 * (found.depth + self._tolerance), 1.1 * found.depth):
            shift = min(length, self._tolerance) * found.direction
            if self._parts(k, begin, end, shift):
                self._shift = shift
                return True
        return False

    def _parts(self, k: int, begin: float, end: float, shift: Array) -> bool:
        """Whether b moved by `shift` is clear of a on that part of the path, and not inside."""
        middle = 0.5 * (begin + end)
        if not self._depth.parted(self._a.between(k, middle), self._b.between(k, middle), shift):
            return False
        return self._code(k, begin, end, shift, 0.0) == CLEAR


def _rows(R: Array) -> Mat3:
    a, b, c = R.tolist()
    return (a[0], a[1], a[2]), (b[0], b[1], b[2]), (c[0], c[1], c[2])
