"""Zhang, You, Liu 2024: contact of multibody systems by signed distance fields.

Each figure is a file `figure_<number>.py` with `make(folder, say, mesh)`, imported when requested.
"""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from dovetail.errors import InputError
from dovetail.validation.reproduce import Say

TITLE = (
    "Zhang, You, Liu: Study of multibody system contact dynamics based on signed distance field, "
    "Chinese Journal of Theoretical and Applied Mechanics 56 (2024) 2703"
)
FIGURES = {
    "fig4": "time of one detection against the number of points, with and without octree",
    "fig8": "two sliders: error of the speeds against the step, speed of slider 1 over time",
    "fig10": "time of the four methods of detection: box-box, horse-box, horse-horse",
    "fig12": "docking: distance of the rings over time",
    "fig13": "docking: velocities of the two vehicles",
    "fig14": "docking: contact points by depth",
}

__all__ = ["FIGURES", "TITLE", "reproduce"]


def reproduce(
    folder: Path, say: Say, figures: Sequence[str] = (), mesh: Path | None = None
) -> None:
    """Make `figures` (all where none is named); `mesh` stands for the paper's horse."""
    unknown = [name for name in figures if name not in FIGURES]
    if unknown:
        raise InputError(
            f"there is no {', '.join(map(repr, unknown))} in zhang2024 "
            f"(there are: {', '.join(FIGURES)})"
        )
    folder.mkdir(parents=True, exist_ok=True)
    for name in figures or FIGURES:
        say(f"{name}: {FIGURES[name]}")
        number = name.removeprefix("fig")
        import_module(f"{__name__}.figure_{number}").make(folder, say, mesh)
