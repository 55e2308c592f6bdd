"""`dovetail reproduce`: every paper in its folder is listed and can be made."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dovetail.validation import reproduce


def test_the_list_names_every_paper_and_what_is_made_of_it(dovetail: Callable) -> None:
    said = dovetail("reproduce", "--list")
    assert said.code == 0
    for name in reproduce.names():
        paper = reproduce.get(name)
        assert f"{name}: {paper.TITLE}" in said.out
        for figure, what in paper.FIGURES.items():
            assert f"  {figure}: {what}" in said.out


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_paper_is_reported_value_by_value_with_its_figures(
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


def test_a_folder_without_the_authors_scenes_is_refused_before_anything_is_run(
    dovetail: Callable, tmp_path: Path
) -> None:
    (tmp_path / "fixtures").mkdir()
    out = tmp_path / "out"
    said = dovetail("reproduce", "--all", "--scenes", str(tmp_path), "--out", str(out))
    assert said.code == 2
    assert "must have `fixtures` and `meshes` in it" in said.err and str(tmp_path) in said.err
    assert not out.exists()


def test_options_that_contradict_each_other_or_the_disk_are_refused(dovetail: Callable) -> None:
    said = dovetail("reproduce", "--all", "xu")
    assert said.code == 2 and "leave out 'xu', or --all" in said.err
    said = dovetail("reproduce", "xu", "--out", __file__)
    assert said.code == 2 and "is a file" in said.err
    said = dovetail("reproduce", "xu", "--keep")
    assert said.code == 2 and "--keep goes with --all" in said.err


def test_what_a_paper_does_not_take_is_refused(dovetail: Callable, tmp_path: Path) -> None:
    for part in ("fixtures", "meshes"):
        (tmp_path / part).mkdir()
    said = dovetail("reproduce", "xu", "fig1", "--scenes", str(tmp_path))
    assert said.code == 2
    assert "xu takes no single figures and no --scenes" in said.err
