"""The motion at a few times, side by side in one picture."""

import numpy as np

from dovetail.results import Result
from dovetail.view.figures import Figure
from dovetail.view.picture import drawing

PANEL_WIDTH, PANEL_HEIGHT = 320, 320
SAMPLES = 4  # drawn for each picture: it is small


def draw_filmstrip(
    figure: Figure,
    result: Result,
    columns: int = 4,
    rows: int = 2,
    view: str = "corner",
    until: float = np.inf,
) -> None:
    """Fill `figure` with pictures at equally spaced recorded times, up to `until` [s]."""
    last = max(int(np.searchsorted(result.time, until, side="right")) - 1, 0)
    frames = np.unique(np.linspace(0, last, columns * rows).round().astype(int))
    figure.set_size_inches(columns * 2.6, rows * 2.75)
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    with drawing(result, frames.tolist(), (PANEL_WIDTH, PANEL_HEIGHT), view) as painter:
        for axes, frame in zip(grid, frames):
            axes.imshow(painter.picture(int(frame), grid=False, samples=SAMPLES))
            axes.set_title(f"t = {result.time[frame]:.3g} s", fontsize=9)
    for axes in grid:
        axes.set_axis_off()
