"""Fig. 14: numbers of shallow and deep contact points over time."""

from pathlib import Path

from dovetail.examples.docking.measures import (
    LATCH_DIAGONAL,
    SHALLOW,
    contact_kinds,
    shallow_share,
)
from dovetail.results import Result
from dovetail.validation.reproduce import Say
from dovetail.validation.reproduce.comparison import Comparison
from dovetail.validation.reproduce.zhang2024.docking_run import docking_run


def make(folder: Path, say: Say, mesh: Path | None = None) -> None:
    """Run, report and draw."""
    result = docking_run()
    for line in lines_of(result):
        say(line)
    say(f"wrote {draw(result, folder / 'zhang2024_fig14.png')}")


def lines_of(result: Result) -> list[str]:
    """Published beside ours."""
    deepest = -float(result.min_distance.min())
    share = shallow_share(result)
    row = Comparison(
        f"fig14, points shallower than {100 * SHALLOW:g} % of a latch's diagonal",
        "over 70 %",
        f"{100 * share:.1f} %",
        share > 0.7,
    )
    return [
        row.line,
        f"deepest point: {1e3 * deepest:.2f} mm, {100 * deepest / LATCH_DIAGONAL:.2f} % of it",
    ]


def draw(result: Result, path: Path) -> Path:
    from matplotlib.figure import Figure

    shallow, deep = contact_kinds(result)
    figure = Figure(figsize=(5.5, 3.4), layout="constrained")
    axes = figure.subplots()
    limit = f"{100 * SHALLOW:g} % of a latch"
    axes.plot(result.time, shallow, label=f"kind I, below {limit}", linewidth=0.8)
    axes.plot(result.time, deep, label="kind II, above", linewidth=0.8)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("contact points")
    axes.set_title("fig. 14: contact points by depth", fontsize=9)
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=150)
    return path
