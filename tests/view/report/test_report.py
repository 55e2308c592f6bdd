"""The report says what the result says."""

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import dovetail as dt
from dovetail.view.report import write_report, writing
from dovetail.view.report.sections import duration_text, sections_of

# the others by docs/make_reports.py; with kernels compiled, a report takes two to four seconds
QUICK = (
    "arch", "card-house", "double-pendulum", "four-bar", "painleve-rod", "satellite", "stewart",
    "turntable",
)  # fmt: skip


class Texts(HTMLParser):
    """Cells, headings and pictures of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.headings: list[str] = []
        self.pictures: list[str] = []
        self._tag = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._tag = tag
        if tag == "img":
            self.pictures.append(dict(attrs)["alt"] or "")

    def handle_data(self, data: str) -> None:
        if self._tag in ("td", "th") and data.strip():
            self.cells.append(data)
        if self._tag == "h2" and data.strip():
            self.headings.append(data)


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_an_example_has_a_report_with_its_numbers(name: str, tmp_path: Path) -> None:
    example = dt.examples.get(name)
    short = {**example.RUN, "duration": min(example.RUN["duration"], 60 * example.RUN["step"])}
    result = dt.simulate(example.build(), **short)
    write_report(result, tmp_path / "report.html", with_certificate=len(result.names) < 50)
    page = Texts((tmp_path / "report.html").read_text())
    assert {"Run", "Scene", "Energy and momentum", "Certificate", "Timing"} <= set(page.headings)
    assert set(list(result.names)[:40]) <= set(page.cells)
    assert {"motion", "energy", "momentum"} <= set(page.pictures)


def test_a_report_has_the_change_of_energy_and_the_verdict(
    flight: dt.Result, tmp_path: Path
) -> None:
    write_report(flight, tmp_path / "flight.html", title="<flight>")
    text = (tmp_path / "flight.html").read_text()
    assert "<h1>&lt;flight&gt;</h1>" in text
    cells = Texts(text).cells
    total = flight.energy["total"]
    reported = float(cells[cells.index("largest change of total energy") + 1].split()[0])
    assert reported == pytest.approx(np.max(np.abs(total - total[0])), rel=1e-3)
    assert cells[cells.index("verdict") + 1].startswith("no two bodies intersect")
    assert not re.search(r'(src|href)="(?!data:)', text)  # nothing is fetched


def test_times_are_written_in_a_unit_that_fits() -> None:
    assert duration_text(107.3) == "107 s"
    assert duration_text(4.35e-4) == "0.435 ms"


def test_bodies_that_pass_through_each_other_are_reported_in_the_report() -> None:
    scene = dt.Scene()
    scene.add_body("still", dt.Box((1, 1, 1)))
    scene.add_body("passing", dt.Box((1, 1, 1)), position=(-2, 0.1, 0.2), velocity=(4, 0, 0))
    result = dt.simulate(scene, duration=1.0, step=0.1)
    certificate = next(s for s in sections_of(result) if s.title == "Certificate")
    assert certificate.rows[0] == ["verdict", "BODIES INTERSECT"]
    assert any("'still' and 'passing'" in row[1] for row in certificate.rows)


def test_derived_contact_values_come_with_their_unit() -> None:
    scene = dt.Scene()
    scene.add_body("a", dt.Sphere(0.1), density=1000)
    scene.add_body("b", dt.Sphere(0.1), density=1000, position=(1, 0, 0))
    result = dt.simulate(scene, duration=0.01, step=0.001, contact=dt.contact.SDF())
    derived = next(s for s in sections_of(result) if s.title == "Derived parameters")
    assert any(re.search(r"stiffness of a-b = \S+ N/m", row[0]) for row in derived.rows)


@pytest.mark.parametrize("with_chromium", [False, True])
def test_a_pdf_is_made_with_and_without_chromium(
    with_chromium: bool, flight: dt.Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not with_chromium:
        monkeypatch.setattr(writing.shutil, "which", lambda name: None)
    elif writing.shutil.which("chromium") is None:
        pytest.skip("no Chromium on this machine")
    how = write_report(flight, tmp_path / "flight.pdf")
    assert how == ("printed by Chromium" if with_chromium else "drawn by Matplotlib")
    content = (tmp_path / "flight.pdf").read_bytes()
    assert content.startswith(b"%PDF") and b"%%EOF" in content[-20:]
    assert len(content) > 20_000  # pictures are in it


def test_a_report_of_another_ending_is_refused(flight: dt.Result, tmp_path: Path) -> None:
    with pytest.raises(dt.InputError, match=r"\.html or \.pdf"):
        write_report(flight, tmp_path / "flight.doc")
