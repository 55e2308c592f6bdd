"""Joints through their ranges: the least clearance, and a proof over the whole range."""

from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from math import inf
from time import perf_counter

import numpy as np

from dovetail.collision.bvh.forest import forest_of
from dovetail.collision.bvh.tree import Bvh, bvh_of
from dovetail.errors import InputError
from dovetail.model.frozen import GROUND, Model
from dovetail.model.values import Array, quote
from dovetail.prove.breadth import decide_widely, spread_about, spread_evenly
from dovetail.prove.chains import PairMotion, SweptTree, moving_pairs
from dovetail.prove.nested import one_inside_the_other, pose_at
from dovetail.prove.pair_search import PairSearch
from dovetail.prove.plan import Plan
from dovetail.prove.progress import ProofProgress
from dovetail.prove.records import CLEAR, MEET, Found
from dovetail.prove.tessellation import deviation_of
from dovetail.prove.verdict import Doubt, Meeting, Proof, Verdict

ACCURACY = 0.01  # of the least clearance
RESOLUTION = 1e-9  # of the required clearance: what keeps all but that keeps it
TIMES_ROUNDING = 4.0  # or all but that many times the rounding of positions
TESTS = 40_000_000  # of a question, about 20 s of a processor
FIRST_TESTS = 8_000_000  # of one pair, before what is left is shared among the pairs left open
PIECES = 16  # of the range of one parameter, each decided by itself where the whole is not
MINIMISE_TESTS = 2_000_000
KEPT = (0.1, 0.5)  # of the least clearance: tried where all of it is not shown to be kept
MEETING_TESTS = 8_000_000  # of one pair, to bracket its meetings
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
        budget: int = TESTS,
        progress: ProofProgress | None = None,
    ) -> None:
        self._model, self._plan, self._clearance = model, plan, clearance
        self._ignored, self._budget = ignored, budget
        self._progress = ProofProgress() if progress is None else progress
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

    def answer(self, finer_may_follow: bool = False) -> Proof:
        """Within the budget; the least clearance of a doubt that is asked again is left rough."""
        for search in self._searches:
            self._sample(search)
        self._decide_all()
        if not (finer_may_follow and self._doubts and not self._meetings):
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
            max(self._clearance, least.proven) if verdict == "proven" else 0.0,
            least.between,
            least.at,
            least.point,
            tuple(self._meetings),
            tuple(self._doubts),
            tuple(self._excused),
            max((self._off(search.motion) for search in self._searches), default=0.0),
            len(self._searches),
            self._spent(),
            perf_counter() - self._started,
        )

    def _spent(self) -> int:
        return sum(search.tests for search in self._searches)

    def _left(self) -> int:
        return max(1, self._budget - self._spent())

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
        return self._plan.at(self._all_parameters(motion, at))

    def _all_parameters(self, motion: PairMotion, at: Array) -> Array:
        rest: Array = np.clip(0.0, self._low, self._high)
        rest[list(motion.parameters)] = at
        return rest

    def _point(self, search: PairSearch, found: Found, at: Array) -> tuple[float, float, float]:
        """[m] between the two bodies; a pair is searched as if its body a stayed in its place."""
        motion, point = search.motion, search.point_between(found, at)
        own = SweptTree(self._model, self._plan).motion(GROUND, motion.a)
        if own is None:
            return point
        R, x = pose_at(own, self._all_parameters(motion, at)[list(own.parameters)])
        a, b, c = (R @ motion.chain.R_a.T @ (np.array(point) - motion.chain.x_a) + x).tolist()
        return a, b, c

    def _note(self, search: PairSearch, found: Found, at: Array) -> None:
        """A distance [m] of the triangles that occurs."""
        clearance = found.distance - self._off(search.motion)
        if clearance < self._least.clearance:
            self._least.clearance = clearance
            self._least.between = self._names(search.motion)
            self._least.at = self._at(search.motion, at)
            self._least.point = self._point(search, found, at)
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

    def _decide_all(self) -> None:
        """All pairs with little work; then the others with what is left, in pieces at last."""
        open_pairs = []
        for k, search in enumerate(self._searches):
            self._show(k, search)
            low, high = self._range(search.motion)
            if not self._decide(search, low, high, min(FIRST_TESTS, self._left())):
                open_pairs.append(search)
        for k, search in enumerate(open_pairs):
            self._show(len(self._searches) - len(open_pairs) + k, search)
            low, high = self._range(search.motion)
            share = self._left() // (len(open_pairs) - k)
            if self._decide(search, low, high, share // 2):
                continue
            self._decide_pieces(search, low, high, share // 2)

    def _show(self, done: int, search: PairSearch) -> None:
        a, b = self._names(search.motion)
        text = f"{done} of {len(self._searches)} pairs, {self._spent()} tests: {a}, {b}"
        self._progress.show(done, len(self._searches), text)

    def _decide_pieces(self, search: PairSearch, low: Array, high: Array, budget: int) -> None:
        """The range of one parameter piece by piece; neighbours that stay open are one doubt."""
        count = PIECES if len(low) == 1 and high[0] > low[0] else 1
        ends = np.linspace(low, high, count + 1)
        doubtful: list[tuple[Array, Array]] = []
        for begin, end in pairwise(ends) if count > 1 else ():
            if not self._decide(search, begin, end, budget // count):
                joins = doubtful and np.array_equal(doubtful[-1][1], begin)
                doubtful.append((doubtful.pop()[0] if joins else begin, end))
        if count == 1:
            doubtful = [(low, high)]
        for begin, end in doubtful:
            why = f"not decided within {self._budget} tests"
            self._doubt(search, 0.5 * (begin + end), why, (begin, end))

    def _decide(self, search: PairSearch, low: Array, high: Array, budget: int) -> bool:
        """Whether the pair is decided in this range, or cannot be; False where the budget ends."""
        off = self._off(search.motion)
        clearance = self._to_keep(search)
        required = clearance + off
        decide = search.decide if len(low) == 1 else partial(decide_widely, search)
        found, at = decide(low, high, required, budget)
        if found.code == CLEAR:
            if one_inside_the_other(self._model, search.motion, low):
                self._meet_everywhere(search, low)
            else:
                self._minimise(search, low, high, required)
        elif found.code == MEET:
            self._note(search, found, at)
            if self._meets_certainly(search, found, at) or self._met_elsewhere(search, at):
                self._meet(search, *self._range(search.motion))
            else:
                self._doubt(search, at, _not_distinguishable(found.distance, off))
        elif found.tests >= budget:
            return False
        else:
            why = "the parts come closer to the required clearance than rounding can resolve"
            self._doubt(search, at, why)
        return True

    def _meets_certainly(self, search: PairSearch, found: Found, at: Array) -> bool:
        """Whether the true parts meet at a configuration at which the triangles do.

        Triangles that touch are known to where nothing but rounding is between them and the parts.
        """
        off, clearance = self._off(search.motion), self._to_keep(search)
        exact = off == 0.0 and search.follows_exactly(*self._range(search.motion))
        if exact and (found.distance == 0.0 or found.distance < clearance):
            return True
        return search.throughout(at, at, clearance, off)

    def _met_elsewhere(self, search: PairSearch, at: Array) -> bool:
        """Whether the true parts meet at one of some configurations, most of them near `at`."""
        low, high = self._range(search.motion)
        off, clearance = self._off(search.motion), self._to_keep(search)
        tried = np.concatenate([spread_about(at, low, high), spread_evenly(low, high)])
        return any(search.throughout(one, one, clearance, off) for one in tried)

    def _to_keep(self, search: PairSearch) -> float:
        """[m] the required clearance, less rounding: drawn gaps are often equal to it."""
        rounding = search.rounding(*self._range(search.motion))
        allowance = max(RESOLUTION * self._clearance, TIMES_ROUNDING * rounding)
        return max(0.0, self._clearance - allowance)

    def _doubt(
        self, search: PairSearch, at: Array, why: str, within: tuple[Array, Array] | None = None
    ) -> None:
        names = self._names(search.motion)
        low, high = (at, at) if within is None else within
        self._doubts.append(
            Doubt(
                names, self._at(search.motion, at), why,
                self._at(search.motion, low), self._at(search.motion, high),
            )
        )  # fmt: skip

    def _minimise(self, search: PairSearch, low: Array, high: Array, required: float) -> None:
        off = self._off(search.motion)
        best = self._least.clearance + off
        budget = min(MINIMISE_TESTS, self._left())
        found, at = search.minimise(low, high, required, best, ACCURACY, budget)
        if found.distance < best:
            self._note(search, found, at)
        kept = found.proven if found.code == CLEAR else self._kept(search, low, high, required)
        self._least.proven = min(self._least.proven, kept - off)

    def _kept(self, search: PairSearch, low: Array, high: Array, required: float) -> float:
        """[m] a distance that is kept in all of the range, at least the required one."""
        best = self._least.clearance + self._off(search.motion)
        kept = required
        for wanted in (share * best for share in KEPT):
            if wanted > required:
                budget = min(FIRST_TESTS, self._left() // 2)
                if search.decide(low, high, wanted, budget)[0].code != CLEAR:
                    break
                kept = wanted
        return kept

    def _polish(self) -> None:
        """Follow the least clearance downhill, to well below the accuracy of the search."""
        for search in self._searches:
            motion = search.motion
            if self._names(motion) != self._least.between or self._least.clearance <= 0.0:
                continue
            low, high = self._range(motion)
            assert self._least.where is not None
            at, step = self._least.where, 0.05 * (high - low)
            budget = search.tests + min(POLISH_TESTS, self._left())
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
        required = self._to_keep(search) - self._off(motion)
        if any(one.between == names for one in self._meetings):
            return  # found in another piece of the range
        budget = min(MEETING_TESTS, self._left() // 2)
        nested = partial(one_inside_the_other, self._model, motion)
        for interval in search.meetings(low, high, max(0.0, required), budget, nested):
            for k, a, b in zip(motion.parameters, interval.low, interval.high, strict=True):
                self._meetings.append(Meeting(self._plan.parameters[k].name, a, b, names))


def _not_distinguishable(distance: float, off: float) -> str:
    if off > 0.0:
        return (
            f"the triangles come to {distance:.3g} m, and may be off the true surfaces by "
            f"{off:.3g} m; use a finer tessellation"
        )
    return (
        f"the parts come to {distance:.3g} m, nearer than the positions of the joints that follow "
        "in closed loops or couplings are known"
    )
