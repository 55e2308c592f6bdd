"""Zhang, You and Liu 2024: what the figures show, at sizes a test can afford."""

import pytest

from dovetail.reproduce import zhang2024
from dovetail.reproduce.zhang2024 import figure_8


def test_the_error_of_the_sliders_falls_with_the_step_and_momentum_stays_at_round_off():
    rows = [figure_8.measured(step) for step in (1e-3, 1e-4)]
    assert figure_8.orders(rows)[0] > 1.5
    assert rows[-1].speeds[0] < 1e-3 and rows[-1].speeds[1] < 1e-3
    assert max(row.momentum for row in rows) < 1e-13


def test_an_unknown_figure_is_refused_with_the_known_ones(tmp_path):
    with pytest.raises(Exception, match=r"no 'fig99' in zhang2024 \(there are: .*fig8"):
        zhang2024.reproduce(tmp_path, print, ["fig99"])
