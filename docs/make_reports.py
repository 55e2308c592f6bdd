"""Run every built-in example and write its report: `python docs/make_reports.py`.

Writes reports/NAME.html with an index, and docs/made/examples.md, the table of the docs. Long
examples are cut after `--frames` recorded frames (`--frames 0` runs all to their end); `--results`
takes results FOLDER/NAME.h5 where they are there already. Names choose some of the examples.
"""

import argparse
import html
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dovetail as dt
from dovetail.verifier.certificate import certify
from dovetail.view.report.sections import sections_of
from dovetail.view.report.writing import write_sections

TABLE = Path(__file__).parent / "made" / "examples.md"
SLOW = {"docking": 3}  # a frame of it takes so many times as long


@dataclass(frozen=True)
class Reported:
    """One example's line of the table."""

    name: str
    what: str
    bodies: int
    simulated: str
    verdict: str
    run: float  # [s] of processor time
    report: float

    @property
    def row(self) -> str:
        return (
            f"| `{self.name}` | {self.what} | {self.bodies} | {self.simulated} | {self.verdict} | "
            f"{self.run:.1f} s | {self.report:.1f} s |"
        )


HEAD = (
    "| example | what it shows | bodies | simulated | intersections | run | report |\n"
    "|---|---|---|---|---|---|---|"
)


def run_of(name: str, frames: int) -> dict[str, Any]:
    """The example's own settings, cut after so many recorded frames."""
    settings = dict(dt.examples.get(name).RUN)
    if frames:
        spacing = settings["step"] * settings.get("every", 1)
        most = frames // SLOW.get(name, 1) * spacing
        settings["duration"] = min(settings["duration"], most)
    return settings


def reported(name: str, folder: Path, frames: int, results: Path | None) -> Reported:
    """Run, verify and write the report of one example."""
    example = dt.examples.get(name)
    began = time.process_time()
    there = results / f"{name}.h5" if results else None
    if there and there.is_file():
        result = dt.load(there)
    else:
        result = dt.simulate(example.build(), **run_of(name, frames), progress=False)
    ran = time.process_time()
    verdict = certify(result).verdict
    write_sections(result, sections_of(result), folder / f"{name}.html", name)
    told = {"free": "none", "intersecting": "yes", "undecided": "undecided"}[verdict]
    if not result.stored.header.settings.count('"contact": {'):
        told += " (no contact method)" if verdict != "free" else ""
    whole = example.RUN["duration"]
    simulated = f"{result.time[-1]:.4g} s" + (
        f" of {whole:g} s" if result.time[-1] < 0.999 * whole else ""
    )
    return Reported(
        name, example.DESCRIPTION, len(result.names), simulated, told, ran - began,
        time.process_time() - ran,
    )  # fmt: skip


def write_index(rows: list[Reported], folder: Path) -> None:
    items = "".join(
        f'<li><a href="{row.name}.html">{row.name}</a>: {html.escape(row.what)}</li>'
        for row in rows
    )
    page = f'<!doctype html><meta charset="utf-8"><title>Reports</title><ul>{items}</ul>\n'
    (folder / "index.html").write_text(page, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=dt.examples.names())
    parser.add_argument("--out", type=Path, default=Path("reports"))
    parser.add_argument("--frames", type=int, default=61)
    parser.add_argument("--results", type=Path)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    asked.out.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in asked.names:
        rows.append(reported(name, asked.out, asked.frames, asked.results))
        print(rows[-1].row, flush=True)
    write_index(rows, asked.out)
    if asked.names == dt.examples.names():
        TABLE.parent.mkdir(exist_ok=True)
        TABLE.write_text("\n".join([HEAD, *(row.row for row in rows), ""]), encoding="utf-8")
        print(f"wrote {TABLE}")


if __name__ == "__main__":
    main()
