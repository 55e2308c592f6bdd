"""The log of fixtures that were run, one JSON object a line, and the table made from it.

A run of all fixtures takes hours: each row is written when its fixture is done and carries the
commit it was made on, so that the rest can follow later, on another commit.
"""

import json
import math
import subprocess
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np


@dataclass
class Row:
    """What is reported of one fixture."""

    fixture: str  # with "(patched)" where a setting is changed as in baseline.csv
    commit: str
    bodies: int = 0
    steps: int = 0
    full: int = 0  # steps of the whole scene
    ours_ms: float = math.nan  # CPU per step, over all steps
    alike_ms: float = math.nan  # CPU per step over the first steps, as many as the reference's
    theirs_ms: float = math.nan  # the reference's time per step, corrected
    newton: float = math.nan  # iterations per step
    newton_theirs: float = math.nan
    contacts: float = math.nan  # mean
    min_distance: float = math.nan  # [m]
    deviation: float = math.nan  # [m]
    every: int = 1  # steps per recorded frame
    yardstick: float = math.nan  # [s] of the fixed workload, when it was run
    peak_mb: float = math.nan  # [MB] of memory
    verdict: str = "not verified"
    failure: str = ""

    @property
    def ratio(self) -> float:
        return self.theirs_ms / self.alike_ms if self.alike_ms else math.nan

    @property
    def whole(self) -> bool:
        """All steps were made and the verifier has a verdict."""
        return self.steps == self.full and self.verdict in ("free", "intersecting", "undecided")


def commit() -> str:
    """The commit of the working tree, with a + where it has been changed since."""
    command = ["git", "describe", "--always", "--dirty=+"]
    described = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True)
    return described.stdout.strip() or "unknown"


def append(log: Path, row: Row) -> None:
    with log.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(row)) + "\n")


def read(log: Path) -> list[Row]:
    if not log.exists():
        return []
    return [Row(**json.loads(line)) for line in log.read_text(encoding="utf-8").splitlines()]


def best(rows: list[Row]) -> list[Row]:
    """One row a fixture: that with most steps, of equal ones the last."""
    kept: dict[str, Row] = {}
    for row in rows:
        other = kept.get(row.fixture)
        if other is None or (row.steps, row.whole) >= (other.steps, other.whole):
            kept[row.fixture] = row
    return [kept[name] for name in sorted(kept)]


HEAD = ("fixture", "bodies", "steps run of", "ms/step", "reference", "ratio", "contacts",
        "verifier", "commit")  # fmt: skip


def cells(row: Row) -> list[str]:
    return [
        row.fixture,
        str(row.bodies or ""),
        f"{row.steps} of {row.full}",
        _number(row.ours_ms),
        _number(row.theirs_ms),
        _number(row.ratio),
        _number(row.contacts),
        row.verdict + (f"; {row.failure}" if row.failure else ""),
        row.commit,
    ]


def _number(value: float) -> str:
    if not math.isfinite(value):
        return ""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def summary(rows: list[Row]) -> str:
    ratios = [row.ratio for row in rows if np.isfinite(row.ratio)]
    verdicts = Counter(row.verdict for row in rows)
    text = (
        f"{len(rows)} rows, {sum(row.steps == row.full for row in rows)} of them with all their "
        f"steps; the verifier says "
        + ", ".join(f"{said}: {count}" for said, count in sorted(verdicts.items()))
    )
    if not ratios:
        return text
    slower = [row.fixture for row in rows if row.ratio < 1]
    mean = np.exp(np.mean(np.log(ratios)))
    text += f". Geometric mean of {len(ratios)} ratios {mean:.1f}, least {min(ratios):.2f}"
    return text + (f"; slower than the reference: {', '.join(slower)}" if slower else "")


def markdown(rows: list[Row]) -> str:
    lines = [HEAD, ["---"] * len(HEAD), *map(cells, rows)]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{table}\n\n{summary(rows)}.\n"
