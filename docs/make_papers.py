"""Put what `dovetail reproduce --all` made into the documentation.

`python docs/make_papers.py [FOLDER [NAME ...]]` takes FOLDER (default: reproduced), makes what is
missing there and writes docs/made/papers.md, docs/made/paper-NAME.md and docs/images/paper-*.png;
with names, those papers' only, in docs/made/papers.md too.
"""

import sys
from pathlib import Path

from dovetail.validation import reproduce
from dovetail.validation.reproduce.page import COMPARED, Reproduced, reproduce_all, write_page

DOCS = Path(__file__).parent
MADE, IMAGES = DOCS / "made", DOCS / "images"
WIDEST = 900  # [pixels] of a picture
COLOURS = 192  # of a picture; with 48 the thin lines of a legend lose theirs


def overview(papers: list[Reproduced]) -> str:
    """One row a paper."""
    rows = [
        f"| [{paper.title}](papers/{paper.name}.md) | `dovetail reproduce {paper.name}` | "
        f"{'; '.join(paper.figures)} | {paper.verdict} |"
        for paper in papers
    ]
    head = "| paper | command | what is made | verdict |\n|---|---|---|---|"
    return "\n".join([head, *rows, ""])


def section(paper: Reproduced) -> str:
    """All that one paper gave: values with verdicts, what else was told, pictures."""
    lines = [f"**{paper.verdict}**", ""]
    if paper.compared:
        lines += ["| value | published | ours | verdict | how or why |", "|---|---|---|---|---|"]
        order = ("what", "published", "ours", "verdict", "why")
        lines += [
            "| " + " | ".join(_cell(row[key]) for key in order) + " |" for row in paper.compared
        ]
        lines = [line.replace("| differs |", "| **differs** |") for line in lines]
        lines.append("")
    in_table = False
    begun = ""  # what was being made, told where a table follows
    for line in paper.said:
        if line.endswith("..."):
            begun = line.removesuffix("...").strip()
            continue
        if COMPARED.fullmatch(line):
            continue
        if line.startswith("|") and begun:
            lines.append(f"{_text(begun)}\n")
        begun = ""
        if line.startswith("|") != in_table:
            lines.append("")
            in_table = not in_table
        lines.append(line if in_table else f"{_text(line)}\n")
    for picture in paper.pictures:
        shown = _text(paper.caption(picture))
        lines += ["", f"![{shown}](../images/{_kept_name(picture)})", "", shown]
    return "\n".join([*lines, ""])


def _cell(text: str) -> str:
    return _text(text).replace("|", "\\|")


def _text(text: str) -> str:
    return text.replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")


def _kept_name(picture: Path) -> str:
    return f"paper-{picture.stem.replace('_', '-')}.png"


def keep(picture: Path) -> None:
    """A smaller copy in docs/images."""
    from PIL import Image

    image = Image.open(picture).convert("RGB")
    if image.width > WIDEST:
        image = image.resize((WIDEST, round(image.height * WIDEST / image.width)))
    image.quantize(COLOURS).save(IMAGES / _kept_name(picture), optimize=True)


def refreshed(kept: str, made: str) -> str:
    """The overview `kept` with the rows that `made` has anew."""
    rows = {line.split("](")[-1].split(")")[0]: line for line in made.splitlines()[2:]}
    lines = [rows.get(line.split("](")[-1].split(")")[0], line) for line in kept.splitlines()]
    return "\n".join([*lines, ""])


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "reproduced")
    names = sys.argv[2:]
    papers = reproduce_all(folder, names or reproduce.names(), print, keep=True)
    print(f"wrote {write_page(papers, folder)}")
    MADE.mkdir(exist_ok=True)
    table = overview(papers)
    if names:
        table = refreshed((MADE / "papers.md").read_text(encoding="utf-8"), table)
    (MADE / "papers.md").write_text(table, encoding="utf-8")
    for paper in papers:
        (MADE / f"paper-{paper.name}.md").write_text(section(paper), encoding="utf-8")
        for picture in paper.pictures:
            keep(picture)
        print(f"{paper.name}: {paper.verdict}")


if __name__ == "__main__":
    main()
