"""Xu, Dai, Xie, Li: table 1 row by row, figs. 3 and 4, published beside ours."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.validation.reproduce.xu import NAME, TITLE, run
from dovetail.validation.reproduce.xu.table_1 import PUBLISHED
from rounding import rounding

ROWS = [  # condition, A, B, name, contact force, stability
    ("A > 0, B >= 0", 0.7, 3.0, "no contact", [0.0], "stable"),
    ("A > 0, B >= 0", 0.7, 0.0, "no contact", [0.0], "stable"),
    ("A > 0, B < 0", 0.7, -3.0, "contact", [3.0 / 0.7], "stable"),
    ("A = 0, B > 0", 0.0, 3.0, "no contact", [0.0], "stable"),
    ("A = 0, B = 0", 0.0, 0.0, "infinitely many", [], "-"),
    ("A = 0, B < 0", 0.0, -3.0, "none", [], "-"),
    (
        "A < 0, B > 0", -0.7, 3.0, "two solutions", [0.0, 3.0 / 0.7],
        "no contact stable, contact unstable",
    ),
    ("A < 0, B = 0", -0.7, 0.0, "no contact", [0.0], "stable"),
    ("A < 0, B < 0", -0.7, -3.0, "none", [], "-"),
]  # fmt: skip


@pytest.mark.parametrize(("condition", "A", "B", "name", "forces", "stability"), ROWS)
def test_every_row_of_table_1_comes_out_by_name(condition, A, B, name, forces, stability):
    case = dt.stability.contact_case(A, B)
    assert (case.condition, case.name, case.stability) == (condition, name, stability)
    assert [s.normal_force for s in case.solutions] == pytest.approx(forces, rel=rounding(4))
    assert PUBLISHED[condition] == (name, stability)


def test_table_1_is_whole():
    assert [row[0] for row in ROWS if row[1:3] != (0.7, 0.0)] == list(PUBLISHED)


def test_the_rod_under_its_weight_has_no_solution_inside_the_region_and_contact_outside():
    theta = np.arctan(2.0)
    for mu, name in ((1.3, "contact"), (1.4, "none")):
        A = float(dt.stability.rod(theta, mu).A)
        assert dt.stability.contact_case(A, -9.81).name == name


def test_everything_published_is_reproduced(tmp_path):
    rows = run(tmp_path)
    assert NAME == "xu" and TITLE
    assert len(rows) == 16
    failed = [row for row in rows if not row[3]]
    assert not failed
    assert {path.name for path in tmp_path.iterdir()} == {"xu_fig3.png", "xu_fig4.png"}
