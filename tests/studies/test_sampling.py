"""Samples cover what they promise and depend on the seed alone."""

import numpy as np
import pytest
from scipy.stats import kstest, loguniform, norm, uniform

import dovetail as dt
from dovetail.studies import Grid, Latin, LogUniform, Normal, Random, Uniform, Values, Varied

VARY = {"a": Varied(Uniform(-1, 3)), "b": Varied(Normal(5, 2)), "c": Varied(LogUniform(0.1, 10))}


def column(rows, name):
    return np.array([row[name] for row in rows])


def test_a_grid_has_every_combination_once():
    vary = {"a": Varied(Values([1, 2, 3])), "b": Varied(Values(["x", "y"]))}
    rows = Grid().rows(vary)
    assert rows[:3] == [{"a": 1, "b": "x"}, {"a": 1, "b": "y"}, {"a": 2, "b": "x"}]
    assert len({tuple(row.values()) for row in rows}) == 6


def test_a_grid_of_a_continuous_value_is_refused():
    with pytest.raises(dt.InputError, match="must be a list of values for a grid"):
        Grid().rows(VARY)


@pytest.mark.parametrize("sampling", [Random, Latin])
def test_draws_follow_their_distributions(sampling):
    rows = sampling(2000, 3).rows(VARY)
    laws = {"a": uniform(-1, 4), "b": norm(5, 2), "c": loguniform(0.1, 10)}
    for name, law in laws.items():
        assert kstest(column(rows, name), law.cdf).pvalue > 1e-3


def test_a_latin_hypercube_draws_once_from_every_part_of_every_range():
    rows = Latin(50, 1).rows(VARY)
    parts = np.sort(np.floor((column(rows, "a") + 1) / 4 * 50))
    np.testing.assert_array_equal(parts, np.arange(50))
    assert abs(np.corrcoef(column(rows, "a"), column(rows, "b"))[0, 1]) < 0.5


@pytest.mark.parametrize("sampling", [Random, Latin])
def test_the_seed_decides(sampling):
    assert sampling(20, 1).rows(VARY) == sampling(20, 1).rows(VARY)
    assert sampling(20, 1).rows(VARY) != sampling(20, 2).rows(VARY)


def test_more_random_draws_begin_with_the_fewer():
    assert Random(30, 1).rows(VARY)[:10] == Random(10, 1).rows(VARY)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Random(0), lambda: Random(10**9), lambda: Latin(5, -1), lambda: Uniform(2, 1),
        lambda: LogUniform(0, 1), lambda: Normal(0, 0), lambda: Values([]),
        lambda: Uniform(float("nan"), 1), lambda: Varied(Uniform(0, 1), change="replace"),
    ],
)  # fmt: skip
def test_what_cannot_be_sampled_is_refused(make):
    with pytest.raises(dt.InputError):
        make()
