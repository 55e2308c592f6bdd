"""Every solution of a small problem: all complementary bases, and the continua of singular ones.

The solutions are the union over sets S of the polyhedra
    P_S = { x_S >= 0, x = 0 off S, y_S = 0, y >= 0 off S },
a point at most where A_SS is regular. A solution with support S is looked for in P_S only.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.linalg.lcp.bases import complementary_bases
from dovetail.linalg.lcp.continuum import Family, inside_singular_set
from dovetail.linalg.lcp.problem import TOLERANCE, Problem, read_problem
from dovetail.linalg.lcp.solution import Solution, answer, on_support
from dovetail.runtime.options import named_options
from dovetail.runtime.parallel import over_ranges
from dovetail.runtime.read_only import read_only

Array = NDArray[np.float64]
LARGEST = 20
MAX_SETS = 4096  # solved or singular sets that are looked at per range of sets
RANGE = 1 << 14
NAME = "enumeration"


@dataclass(frozen=True)
class AllSolutions(Sequence[Solution]):
    """All solutions: the isolated ones, then one point of every infinite family.

    Attributes:
        isolated: the solutions that are single points.
        families: the infinite ones, each with its support, a point and the directions it spans.
        complete: False where so many bases are singular that not all were looked at.
        has_minor_not_positive, has_zero_minor: about the principal minors of A.
    """

    isolated: tuple[Solution, ...]
    families: tuple[Family, ...]
    complete: bool
    has_minor_not_positive: bool
    has_zero_minor: bool

    @property
    def kind(self) -> str:
        """How many: "none", "unique", "many" (finitely) or "infinite"."""
        if self.families:
            return "infinite"
        return ("none", "unique")[len(self.isolated)] if len(self.isolated) < 2 else "many"

    @property
    def points(self) -> Array:
        """The isolated solutions as rows x (count, n)."""
        return np.array([solution.x for solution in self.isolated])

    def __len__(self) -> int:
        return len(self.isolated) + len(self.families)

    @overload
    def __getitem__(self, index: int) -> Solution: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Solution]: ...
    def __getitem__(self, index: int | slice) -> Solution | Sequence[Solution]:
        return (*self.isolated, *(family.solution for family in self.families))[index]

    def __iter__(self) -> Iterator[Solution]:
        yield from self.isolated
        yield from (family.solution for family in self.families)


@named_options
def all_solutions(A: Any, b: Any) -> AllSolutions:
    """All x >= 0 with y = A x + b >= 0, x.y = 0, for at most 20 unknowns (2^n bases)."""
    problem = read_problem(A, b)
    if problem.size > LARGEST:
        raise InputError(
            f"`A` must have at most {LARGEST} rows to enumerate all 2^n bases, got "
            f"{problem.size}; use dt.lcp.solve for one solution"
        )
    return enumerate_solutions(problem)


def enumerate_solutions(problem: Problem) -> AllSolutions:
    """All solutions of a problem already read and known to be small."""
    solved, singular, complete, not_p, degenerate = _candidate_sets(problem)
    points: list[Array] = []
    families: list[Family] = []
    for subset in solved:
        _add_new(points, on_support(problem, _members(subset)))
    for subset in singular:
        found = inside_singular_set(problem, _members(subset))
        if isinstance(found, Family):
            families.append(found)
        elif found is not None:
            _add_new(points, found)
    isolated = []
    for x in points:
        solution = answer(problem, x, NAME, 1 << problem.size, "a basis lost to rounding")
        if solution.solved:
            isolated.append(solution)
    return AllSolutions(tuple(isolated), tuple(families), complete, not_p, degenerate)


def _candidate_sets(problem: Problem) -> tuple[list[int], list[int], bool, bool, bool]:
    A, b = read_only(problem.dense_A), read_only(problem.scaled_b)

    def look(first: int, last: int) -> tuple[list[int], list[int], bool, bool, bool]:
        solved = np.empty(min(MAX_SETS, last - first), np.int64)
        singular = np.empty_like(solved)
        n_solved, n_singular, not_p, degenerate = complementary_bases(
            A, b, first, last, solved, singular
        )
        complete = n_solved <= len(solved) and n_singular <= len(singular)
        return (
            solved[:n_solved].tolist(), singular[:n_singular].tolist(), complete, not_p, degenerate
        )  # fmt: skip

    parts = over_ranges(look, 1 << problem.size, RANGE)
    singular = [subset for part in parts for subset in part[1]]
    return (
        [subset for part in parts for subset in part[0]],
        singular[:MAX_SETS],
        all(part[2] for part in parts) and len(singular) <= MAX_SETS,
        any(part[3] for part in parts),
        any(part[4] for part in parts),
    )


def _members(subset: int) -> list[int]:
    return [i for i in range(subset.bit_length()) if subset >> i & 1]


def _add_new(points: list[Array], x: Array) -> None:
    """Add x unless it is there already, found from another basis."""
    near = 10 * TOLERANCE * max(1.0, float(np.max(np.abs(x), initial=0.0)))
    if not any(np.max(np.abs(x - other), initial=0.0) <= near for other in points):
        points.append(x)
