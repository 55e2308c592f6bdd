"""Ferguson et al. 2021: what its figures show, by the examples that stand for them."""

import pytest

from dovetail import examples
from dovetail.reproduce.ferguson2021.figures import FIGURES, FROM_EXAMPLES, SHOWN, compared
from dovetail.reproduce.ferguson2021.slope import compared_slopes
from dovetail.simulate import simulate

pytestmark = pytest.mark.slow  # IPC's kernels


def test_every_figure_has_an_example_that_exists() -> None:
    assert set(FIGURES) == {*FROM_EXAMPLES, "fig18"}
    assert set(SHOWN) <= set(FROM_EXAMPLES)
    assert set(FROM_EXAMPLES.values()) <= set(examples.names())


def test_the_slope_holds_at_one_half_and_not_below() -> None:
    rows, ways = compared_slopes()
    assert [row.agrees for row in rows] == [True, True]
    assert ways[0.49][1][-1] > 0.1  # [m]


@pytest.mark.parametrize("figure", ["fig4", "fig14"])
def test_a_figure_is_told_with_the_judges_verdict(figure: str) -> None:
    name = FROM_EXAMPLES[figure]
    example = examples.get(name)
    rows = compared(figure, name, simulate(example.build(), **example.RUN, progress=False))
    assert rows[0].what == f"{figure}, intersections"
    assert all(row.agrees for row in rows), [row.line for row in rows]
