"""How a figure's motion is best looked at."""

from pathlib import Path
from typing import Any

from dovetail.results import Result

LOOKS: dict[str, dict[str, Any]] = {
    "fig8": {"until": 4.0},  # [s] later the boxes only fall
    "fig14": {"view": "top"},  # into the box
}


def draw_motion(figure: str, result: Result, folder: Path) -> Path:
    """Write the pictures at eight times to folder/ferguson2021_FIGURE.png."""
    from matplotlib.figure import Figure

    from dovetail.view.filmstrip import draw_filmstrip

    drawn = Figure(layout="constrained", dpi=120)
    draw_filmstrip(drawn, result, **LOOKS.get(figure, {}))
    path = folder / f"ferguson2021_{figure}.png"
    drawn.savefig(path)
    return path
