"""A result as a moving picture (.gif, .mp4), drawn without a screen."""

from collections.abc import Iterator
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.results import Result
from dovetail.runtime.extras import require
from dovetail.view.picture import CAMERA_FRAMES, drawing

Image = NDArray[np.uint8]
MAX_PICTURES = 3000
SAMPLES = 4  # drawn for each picture: smooth edges
NATURAL = (2.0, 20.0)  # [s] how long a movie lasts where no speed is given


def write_movie(
    result: Result,
    path: str | PathLike[str],
    view: str = "corner",
    size: tuple[int, int] = (480, 360),
    fps: float = 25.0,
    speed: float | None = None,
) -> None:
    """Write `path`, ending in .gif or .mp4; `speed` 1 is real time, None lasts 2 to 20 s."""
    if not 1 <= fps <= 120:
        raise InputError(f"`fps` must be 1 to 120 pictures a second, got {fps:g}")
    if speed is not None and not speed > 0:
        raise InputError(f"`speed` must be > 0, got {speed:g}")
    width, height = size
    if not (16 <= width <= 4096 and 16 <= height <= 4096):
        raise InputError(f"`size` must be 16 to 4096 pixels wide and high, got {width}x{height}")
    frames = _frames(result, fps, speed)
    pictures = _pictures(result, frames, view, (width, height))
    target = Path(path)
    write = {".gif": _write_gif, ".mp4": _write_mp4}.get(target.suffix.lower())
    if write is None:
        raise InputError(f"a movie must end in .gif or .mp4, got {str(path)!r}")
    write(target, pictures, fps)


def _frames(result: Result, fps: float, speed: float | None) -> list[int]:
    """Which frame of the result each picture shows: the last at or before its time."""
    if len(result.time) == 0:
        raise InputError("the result has no frame to show; was the run stopped at once?")
    span = float(result.time[-1] - result.time[0])
    if speed is None:
        speed = span / min(max(span, NATURAL[0]), NATURAL[1]) if span > 0 else 1.0
    count = int(np.floor(span * fps / speed * (1 + 1e-12))) + 1
    if count > MAX_PICTURES:
        raise InputError(
            f"the movie would have {count} pictures, at most {MAX_PICTURES} are drawn; "
            f"use a speed of at least {span * fps / MAX_PICTURES:.3g}, or fewer pictures a second"
        )
    times = result.time[0] + np.arange(count) * speed / fps
    late = 1e-9 * max(span, 1e-300)
    rows = np.searchsorted(result.time, times + late, side="right") - 1
    return [int(row) for row in rows]


def _pictures(
    result: Result, frames: list[int], view: str, size: tuple[int, int]
) -> Iterator[Image]:
    some = np.unique(np.linspace(0, len(result.time) - 1, CAMERA_FRAMES).round().astype(int))
    drawn, picture = -1, np.zeros(0, np.uint8)
    with drawing(result, some.tolist(), size, view) as painter:
        for frame in frames:
            if frame != drawn:
                drawn, picture = frame, painter.picture(frame, samples=SAMPLES)
            yield picture


def _write_gif(path: Path, pictures: Iterator[Image], fps: float) -> None:
    Pillow = require("PIL.Image")

    # one palette for all pictures, so that nothing flickers
    images = [Pillow.fromarray(picture) for picture in pictures]
    palette = images[len(images) // 2].quantize(128)
    flat = [image.quantize(palette=palette, dither=Pillow.Dither.NONE) for image in images]
    duration = max(20, 10 * round(100 / fps))  # [ms]; GIF counts in hundredths of a second
    flat[0].save(
        path, save_all=True, append_images=flat[1:], duration=duration, loop=0, optimize=True
    )


def _write_mp4(path: Path, pictures: Iterator[Image], fps: float) -> None:
    imageio_ffmpeg = require("imageio_ffmpeg")
    first = next(pictures)
    first = _even(first)
    height, width = first.shape[:2]
    writer = imageio_ffmpeg.write_frames(
        str(path), (width, height), fps=fps, quality=7, macro_block_size=2, ffmpeg_log_level="error"
    )
    writer.send(None)
    try:
        writer.send(np.ascontiguousarray(first))
        for picture in pictures:
            writer.send(np.ascontiguousarray(_even(picture)))
    finally:
        writer.close()


def _even(picture: Image) -> Image:
    """Without a last odd row or column, which the video format does not know."""
    height, width = picture.shape[:2]
    return picture[: height - height % 2, : width - width % 2]
