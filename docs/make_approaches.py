"""The map of docking approaches in the docs: `python docs/make_approaches.py FOLDER [--at-most N]`.

Does what FOLDER lacks of `dovetail study docking-approaches` (at most N runs of it; 0: nothing),
and writes docs/images/docking-approaches.png and docs/made/docking-approaches.md from what is
there.
"""

import argparse
import csv
import subprocess
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
PICTURE, PAGE = "docking-approaches.png", "docking-approaches.md"
COLOURS = {0: "#c0392b", 1: "#e08e45", 2: "#e0c545", 3: "#2a9d5c"}  # by latches that caught
MARKS = {0: "s", 1: "^", 2: "D", 3: "o"}


def rows_of(folder: Path) -> tuple[list[dict[str, Any]], int]:
    """Runs that are done: place [mm], whether latched, how many latches caught; and all there are.

    The table is as complete as the study.
    """
    with (folder / "table.csv").open(newline="") as file:
        whole = list(csv.DictReader(file))
    table = [row for row in whole if row["status"] != "not done"]
    rows = [
        {
            "at": (1e3 * float(row["aside"]), 1e3 * float(row["above"])),
            "status": row["status"],
            "latched": row["latched"] == "true",
            "caught": sum(row[f"caught_{k}"] == "true" for k in (1, 2, 3)),
        }
        for row in table
    ]
    return rows, len(whole)


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.6, 5.2), layout="constrained")
    axes = figure.subplots()
    for count, colour in COLOURS.items():
        told = f"{count} latches caught" if count else "none caught"
        points = [row["at"] for row in rows if _class(row) == count]
        if points:
            x, y = zip(*points)
            axes.plot(x, y, MARKS[count], color=colour, ms=4, label=f"{told} ({len(points)})")
    axes.set_xlabel("aside of the axis [mm]")
    axes.set_ylabel("above the axis [mm]")
    axes.set_aspect("equal")
    figure.legend(loc="outside upper center", ncols=2, frameon=False)
    figure.savefig(path, dpi=110)


def _class(row: dict[str, Any]) -> int:
    """Latches that hold: three only where the rings are held together."""
    if row["status"] != "finished":
        return -1
    return 3 if row["latched"] else min(int(row["caught"]), 2)


def told(rows: list[dict[str, Any]], planned: int, folder: Path) -> str:
    """What the page says: how many runs, how they ended, how long they took."""
    finished = [row for row in rows if row["status"] == "finished"]
    latched = [row for row in finished if row["latched"]]
    some = [row for row in finished if _class(row) in (1, 2)]
    off = [sum(v * v for v in row["at"]) ** 0.5 for row in latched]
    missed = [sum(v * v for v in row["at"]) ** 0.5 for row in finished if not row["latched"]]
    done = f"the first {len(rows)} of {planned} runs" if planned > len(rows) else f"{planned} runs"
    ends = sorted(path.stat().st_mtime for path in (folder / "runs").glob("*.h5"))
    minutes = (ends[-1] - ends[0]) / 60
    return (
        f"Of {done} {len(latched)} latched, {len(some)} were caught by one or two "
        f"latches only, {len(finished) - len(latched) - len(some)} parted again and "
        f"{len(rows) - len(finished)} failed. The furthest that latched came in "
        f"{max(off, default=0):.2f} mm off the axis, the nearest that did not "
        f"{min(missed, default=0):.2f} mm. They took {minutes:.0f} minutes from the first result "
        "to the last.\n\n"
        f"![Which approaches latch](../images/{PICTURE})\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--at-most", type=int)
    asked = parser.parse_args()
    command = [sys.executable, "-m", "dovetail", "study", "docking-approaches", "--quiet"]
    command += ["--out", str(asked.folder)]
    if asked.at_most is not None:
        command += ["--at-most", str(asked.at_most)]
    subprocess.run(command, check=True)
    rows, planned = rows_of(asked.folder)
    draw(rows, DOCS / "images" / PICTURE)
    (DOCS / "made" / PAGE).write_text(told(rows, planned, asked.folder), encoding="utf-8")
    print((DOCS / "made" / PAGE).read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
