"""Ferguson et al. 2021: rigid bodies that never intersect.

The paper's figures show what happens, with few numbers. Its own scenes belong to its authors; here
the examples of this package stand for them, and what differs is said beside each.
"""

from pathlib import Path

from dovetail.reproduce import Say
from dovetail.reproduce.ferguson2021.figures import FIGURES, FROM_EXAMPLES, compared
from dovetail.reproduce.ferguson2021.slope import compared_slopes, draw_slopes

TITLE = (
    "Ferguson, Li, Schneider, Gil-Ureta, Langlois, Jiang, Zorin, Kaufman, Panozzo: "
    "Intersection-free rigid body dynamics, ACM Transactions on Graphics 40 (2021) 183"
)

__all__ = ["FIGURES", "TITLE", "reproduce"]


def reproduce(folder: Path, say: Say) -> None:
    """Run each scene, let the judge look for intersections, and tell what the paper tells."""
    from dovetail import examples
    from dovetail.simulate import simulate

    folder.mkdir(parents=True, exist_ok=True)
    for figure, name in FROM_EXAMPLES.items():
        say(f"{figure}: {FIGURES[figure]} ...")
        example = examples.get(name)
        result = simulate(example.build(), **example.RUN)
        for row in compared(figure, name, result):
            say(row.line)
        path = folder / f"ferguson2021_{figure}.png"
        result.plot("motion", path)
        say(f"wrote {path}")
    say(f"fig18: {FIGURES['fig18']} ...")
    rows, slid = compared_slopes()
    for row in rows:
        say(row.line)
    say(f"wrote {draw_slopes(slid, folder / 'ferguson2021_fig18.png')}")
