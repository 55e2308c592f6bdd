"""What was found about the files of a corpus, counted, as sentences and as a row of a table."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

METHODS = ("sdf", "lcp", "ipc")
NEAR = 1e-3  # [m] of MuJoCo after 0.2 s
SAME, ALIKE = 1e-9, 1e-6  # relative
HEADINGS = (
    "corpus", "peer loads", "loaded", "refused by name", "failed", "same mass",
    "mass matrix, bias 1e-9", "forward dynamics 1e-9", "within 1 mm after 0.2 s",
    *(f"starts under {method.upper()}" for method in METHODS),
)  # fmt: skip


@dataclass
class Row:
    """What was found about one file."""

    file: Path
    outcome: str = ""  # loaded, refused, failed
    why: str = ""
    mass_off: float = np.nan  # relative
    dynamics_off: float = np.nan  # relative: mass matrix, bias
    forward_off: float = np.nan  # relative: accelerations of the joints under gravity
    distance: float = np.nan  # [m] after 0.2 s
    moves: bool = False  # something of it, and motion was asked for
    apart: str = ""  # why its dynamics are not compared with the peer's
    starts: dict[str, str] = field(default_factory=dict)


def within(rows: Iterable[Row], value: str, limit: float) -> tuple[int, int]:
    """How many of the rows that have a value are within a limit, and how many have it."""
    values = [getattr(row, value) for row in rows]
    known = [one for one in values if np.isfinite(one)]
    return sum(one <= limit for one in known), len(known)


def compared(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row.outcome == "loaded" and not row.apart]


def heading() -> str:
    return "| " + " | ".join(HEADINGS) + " |\n|" + "---|" * len(HEADINGS)


def table_row(name: str, rows: list[Row]) -> str:
    """One corpus as a row of a table in Markdown; what was not asked for stays empty."""
    count, dynamics = Counter(row.outcome for row in rows), compared(rows)
    loaded = [row for row in rows if row.outcome == "loaded"]
    weighed = [row for row in loaded if np.isfinite(row.mass_off)]
    moved = [row for row in dynamics if row.moves]
    near = sum(row.distance <= NEAR for row in moved)
    cells = [name, len(rows), count["loaded"], count["refused"], count["failed"]]
    cells.append(_of(sum(row.mass_off <= ALIKE for row in weighed), len(weighed)))
    cells += [_of(*within(dynamics, value, SAME)) for value in ("dynamics_off", "forward_off")]
    cells.append(_of(near, len(moved)))
    for method in METHODS:
        tried = [v for row in loaded for k, v in row.starts.items() if k.startswith(method)]
        cells.append(_of(tried.count("starts"), len(tried)))
    return "| " + " | ".join(map(str, cells)) + " |"


def _of(some: int, every: int) -> str:
    return f"{some} of {every}" if every else ""


def printed(kind: str, rows: list[Row], folder: Path, seconds: float) -> None:
    """The same as sentences, with what was left out of the comparison."""
    count, dynamics = Counter(row.outcome for row in rows), compared(rows)
    print(f"\n{folder} {kind}: peer loads {len(rows)}, we load {count['loaded']}, refuse by name "
          f"{count['refused']}, fail {count['failed']} ({seconds:.0f} s)")  # fmt: skip
    for why, times in Counter(row.apart for row in rows if row.apart).items():
        print(f"  {why}, not compared: {times}")
    for what, value in (("mass matrix and bias", "dynamics_off"), ("accelerations", "forward_off")):
        same, known = within(dynamics, value, SAME)
        print(f"  {what} within 1e-9: {same}, 1e-6: {within(dynamics, value, ALIKE)[0]} of {known}")
    stopped = [row.file.name for row in dynamics if row.moves and not np.isfinite(row.distance)]
    far = [row.file.name for row in dynamics if row.moves and row.distance > NEAR]
    print(f"  did not run: {', '.join(stopped) or 'none'}; farther than 1 mm: {len(far)}")
