"""`dovetail reproduce`: every paper in its folder is listed and can be made."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dovetail import reproduce


def test_the_list_names_every_paper_and_what_is_made_of_it(dovetail: Callable) -> None:
    said = dovetail("reproduce", "--list")
    assert said.code == 0
    for name in reproduce.names():
        paper = reproduce.get(name)
        assert f"{name}: {paper.TITLE}" in said.out
        for figure, what in paper.FIGURES.items():
            assert f"  {figure}: {what}" in said.out


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_paper_is_told_value_by_value_with_its_figures(
    dovetail: Callable, tmp_path: Path
) -> None:
    said = dovetail("reproduce", "xu", "--out", str(tmp_path / "xu"))
    assert said.code == 0
    assert "differs" not in said.out
    assert said.out.count("agrees: ") >= 9  # a line for each row of table 1 at least
    assert list((tmp_path / "xu").glob("*.png"))


def test_an_unknown_paper_is_refused_with_the_known_ones(dovetail: Callable) -> None:
    said = dovetail("reproduce", "newton1687")
    assert said.code == 2
    assert all(name in said.err for name in reproduce.names())


def test_what_a_paper_does_not_take_is_refused(dovetail: Callable, tmp_path: Path) -> None:
    said = dovetail("reproduce", "xu", "fig1", "--scenes", str(tmp_path))
    assert said.code == 2
    assert "xu takes no single figures and no --scenes" in said.err
