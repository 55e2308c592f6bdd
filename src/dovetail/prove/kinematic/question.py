"""Joints through their ranges: are the bodies free in all of it, and if not, where do they meet?"""

from dataclasses import replace
from functools import partial
from itertools import pairwise
from time import perf_counter

import numpy as np

from dovetail.model.frozen import Model
from dovetail.model.values import Array
from dovetail.prove.kinematic.descent import Descent
from dovetail.prove.kinematic.least import Least
from dovetail.prove.kinematic.local_ends import LocalEnds
from dovetail.prove.kinematic.notes import notes_of
from dovetail.prove.kinematic.pair import Pair
from dovetail.prove.kinematic.prepared_pairs import PairRequest, prepared_pairs
from dovetail.prove.kinematic.ranges import Range, Ranges
from dovetail.prove.motion.plan import Plan
from dovetail.prove.motion.records import CLEAR, MEET, UNDECIDED, Found
from dovetail.prove.output.progress import ProofProgress
from dovetail.prove.pairs.breadth import decide_widely, spread_about, spread_evenly
from dovetail.prove.surfaces.measured import measured_parts
from dovetail.prove.verdict import WANTED, Doubt, Meeting, Proof, Verdict

TESTS = 40_000_000  # of a question, about 20 s of a processor
FIRST_TESTS = 8_000_000  # of one pair, before what is left is shared among the pairs left open
BRIEF_TESTS = 100_000  # of one pair, before its nearest configuration is looked for by descent
DESCENT_SHARE = 8  # of the tests of a pair: the part that this may take
PIECES = 16  # of the range of one parameter, each decided by itself where the whole is not
MEETING_TESTS = 8_000_000  # of one pair, to bracket its meetings
ROUGH = 0.2  # of the required clearance: triangles that are farther off are refined
FINER_TESTS = 2_000_000  # of one pair, to narrow them by finer triangles
LOCAL_TESTS = 4_000_000  # of one pair, to sharpen them by finer triangles near their ends
FINER_LOCAL_TESTS = 24_000_000  # the same where triangles are finer everywhere

Met = dict[tuple[str, str], list[Range]]  # by the two bodies


class KinematicQuestion:
    """A model, swept coordinates and a required clearance [m]."""

    def __init__(
        self,
        model: Model,
        plan: Plan,
        clearance: float,
        ignored: frozenset[frozenset[str]] = frozenset(),
        factor: int = 1,
        budget: int = TESTS,
        progress: ProofProgress | None = None,
    ) -> None:
        self._budget, self._clearance, self._factor = budget, clearance, factor
        self._progress = ProofProgress() if progress is None else progress
        self._started = perf_counter()
        low = np.array([one.low for one in plan.parameters])
        high = np.array([one.high for one in plan.parameters])
        request = PairRequest(plan, low, high, clearance, ignored, factor)
        self._plan = plan
        self._pairs, self._excused = prepared_pairs(model, request)
        self._measured, self._notes = measured_parts(model), notes_of(model)
        self._least = Least(model, request, self._left)
        self.doubts: list[Doubt] = []
        self.met: Met = {}

    def answer(self, finer_may_follow: bool = False) -> Proof:
        """Within the budget; the least clearance of a doubt that is asked again is left rough."""
        for pair in self._pairs:
            self._least.sample(pair)
        self._decide_all()
        if not (finer_may_follow and self.doubts and not self.met):
            self._least.polish(self._pairs)
        verdict: Verdict = "proven"
        if self.met:
            verdict = "meets"
        elif self.doubts:
            verdict = "undecided"
        least = self._least
        meetings, doubts = self.reported(self.met)
        return Proof(
            verdict,
            self._clearance,
            max(0.0, least.clearance),
            max(self._clearance, least.proven) if verdict == "proven" else 0.0,
            least.between,
            least.at,
            least.point,
            tuple(meetings),
            (*self.doubts, *doubts),
            tuple(self._excused),
            max((pair.off for pair in self._pairs), default=0.0),
            len(self._pairs),
            self.tests,
            perf_counter() - self._started,
            self._notes,
            measured=self._measured,
        )

    def narrowed(self, proof: Proof, coarse: "KinematicQuestion") -> Proof:
        """What coarser triangles have left open of meetings, with those of this model."""
        for pair in self._pairs:
            if coarse._least.where is not None and pair.names == coarse._least.between:
                self._least.try_at(pair, coarse._least.where)
            if pair.names in coarse.met:
                budget = min(FINER_TESTS, self._left())
                ranges = Ranges(pair, budget).narrowed(coarse.met[pair.names])
                self.met[pair.names] = self._sharpened(pair, ranges)
        if coarse._is_rough:
            self._least.polish(self._pairs)
        self.doubts = coarse.doubts
        meetings, doubts = self.reported(self.met)
        least = self._least
        return replace(
            proof, least_clearance=max(0.0, least.clearance), between=least.between, at=least.at,
            point=least.point, meets=tuple(meetings), doubts=(*self.doubts, *doubts),
            tessellation=max((pair.off for pair in self._pairs), default=0.0),
            measured=self._measured,
        )  # fmt: skip

    def _sharpened(self, pair: Pair, ranges: list[Range]) -> list[Range]:
        most = LOCAL_TESTS if self._factor == 1 else FINER_LOCAL_TESTS
        return LocalEnds(pair, min(most, self._left())).sharpened(ranges)

    def reported(self, met: Met) -> tuple[list[Meeting], list[Doubt]]:
        """Ranges with a certain meeting, and those without one."""
        meetings, doubts = [], []
        for pair in self._pairs:
            for one in met.get(pair.names, ()):
                if one.surely is None:
                    why = _may_meet(pair.off)
                    doubts.append(self._doubt(pair, 0.5 * (one.low + one.high), why, one))
                    continue
                ends = (one.low, one.high, *one.surely)
                for k, *row in zip(pair.motion.parameters, *ends, strict=True):
                    low, high, first, last = map(float, row)
                    swept = self._plan.parameters[k]
                    meetings.append(
                        Meeting(
                            swept.name, low, high, pair.names, (first, last), swept.high - swept.low
                        )
                    )
        return meetings, doubts

    def leaves_open(self, coarse: "KinematicQuestion | None") -> bool:
        """Whether finer triangles may narrow the ends of meetings, or the clearance there.

        Not where those of this model did not narrow what the `coarse` ones left by half, or took
        so many tests that finer ones would take too many.
        """
        pays = coarse is None or (
            self._widest <= 0.5 * coarse._widest and self.tests < FINER_TESTS // 2
        )
        return self._is_rough or (self._widest > WANTED and pays)

    @property
    def _widest(self) -> float:
        """The largest share of a range that triangles leave open at an end of a meeting."""
        return max(
            (
                one.open_share(pair.high - pair.low)
                for pair in self._pairs
                if max(pair.margin.outside, pair.margin.inside) > 0.0
                for one in self.met.get(pair.names, ())
            ),
            default=0.0,
        )

    @property
    def _is_rough(self) -> bool:
        """Whether the clearance of two parts that do not touch is but that of their triangles."""
        near = [pair for pair in self._pairs if pair.names == self._least.between]
        return bool(self.met) and any(
            pair.off > ROUGH * self._clearance > 0.0 and self._least.clearance + pair.off > 0.0
            for pair in near
        )

    @property
    def tests(self) -> int:
        """Spent so far."""
        return sum(pair.search.tests for pair in self._pairs)

    def _left(self) -> int:
        return max(1, self._budget - self.tests)

    def _decide_all(self) -> None:
        """All pairs with little work; then the others with what is left, in pieces at last."""
        open_pairs = []
        for k, pair in enumerate(self._pairs):
            self._show(k, pair)
            if not self._decide(pair, pair.low, pair.high, min(FIRST_TESTS, self._left())):
                open_pairs.append(pair)
        for k, pair in enumerate(open_pairs):
            self._show(len(self._pairs) - len(open_pairs) + k, pair)
            share = self._left() // (len(open_pairs) - k)
            if self._decide(pair, pair.low, pair.high, share // 2):
                continue
            self._decide_pieces(pair, share // 2)

    def _show(self, done: int, pair: Pair) -> None:
        a, b = pair.names
        text = f"{done} of {len(self._pairs)} pairs, {self.tests} tests: {a}, {b}"
        self._progress.show(done, len(self._pairs), text)

    def _decide_pieces(self, pair: Pair, budget: int) -> None:
        """The range of one parameter piece by piece; neighbours that stay open are one doubt."""
        low, high = pair.low, pair.high
        count = PIECES if len(low) == 1 and high[0] > low[0] else 1
        ends = np.linspace(low, high, count + 1)
        doubtful: list[tuple[Array, Array]] = []
        for begin, end in pairwise(ends) if count > 1 else ():
            if not self._decide(pair, begin, end, budget // count):
                joins = doubtful and np.array_equal(doubtful[-1][1], begin)
                doubtful.append((doubtful.pop()[0] if joins else begin, end))
        if count == 1:
            doubtful = [(low, high)]
        why = f"not decided within {self._budget} tests; sweep less at once, or require less"
        for begin, end in doubtful:
            within = Range(begin, end, None)
            self.doubts.append(self._doubt(pair, 0.5 * (begin + end), why, within))

    def _decide(self, pair: Pair, low: Array, high: Array, budget: int) -> bool:
        """Whether the pair is decided in this range, or cannot be; False where the budget ends."""
        found, at = self._found(pair, low, high, budget)
        if found.code == CLEAR:
            if pair.nested(low):
                self._least.note(pair, Found(MEET, 0.0, 0.0, 0, 0, 0), low)
                self.met[pair.names] = [Range(pair.low, pair.high, (pair.low, pair.high))]
            else:
                self._least.minimise(pair, low, high)
        elif found.code == MEET:
            self._least.note(pair, found, at)
            tried = [at[None], spread_about(at, pair.low, pair.high)]
            tried.append(spread_evenly(pair.low, pair.high))
            met = pair.first_certain(np.concatenate(tried))
            if met is None:
                why = _not_distinguishable(pair, found.distance)
                self.doubts.append(self._doubt(pair, at, why))
            elif pair.names not in self.met:  # else found in another piece of the range
                budget = min(MEETING_TESTS, self._left() // 2)
                found_ranges = Ranges(pair, budget).found(met)
                self.met[pair.names] = self._sharpened(pair, found_ranges)
        elif found.tests >= budget:
            return False
        else:
            why = "the parts come closer to the required clearance than rounding can resolve"
            self.doubts.append(self._doubt(pair, at, why))
        return True

    def _found(self, pair: Pair, low: Array, high: Array, budget: int) -> tuple[Found, Array]:
        """By a brief search, by descent to where the pair is nearest, or by a long search."""
        search = pair.search
        decide = search.decide if len(low) == 1 else partial(decide_widely, search)
        brief = min(BRIEF_TESTS, budget)
        found, at = decide(low, high, pair.free_at, brief)
        if found.code != UNDECIDED or not brief <= found.tests < budget:
            return found, at
        lowest = Descent(search, low, high, budget // DESCENT_SHARE).lowest(pair.free_at)
        return decide(low, high, pair.free_at, budget) if lowest is None else lowest

    def _doubt(self, pair: Pair, at: Array, why: str, within: Range | None = None) -> Doubt:
        low, high = (at, at) if within is None else (within.low, within.high)
        at_, low_, high_ = (self._least.joint_values(pair.motion, x) for x in (at, low, high))
        return Doubt(pair.names, at_, why, low_, high_)


def _may_meet(off: float) -> str:
    if off > 0.0:
        return f"the parts may meet: the triangles may be off the true surfaces by {off:.3g} m"
    return "the parts may meet: neither a meeting nor freedom was shown"


def _not_distinguishable(pair: Pair, distance: float) -> str:
    apart, off = max(0.0, distance - pair.margin.radius), pair.off
    if off > 0.0:
        known = (
            f"the triangles come to {apart:.6g} m, and may be off the true surfaces by {off:.3g} m"
        )
        if pair.clearance > 0.0 and apart > off:
            return (
                f"{known}, too near to the required {pair.clearance:.6g} m to tell; a clearance of "
                f"{apart - 2.0 * off:.6g} m may be proven"
            )
        return f"{known}; use a finer tessellation"
    return (
        f"the parts come to {apart:.3g} m, nearer than the positions of the joints that follow "
        "in closed loops or couplings are known"
    )
