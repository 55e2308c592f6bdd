"""A result in a notebook, and the tutorial notebook run from top to bottom."""

import html
import re
from pathlib import Path

import pytest

import dovetail as dt
from dovetail.view.notebook import MAX_FRAMES

NOTEBOOK = Path(__file__).parents[2] / "docs" / "tutorial" / "notebook.ipynb"


def test_a_result_shows_the_player_and_a_table(flight: dt.Result) -> None:
    shown = flight._repr_html_()
    page = html.unescape(re.search(r'srcdoc="([^"]*)"', shown)[1])  # type: ignore[index]
    assert page.startswith("<!doctype html>") and 'id="recording/0"' in page
    assert "<td>box</td><td>dynamic</td>" in shown
    assert f"{flight.position('box')[-1, 2]:.4g}" in shown


def test_a_long_result_is_thinned_and_says_so() -> None:
    scene = dt.Scene()
    scene.add_body("ball", dt.Sphere(1), velocity=(1, 0, 0))
    result = dt.simulate(scene, duration=1.0, step=1e-3)
    shown = result._repr_html_()
    assert 1001 / 4 <= MAX_FRAMES < 1001 / 3
    assert "one frame of 4 is shown" in shown


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the notebook's own machinery
def test_the_tutorial_notebook_runs_from_top_to_bottom(tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "commit it without outputs"
    nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    ).execute()
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", [])]
    rich = [out["data"] for out in outputs if "data" in out]
    assert any("<iframe" in data.get("text/html", "") for data in rich)
    texts = " ".join(out.get("text", "") for out in outputs)
    assert "angular momentum kept to" in texts and "it turned over" in texts
