"""Two bodies of a question: what of them is examined, and which distance decides."""

from copy import copy
from functools import partial

import numpy as np

from dovetail.model.frozen import Model
from dovetail.model.values import Array
from dovetail.prove.motion.records import CLEAR, MEET
from dovetail.prove.pairs.nested import one_inside_the_other
from dovetail.prove.pairs.not_free import Nested
from dovetail.prove.pairs.pair_search import THROUGHOUT_TESTS, PairSearch
from dovetail.prove.surfaces.behind import Behind
from dovetail.prove.surfaces.examined import Margin

RESOLUTION = 1e-9  # of the required clearance: what keeps all but that keeps it
PATCH_TESTS = 200_000  # of one configuration, for a certain meeting of many small patches
TIMES_ROUNDING = 4.0  # or all but that many times the rounding of positions


def _never(at: Array) -> bool:
    return False


class Pair:
    """Distances [m] of what is examined: the bodies are free at `free_at`, and meet below `limit`.

    A required clearance is kept to rounding, as drawn gaps are often equal to it; and round bodies
    that touch but for rounding touch.
    """

    def __init__(
        self, model: Model, search: PairSearch, behind: tuple[Behind, Behind], clearance: float,
        low: Array, high: Array,
    ) -> None:  # fmt: skip
        self.motion, self.behind, self.clearance = search.motion, behind, clearance
        self.low, self.high = low, high
        self.names = model.names[self.motion.a], model.names[self.motion.b]
        self.nested: Nested = partial(one_inside_the_other, model, self.motion)
        self._crossing_tests = THROUGHOUT_TESTS
        self._examine(search, (behind[0].seen.margin, behind[1].seen.margin))

    def of_patches(self, search: PairSearch, margins: tuple[Margin, Margin]) -> "Pair":
        """The same pair with parts of the surfaces, which cannot tell what lies inside."""
        made = copy(self)
        made.nested, made._crossing_tests = _never, PATCH_TESTS
        made._examine(search, margins)
        return made

    def _examine(self, search: PairSearch, margins: tuple[Margin, Margin]) -> None:
        self.search, clearance = search, self.clearance
        self.radii = margins[0].radius, margins[1].radius
        self.margin = margins[0] + margins[1]
        rounding = TIMES_ROUNDING * search.rounding(self.low, self.high)
        if clearance > 0.0:
            keep = max(0.0, clearance - max(RESOLUTION * clearance, rounding))
        else:
            keep = rounding if self.margin.radius > 0.0 else 0.0
        self.limit = keep + self.margin.radius
        self.free_at = self.limit + self.margin.outside
        self._exact = self.margin.inside == 0.0 and search.follows_exactly(self.low, self.high)

    @property
    def off(self) -> float:
        """[m] of tessellation of both bodies."""
        return self.margin.outside

    def true_clearance(self, distance: float) -> float:
        """[m] that the true bodies have at least at a distance of what is examined."""
        return distance - self.margin.radius - self.margin.outside

    def certainly_meet(self, at: Array) -> bool:
        """Whether the true bodies are closer than the clearance at a configuration."""
        if self._exact:
            if self.search.at(at, self.limit).code == MEET:
                return True
        elif self.search.throughout(at, at, self.limit, self.margin.inside, self._crossing_tests):
            return True
        return self.nested(at) and self.search.at(at, self.free_at).code == CLEAR

    def first_certain(self, tried: Array) -> Array | None:
        """The first of some configurations at which they certainly meet."""
        return next((np.asarray(at) for at in tried if self.certainly_meet(at)), None)
