"""Mistakes in a problem are reported in sentences."""

import numpy as np
import pytest

import dovetail as dt


@pytest.mark.parametrize("method", [dt.lcp.solve, dt.lcp.all_solutions, dt.lcp.classify])
@pytest.mark.parametrize(
    ("A", "b", "sentence"),
    [
        (np.ones((2, 3)), [1, 2], r"`A` must be a square matrix, got shape \(2, 3\)"),
        (np.ones(3), [1, 2, 3], r"`A` must be a square matrix, got shape \(3,\)"),
        (np.eye(2), [1, 2, 3], "one number per row of `A`, got 3 numbers for 2 rows"),
        ([[1, np.nan], [0, 1]], [1, 2], "`A` must be finite .* nan in row 0, column 1"),
        (np.eye(2), [1, np.inf], "`b` must be finite numbers, got inf at 1"),
        (np.eye(2), [[1], [2]], r"`b` must be a list of real numbers, got .*\(2, 1\)"),
        ([[1, 2], [3]], [1, 2], "`A` must be a square matrix of real numbers"),
        (np.eye(2), None, "`b` must be a list of real numbers, got None"),
        (1j * np.eye(2), [1, 2], "real numbers"),
        (np.array([["a"]]), [1], "real numbers"),
        ([[1e-300]], [1e300], "choose other units"),
    ],
)
def test_a_mistake_is_one_sentence(method, A, b, sentence):
    with pytest.raises(dt.InputError, match=sentence):
        method(A, b)


def test_all_mistakes_are_reported_at_once():
    with pytest.raises(dt.InputError) as error:
        dt.lcp.solve([[np.nan]], [np.nan])
    assert len(error.value.mistakes) == 2


def test_an_unknown_method_names_the_known_ones():
    with pytest.raises(dt.InputError, match="auto, lemke, pgs, newton, got 'simplex'"):
        dt.lcp.solve([[1.0]], [1.0], method="simplex")


def test_too_many_unknowns_to_enumerate_says_what_to_use():
    with pytest.raises(dt.InputError, match=r"at most 20 rows .* use dt\.lcp\.solve"):
        dt.lcp.all_solutions(np.eye(21), np.ones(21))
