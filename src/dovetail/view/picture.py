"""Pictures of frames: by the player in Chromium where there is one, else by the own renderer."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.results import Result
from dovetail.runtime.extras import require
from dovetail.view.chromium import PlayerPainter, find_chromium
from dovetail.view.render import VIEWS, Painter, fitting_camera

Image = NDArray[np.uint8]
COLOURS = ("body", "speed", "force", "clearance")
CAMERA_FRAMES = 32  # from which the view is fitted


class Draws(Protocol):
    """Something that draws frames."""

    def picture(self, frame: int, **options: Any) -> Image:
        """An (height, width, 3) image."""


class _Own:
    """The package's own renderer; it has neither arrows nor scales."""

    def __init__(self, result: Result, frames: list[int], size: tuple[int, int], view: str) -> None:
        self._painter, self._size = Painter(result), size
        self._camera = fitting_camera(result, frames, size[0] / size[1], view)

    def picture(self, frame: int, **options: Any) -> Image:
        return self._painter.picture(frame, self._camera, *self._size)


@contextmanager
def drawing(
    result: Result, frames: list[int], size: tuple[int, int], view: str = "corner"
) -> Iterator[Draws]:
    """What draws `frames` so that all of them fit."""
    if view not in VIEWS:
        raise InputError(f"`view` must be one of {', '.join(VIEWS)}, got {view!r}")
    program = find_chromium()
    if program is None:
        yield _Own(result, frames, size, view)
    else:
        if os.environ.get("DOVETAIL_QUIET") != "1":
            said = "dovetail: drawing in Chromium, some seconds (DOVETAIL_RENDERER=own: without it)"
            print(said, file=sys.stderr)
        with PlayerPainter(program, result, frames, size, view) as painter:
            yield painter


def write_picture(
    result: Result,
    path: str | PathLike[str],
    time: float | None = None,
    view: str = "corner",
    size: tuple[int, int] = (960, 720),
    forces: bool = False,
    contacts: bool = False,
    colour: str = "body",
    section: str | None = None,
    labels: bool = True,
) -> None:
    """Write the frame at `time` [s] (None: the last) as .png.

    `forces` draws net contact forces with numbers, `contacts` the force at each point; `colour`
    is 'body', 'speed', 'force' or 'clearance', `section` 'x', 'y' or 'z' cuts the scene through
    its middle across that axis; they need Chromium.
    """
    if len(result.time) == 0:
        raise InputError("the result has no frame to show; was the run stopped at once?")
    if colour not in COLOURS:
        raise InputError(f"`colour` must be one of {', '.join(COLOURS)}, got {colour!r}")
    if section not in (None, "x", "y", "z"):
        raise InputError(f"`section` must be x, y or z, got {section!r}")
    if find_chromium() is None and (forces or contacts or colour != "body" or section):
        raise InputError("forces, sections and colours by value need Chromium: install it")
    last = len(result.time) - 1
    frame = last if time is None else max(int(np.searchsorted(result.time, time, "right")) - 1, 0)
    with drawing(result, [frame], size, view) as painter:
        cut = None if section is None else "xyz".index(section)
        shown = {"forces": forces, "contacts": contacts, "colour": colour, "section": cut}
        image = painter.picture(frame, labels=labels, **shown)
    require("PIL.Image").fromarray(image).save(path, format="png", optimize=True)
