"""Joints through their ranges: the least clearance, and a proof over the whole range."""

from dataclasses import dataclass, field
from math import inf
from time import perf_counter

import numpy as np

from dovetail.collision.bvh.forest import forest_of
from dovetail.collision.bvh.tree import Bvh, bvh_of
from dovetail.errors import InputError
from dovetail.model.frozen import Model
from dovetail.model.values import Array, quote
from dovetail.prove.chains import PairMotion, moving_pairs
from dovetail.prove.nested import one_inside_the_other
from dovetail.prove.pair_search import PairSearch
from dovetail.prove.plan import Plan
from dovetail.prove.records import CLEAR, MEET, Found
from dovetail.prove.tessellation import deviation_of
from dovetail.prove.verdict import Doubt, Meeting, Proof, Verdict

ACCURACY = 0.01  # of the least clearance
DECIDE_TESTS = 40_000_000  # of one pair, about 30 s
MINIMISE_TESTS = 2_000_000
POLISH = 1e-9  # of the range: accuracy of the place of the least clearance
SAMPLES = 9  # of each pair, where the search for the least clearance starts
SAMPLE_TESTS = 200_000  # of one configuration: in threads thousands of triangles are equally near
POLISH_TESTS = 4_000_000  # of all steps downhill


@dataclass(eq=False)
class _Least:
    """The least clearance so far, the tessellation taken off."""

    clearance: float = inf  # [m]
    proven: float = inf  # [m]
    between: tuple[str, str] | None = None
    at: dict[str, float] = field(default_factory=dict)
    point: tuple[float, float, float] | None = None
    where: Array | None = None  # parameters of the pair there


class KinematicQuestion:
    """A model, swept coordinates and a required clearance [m]."""

    def __init__(
        self,
        model: Model,
        plan: Plan,
        clearance: float,
        ignored: frozenset[frozenset[str]] = frozenset(),
    ) -> None:
        self._model, self._plan, self._clearance = model, plan, clearance
        self._ignored = ignored
        self._started = perf_counter()
        self._low = np.array([one.low for one in plan.parameters])
        self._high = np.array([one.high for one in plan.parameters])
        self._least = _Least()
        self._meetings: list[Meeting] = []
        self._doubts: list[Doubt] = []
        self._excused: list[tuple[str, str, str]] = []
        self._deviation = [deviation_of(body.shape) for body in model.bodies]
        self._searches = self._prepared()

    def _prepared(self) -> list[PairSearch]:
        trees: dict[tuple[int, bytes], Bvh] = {}
        with_surface = [i for i, body in enumerate(self._model.bodies) if len(body.surface.faces)]
        own = []
        for i in with_surface:
            body = self._model.bodies[i]
            key = (id(body.shape), body.centre.tobytes())
            if key not in trees:
                trees[key] = bvh_of(body.surface)
            own.append(trees[key])
        forest = forest_of(own)
        place = {body: k for k, body in enumerate(with_surface)}
        searches = []
        excluded = set(self._model.excluded)
        for motion in moving_pairs(self._model, self._plan):
            a, b = self._model.bodies[motion.a], self._model.bodies[motion.b]
            if a.group is not None and a.group == b.group:
                self._excused.append((a.name, b.name, f"both in group {quote(a.group)}"))
            elif (motion.a, motion.b) in excluded or (motion.b, motion.a) in excluded:
                self._excused.append((a.name, b.name, "their contact is excluded"))
            elif frozenset((a.name, b.name)) in self._ignored:
                self._excused.append((a.name, b.name, "may touch, as requested"))
            else:
                searches.append(PairSearch(forest, (place[motion.a], place[motion.b]), motion))
        if not searches and not self._excused:
            raise InputError(
                "no two bodies with a surface move relative to each other in this sweep; check "
                "which bodies the swept joints connect"
            )
        return searches

    def answer(self) -> Proof:
        for search in self._searches:
            self._sample(search)
        for search in self._searches:
            self._decide(search)
        self._polish()
        verdict: Verdict = "proven"
        if self._meetings:
            verdict = "meets"
        elif self._doubts:
            verdict = "undecided"
        least = self._least
        return Proof(
            verdict,
            self._clearance,
            max(0.0, least.clearance),
            max(0.0, least.proven) if verdict == "proven" else 0.0,
            least.between,
            least.at,
            least.point,
            tuple(self._meetings),
            tuple(self._doubts),
            tuple(self._excused),
            max((self._off(search.motion) for search in self._searches), default=0.0),
            len(self._searches),
            sum(search.tests for search in self._searches),
            perf_counter() - self._started,
        )

    def _off(self, motion: PairMotion) -> float:
        """[m] of tessellation of both bodies."""
        return self._deviation[motion.a] + self._deviation[motion.b]

    def _names(self, motion: PairMotion) -> tuple[str, str]:
        return self._model.names[motion.a], self._model.names[motion.b]

    def _range(self, motion: PairMotion) -> tuple[Array, Array]:
        own = list(motion.parameters)
        return self._low[own], self._high[own]

    def _at(self, motion: PairMotion, at: Array) -> dict[str, float]:
        """Joint values: those of the pair, and the initial pose of the others if they have it."""
        rest = np.clip(0.0, self._low, self._high)
        rest[list(motion.parameters)] = at
        return self._plan.at(rest)

    def _note(self, search: PairSearch, found: Found, at: Array) -> None:
        """A distance [m] of the triangles that occurs."""
        clearance = found.distance - self._off(search.motion)
        if clearance < self._least.clearance:
            self._least.clearance = clearance
            self._least.between = self._names(search.motion)
            self._least.at = self._at(search.motion, at)
            self._least.point = search.point_between(found, at)
            self._least.where = np.array(at, dtype=float)

    def _sample(self, search: PairSearch) -> None:
        """Distances at some configurations, so that the search starts with a good bound."""
        low, high = self._range(search.motion)
        for t in np.linspace(0.0, 1.0, SAMPLES):
            at = low + t * (high - low)
            best = self._least.clearance + self._off(search.motion)
            found, _ = search.minimise(at, at, 0.0, best, ACCURACY, SAMPLE_TESTS)
            if found.distance < best:
                self._note(search, found, at)

    def _decide(self, search: PairSearch) -> None:
        low, high = self._range(search.motion)
        off = self._off(search.motion)
        required = self._clearance + off
        found, at = search.decide(low, high, required, DECIDE_TESTS)
        if found.code == CLEAR:
            if one_inside_the_other(self._model, search.motion, low):
                self._meet_everywhere(search, low)
                return
            self._minimise(search, low, high, required)
            return
        if found.code == MEET:
            self._note(search, found, at)
            exact = off == 0.0 and not search.motion.course.error.any()
            certain = found.distance == 0.0 and exact
            certain = certain or (exact and found.distance < self._clearance)
            if certain or search.throughout(at, at, self._clearance, off):
                self._meet(search, low, high)
            else:
                why = (
                    f"the triangles come to {found.distance:.3g} m, and may be off the true "
                    f"surfaces by {off:.3g} m; use a finer tessellation"
                )
                self._doubt(search, at, why)
            return
        why = "the parts come closer to the required clearance than rounding can resolve"
        if found.tests >= DECIDE_TESTS:
            why = f"not decided within {DECIDE_TESTS} tests"
        self._doubt(search, at, why)

    def _doubt(self, search: PairSearch, at: Array, why: str) -> None:
        names = self._names(search.motion)
        self._doubts.append(Doubt(names, self._at(search.motion, at), why))

    def _minimise(self, search: PairSearch, low: Array, high: Array, required: float) -> None:
        off = self._off(search.motion)
        best = self._least.clearance + off
        found, at = search.minimise(low, high, required, best, ACCURACY, MINIMISE_TESTS)
        if found.distance < best:
            self._note(search, found, at)
        kept = found.proven if found.code == CLEAR else required
        self._least.proven = min(self._least.proven, kept - off)

    def _polish(self) -> None:
        """Follow the least clearance downhill, to well below the accuracy of the search."""
        for search in self._searches:
            motion = search.motion
            if self._names(motion) != self._least.between or self._least.clearance <= 0.0:
                continue
            low, high = self._range(motion)
            assert self._least.where is not None
            at, step = self._least.where, 0.05 * (high - low)
            budget = search.tests + POLISH_TESTS
            while np.any(step > POLISH * (high - low)) and search.tests < budget:
                before = self._least.clearance
                for move in (*np.diag(step), *np.diag(-step)):
                    tried = np.clip(at + move, low, high)
                    found, _ = search.minimise(
                        tried, tried, 0.0, before + self._off(motion), 0.0, SAMPLE_TESTS
                    )
                    self._note(search, found, tried)
                    if self._least.clearance < before:
                        at = tried
                        break
                else:
                    step = 0.5 * step

    def _meet_everywhere(self, search: PairSearch, low: Array) -> None:
        self._note(search, Found(MEET, 0.0, 0.0, 0, 0, 0), low)
        names = self._names(search.motion)
        for k in search.motion.parameters:
            one = self._plan.parameters[k]
            self._meetings.append(Meeting(one.name, one.low, one.high, names))

    def _meet(self, search: PairSearch, low: Array, high: Array) -> None:
        """Where in its range the pair meets."""
        motion = search.motion
        names = self._names(motion)
        required = self._clearance - self._off(motion) if self._clearance else 0.0
        for interval in search.meetings(low, high, max(0.0, required)):
            for k, a, b in zip(motion.parameters, interval.low, interval.high, strict=True):
                self._meetings.append(Meeting(self._plan.parameters[k].name, a, b, names))
