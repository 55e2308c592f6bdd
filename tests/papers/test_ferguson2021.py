"""Ferguson et al. 2021: what its figures show, by the examples that reproduce them."""

from pathlib import Path

import pytest

from dovetail import examples
from dovetail.errors import InputError
from dovetail.simulate import simulate
from dovetail.validation.reproduce.ferguson2021 import _by_authors, reproduce
from dovetail.validation.reproduce.ferguson2021.authors_figures import SHOWN as AUTHORS
from dovetail.validation.reproduce.ferguson2021.authors_scenes import AuthorsScenes
from dovetail.validation.reproduce.ferguson2021.authors_series import LINKS
from dovetail.validation.reproduce.ferguson2021.figures import (
    FIGURES,
    FROM_EXAMPLES,
    SHOWN,
    compared,
)
from dovetail.validation.reproduce.ferguson2021.slope import compared_slopes

pytestmark = pytest.mark.slow  # IPC's kernels


def test_every_figure_has_an_example_or_a_scene_of_the_authors() -> None:
    assert {*FROM_EXAMPLES, "fig18"} <= set(FIGURES) == {*FROM_EXAMPLES, *_by_authors()}
    assert set(SHOWN) <= set(FROM_EXAMPLES)
    assert set(FROM_EXAMPLES.values()) <= set(examples.names())


def test_the_authors_scenes_exist_under_the_names_we_use(shared_data: Path) -> None:
    scenes = AuthorsScenes(shared_data / "rigid-ipc")
    known = scenes.names("")
    assert {shown.scene for shown in AUTHORS.values()} <= set(known)
    assert {f"scalability/{name}" for name in LINKS} <= set(known)
    assert len(scenes.names("unit-tests/")) == 31


def test_a_folder_without_scenes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must have `fixtures` and `meshes`"):
        reproduce(tmp_path / "out", print, ("fig12",), tmp_path)


def test_it_is_said_whose_scenes_were_run(shared_data: Path, tmp_path: Path) -> None:
    said: list[str] = []
    reproduce(tmp_path, said.append, ("fig12",), shared_data / "rigid-ipc")
    assert said[0].startswith("The authors' scenes are run")
    assert [line for line in said if line.startswith("agrees: fig12, the Lewis lifts")]
    assert not [line for line in said if line.startswith("differs")]
    assert (tmp_path / "ferguson2021_fig12.png").exists()
    said.clear()
    reproduce(tmp_path, said.append, ("fig12",))
    assert said[0].startswith("The authors' scenes are not given")
    assert said[-1].startswith("fig12 is left out")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_authors_block_slides_below_one_half(shared_data: Path, tmp_path: Path) -> None:
    """At one half it stays."""
    said: list[str] = []
    reproduce(tmp_path, said.append, ("fig18",), shared_data / "rigid-ipc")
    assert len([line for line in said if line.startswith("agrees: fig18")]) == 3, said


def test_the_slope_holds_at_one_half_and_not_below() -> None:
    rows, displacements = compared_slopes()
    assert [row.agrees for row in rows] == [True, True]
    assert displacements[0.49][1][-1] > 0.1  # [m]


@pytest.mark.parametrize("figure", ["fig4", "fig14"])
def test_a_figure_is_reported_with_the_verdict_of_the_verifier(figure: str) -> None:
    name = FROM_EXAMPLES[figure]
    example = examples.get(name)
    rows = compared(figure, name, simulate(example.build(), **example.RUN, progress=False))
    assert rows[0].what == f"{figure}, intersections"
    assert all(row.agrees for row in rows), [row.line for row in rows]
