"""The worked examples of Qi, Huang, Shao 2009, to the digit."""

import numpy as np
import pytest

from dovetail.multibody.topology import (
    analyse,
    analyse_by_connectivity_matrix,
    connectivity_history,
)

FIGURE_4 = [(3, 4), (3, 1), (2, 4), (0, 4), (0, 3), (3, 5), (1, 2), (5, 1)]
FIGURE_2D = [(0, 3), (3, 1), (2, 4), (3, 4), (1, 2)]
BOTH_PATHS = pytest.mark.parametrize("path", [analyse, analyse_by_connectivity_matrix])


@BOTH_PATHS
def test_figure_4_is_cut_and_labelled_as_printed(path):
    found = path(FIGURE_4)
    assert found.cut_joints == (5, 7, 8)
    assert found.body_labels == (3, 4, 2, 1, 5)
    assert found.joint_labels == (2, 3, 4, 1, 6, 5, 7, 8)
    columns = ((0, 1), (1, 2), (2, 3), (1, 4), (2, 5), (0, 2), (3, 4), (3, 5))
    assert found.incidence == columns
    assert found.parents == (0, 1, 2, 1, 2)


@BOTH_PATHS
def test_figure_2d_is_cut_and_labelled_as_printed(path):
    found = path(FIGURE_2D)
    assert found.cut_joints == (5,)
    assert found.body_labels == (3, 4, 1, 2)
    assert found.joint_labels == (1, 3, 4, 2, 5)
    assert found.patterns == ("a", "b", "a", "c", "d")


def test_connectivity_matrix_of_figure_2d_grows_as_in_equation_3():
    history, patterns = connectivity_history(FIGURE_2D)
    first = [[1, 0, 0, 1, 0], [0] * 5, [0] * 5, [1, 0, 0, 1, 0], [0] * 5]
    second = [[1, 1, 0, 1, 0], [1, 1, 0, 1, 0], [0] * 5, [1, 1, 0, 1, 0], [0] * 5]
    third = [[1, 1, 0, 1, 0], [1, 1, 0, 1, 0], [0, 0, 1, 0, 1], [1, 1, 0, 1, 0], [0, 0, 1, 0, 1]]
    whole = np.ones((5, 5))
    for matrix, printed in zip(history, (first, second, third, whole, whole), strict=True):
        assert np.array_equal(matrix, printed)
    assert patterns == ("a", "b", "a", "c", "d")


def test_loops_of_figure_4_walk_from_one_body_of_the_cut_joint_to_the_other():
    loops = {loop.cut_joint: loop for loop in analyse(FIGURE_4).loops}
    assert (loops[5].bodies, loops[5].joints) == ((0, 4, 3), (4, 1, 5))
    assert (loops[7].bodies, loops[7].joints) == ((1, 3, 4, 2), (2, 1, 3, 7))
    assert (loops[8].bodies, loops[8].joints) == ((5, 3, 1), (6, 2, 8))


def test_reversed_joints_are_those_given_from_child_to_parent():
    # relabelled before turning: (2,1) (2,3) (4,1) (0,1) (0,2) (2,5) (3,4) (5,3)
    assert analyse(FIGURE_4).reversed_joints == (1, 3, 8)
