"""All papers on one page: each table and figure, ours beside the published value, and a verdict."""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dovetail.errors import DovetailError
from dovetail.validation.reproduce import Say, get, known_wishes

# how papers report a comparison: "agrees: what: published P, ours O (why)"
COMPARED = re.compile(
    r"(?P<verdict>agrees|differs): (?P<what>.*): published (?P<published>.*?), "
    r"ours (?P<ours>.*?)(?: \((?P<why>.*)\))?"
)
OUTPUT = "output.txt"  # what a paper said, beside its pictures
STYLE = """
body { font: 14px/1.45 system-ui, sans-serif; max-width: 1000px; margin: 24px auto; padding: 0 16px;
color: #222; }
table { border-collapse: collapse; } td, th { border-bottom: 1px solid #dde; padding: 3px 10px;
text-align: left; vertical-align: top; } img { max-width: 100%; } .differs { color: #a00; }
figure { margin: 24px 0; } figcaption { color: #556; }
pre { white-space: pre-wrap; }
"""


@dataclass
class Reproduced:
    """What one paper gave."""

    name: str
    title: str
    figures: dict[str, str]
    said: list[str] = field(default_factory=list)
    pictures: list[Path] = field(default_factory=list)
    failure: str = ""

    @property
    def compared(self) -> list[dict[str, str]]:
        """Verdict, what, published, ours, why of every comparison."""
        found = (COMPARED.fullmatch(line) for line in self.said)
        return [{k: v or "" for k, v in m.groupdict().items()} for m in found if m]

    def caption(self, picture: Path) -> str:
        """Which figure a picture shows: 'fig4: a bolt ...' for ferguson2021_fig4.png."""
        figure = picture.stem.rsplit("_", 1)[-1]
        return f"{figure}: {self.figures[figure]}" if figure in self.figures else picture.stem

    @property
    def verdict(self) -> str:
        if self.failure:
            return f"failed: {self.failure}"
        rows = self.compared
        if not rows:
            return "see below"
        agree = sum(row["verdict"] == "agrees" for row in rows)
        return f"{agree} of {len(rows)} values agree"


def reproduce_all(
    folder: Path, names: list[str], say: Say, keep: bool = False, **wishes: object
) -> list[Reproduced]:
    """Reproduce each paper into its own folder; one that fails does not stop the others.

    With `keep`, a paper that was made there before is taken as it is. `wishes` go to the papers
    that know them.
    """
    return [
        (read(folder / name, name) if keep else None)
        or _reproduced(folder / name, name, say, wishes)
        for name in names
    ]


def read(folder: Path, name: str) -> Reproduced | None:
    """What was reproduced into `folder` before; None where that is not so."""
    output = folder / OUTPUT
    if not output.is_file():
        return None
    paper = get(name)
    said = output.read_text(encoding="utf-8").splitlines()
    return Reproduced(name, paper.TITLE, dict(paper.FIGURES), said, pictures_in(folder))


def pictures_in(folder: Path) -> list[Path]:
    """In the order of their numbers: fig4 comes before fig10."""
    found = (path for path in folder.rglob("*") if path.suffix in (".png", ".svg"))
    return sorted(found, key=lambda path: ([int(n) for n in re.findall(r"\d+", path.stem)], path))


def _reproduced(folder: Path, name: str, say: Say, wishes: Mapping[str, object]) -> Reproduced:
    paper = get(name)
    known = known_wishes(paper)
    found = Reproduced(name, paper.TITLE, dict(paper.FIGURES))

    def report(line: str) -> None:
        say(line)
        if not line.startswith("wrote "):
            found.said.append(line)

    say(f"{name}: {paper.TITLE}")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / OUTPUT).unlink(missing_ok=True)
    try:
        paper.reproduce(folder, report, **{k: v for k, v in wishes.items() if v and k in known})
        (folder / OUTPUT).write_text("\n".join([*found.said, ""]), encoding="utf-8")
    except DovetailError as error:
        found.failure = str(error)
        say(f"{name} failed: {error}")
    found.pictures = pictures_in(folder)
    return found


def write_page(papers: list[Reproduced], folder: Path) -> Path:
    """Write folder/index.html with everything, pictures beside it."""
    parts = ["<h1>The papers, reproduced</h1>", _overview(papers)]
    for paper in papers:
        parts.append(f'<h2 id="{paper.name}">{html.escape(paper.title)}</h2>')
        parts.append(f"<p><b>{html.escape(paper.verdict)}</b></p>")
        parts.append(_comparisons(paper))
        rest = [line for line in paper.said if not COMPARED.fullmatch(line)]
        parts.append(_listed(rest))
        for picture in paper.pictures:
            where = picture.relative_to(folder).as_posix()
            shown = html.escape(paper.caption(picture))
            parts.append(
                f'<figure><img src="{html.escape(where)}" alt="{shown}">'
                f"<figcaption>{shown}</figcaption></figure>"
            )
    head = f'<meta charset="utf-8"><title>Papers reproduced</title><style>{STYLE}</style>'
    page = folder / "index.html"
    body = "\n".join(parts)
    page.write_text(
        f'<!doctype html>\n<html lang="en"><head>{head}</head><body>\n{body}\n</body></html>\n',
        encoding="utf-8",
    )
    return page


def _overview(papers: list[Reproduced]) -> str:
    rows = "".join(
        f'<tr><td><a href="#{paper.name}">{paper.name}</a></td>'
        f"<td>{html.escape('; '.join(f'{k}: {v}' for k, v in paper.figures.items()))}</td>"
        f"<td>{html.escape(paper.verdict)}</td></tr>"
        for paper in papers
    )
    return f"<table><tr><th>paper</th><th>what is made</th><th>verdict</th></tr>{rows}</table>"


def _comparisons(paper: Reproduced) -> str:
    if not paper.compared:
        return ""
    order = ("what", "published", "ours", "verdict", "why")
    rows = "".join(
        f'<tr class="{row["verdict"]}">'
        f"{''.join(f'<td>{html.escape(row[key])}</td>' for key in order)}</tr>"
        for row in paper.compared
    )
    head = "".join(f"<th>{key}</th>" for key in order)
    return f"<table><tr>{head}</tr>{rows}</table>"


def _listed(lines: list[str]) -> str:
    """Lines as they were said; rows of Markdown tables become tables."""
    parts: list[str] = []
    table: list[list[str]] = []

    def finish() -> None:
        if table:
            rows = [
                "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells)
                for tag, cells in zip(["th"] + ["td"] * len(table), table)
            ]
            parts.append(f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>")
            table.clear()

    for line in lines:
        if line.startswith("|"):
            if not set(line) <= set("|-: "):
                table.append([cell.strip() for cell in line.strip("| ").split("|")])
        else:
            finish()
            if line:
                parts.append(f"<p>{html.escape(line)}</p>")
    finish()
    return "\n".join(parts)
