"""All papers on one page: what agrees, what differs, what failed."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from dovetail.errors import RunError
from dovetail.validation.reproduce import page


def paper(lines: list[str], failure: str = "") -> SimpleNamespace:
    def reproduce(folder: Path, say) -> None:  # type: ignore[no-untyped-def]
        for line in lines:
            say(line)
        (folder / "figure.png").write_bytes(b"")
        if failure:
            raise RunError(failure)

    return SimpleNamespace(TITLE="A & B: contact", FIGURES={"fig1": "a curve"}, reproduce=reproduce)


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[list[page.Reproduced], str]:
    papers = {
        "one": paper(
            [
                "agrees: tip (of fig. 3): published 4/3, ours 1.3333 (found numerically)",
                "differs: speed: published 3 m/s, ours 2 m/s",
                "| scheme | error |",
                "|---|---|",
                "| DH | 1e-9 |",
                "wrote figure.png",
            ]
        ),
        "two": paper(["a line"], failure="at t = 1 s: it broke"),
    }
    monkeypatch.setattr(page, "get", papers.get)
    found = page.reproduce_all(tmp_path, list(papers), lambda line: None)
    return found, page.write_page(found, tmp_path).read_text()


def test_every_value_is_beside_the_published_one_with_its_verdict(written) -> None:  # type: ignore[no-untyped-def]
    papers, text = written
    first = papers[0].compared[0]
    assert (first["published"], first["ours"]) == ("4/3", "1.3333")
    assert (first["what"], first["why"]) == ("tip (of fig. 3)", "found numerically")
    assert papers[0].verdict == "1 of 2 values agree"
    assert '<tr class="differs"><td>speed</td><td>3 m/s</td><td>2 m/s</td>' in text
    assert "<tr><th>scheme</th><th>error</th></tr><tr><td>DH</td><td>1e-9</td></tr>" in text
    assert '<img src="one/figure.png"' in text and "A &amp; B" in text


def test_a_paper_that_fails_is_reported_and_does_not_stop_the_others(written) -> None:  # type: ignore[no-untyped-def]
    papers, text = written
    assert papers[1].verdict == "failed: at t = 1 s: it broke"
    assert "a line" in text and "it broke" in text


def test_a_paper_made_before_is_kept_and_a_failed_one_made_again(written, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    said: list[str] = []
    again = page.reproduce_all(tmp_path, ["one", "two"], said.append, keep=True)
    assert again[0].compared == written[0][0].compared
    assert again[0].pictures == [tmp_path / "one" / "figure.png"]
    assert not any(line.startswith("one:") for line in said)
    assert again[1].failure and any(line.startswith("two:") for line in said)


def test_figures_are_in_the_order_of_their_numbers_and_say_what_they_show(tmp_path: Path) -> None:
    for name in ("one_fig10.png", "one_fig4.png", "one_map.png"):
        (tmp_path / name).write_bytes(b"")
    found = page.Reproduced("one", "A", {"fig4": "a bolt", "fig10": "cards"})
    found.pictures = page.pictures_in(tmp_path)
    text = page.write_page([found], tmp_path).read_text()
    assert [found.caption(path) for path in found.pictures if "fig" in path.stem] == [
        "fig4: a bolt",
        "fig10: cards",
    ]
    assert text.index("<figcaption>fig4: a bolt<") < text.index("<figcaption>fig10: cards<")
    assert "<figcaption>one_map<" in text  # no figure of the paper: its own name


def test_a_wish_reaches_only_the_papers_that_know_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[object] = []

    def reproduce(folder: Path, say, mesh: Path | None = None) -> None:  # type: ignore[no-untyped-def]
        given.append(mesh)

    knows = SimpleNamespace(TITLE="C: fields", FIGURES={}, reproduce=reproduce)
    monkeypatch.setattr(page, "get", {"one": paper([]), "knows": knows}.get)
    mesh = tmp_path / "horse.ply"
    found = page.reproduce_all(tmp_path, ["one", "knows"], print, mesh=mesh, scenes=None)
    assert given == [mesh] and not any(one.failure for one in found)


def test_the_sentences_of_a_real_paper_are_understood(tmp_path: Path) -> None:
    found = page.reproduce_all(tmp_path, ["xu"], lambda line: None)[0]
    assert len(found.compared) == len(found.said)
    assert found.pictures and not found.failure
