"""`dovetail export`: a result in another format."""

import re
from collections.abc import Callable
from pathlib import Path

import click

from dovetail.cli.result_argument import opened
from dovetail.errors import InputError
from dovetail.results import Result

ENDINGS = (".html", ".glb", ".usda", ".vtkhdf", ".csv", ".gif", ".mp4")
VIEWS = ("corner", "front", "back", "left", "right", "top", "bottom")


@click.command()
@click.argument("result", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--every", type=int, default=1, help="Take one frame of so many (not movies).")
@click.option("--details", is_flag=True, help=".html: with octrees and distance fields.")
@click.option("--view", type=click.Choice(VIEWS), default="corner", help="Movies: from where.")
@click.option("--size", default="480x360", help="Movies: pixels, such as 640x480.")
@click.option("--fps", type=float, default=25.0, help="Movies: pictures a second.")
@click.option("--speed", type=float, help="Movies: 1 is real time; default: lasts 2 to 20 s.")
def command(
    result: Path,
    out: Path,
    every: int,
    details: bool,
    view: str,
    size: str,
    fps: float,
    speed: float | None,
) -> None:
    """Write RESULT as OUT; the ending chooses the format.

    .html plays in any browser from one file, .glb in Blender and three.js, .usda in Omniverse and
    usdview, .vtkhdf in ParaView; .csv is a table, .gif and .mp4 are movies.
    """
    if every < 1:
        raise InputError(f"`--every` must be a number of frames >= 1, got {every}")
    ending = out.suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"an export must end in {', '.join(ENDINGS)}, got {str(out)!r}")
    if ending in (".gif", ".mp4"):
        from dovetail.view.movie import write_movie

        write_movie(opened(result), out, view, _pixels(size), fps, speed)
    elif ending == ".html":
        from dovetail.view.html import write_html

        write_html(opened(result), out, every, details)
    else:
        _writer(ending)(opened(result), out, every)
    told = out.stat().st_size
    shown = f"{told / 1e6:.1f} MB" if told >= 1e6 else f"{told / 1e3:.1f} kB"
    click.echo(f"wrote {out} ({shown})")


def _writer(ending: str) -> Callable[[Result, Path, int], None]:
    """What writes files of that ending; imported when it is asked for."""
    if ending == ".glb":
        from dovetail.view.glb import write_glb as write
    elif ending == ".usda":
        from dovetail.view.usd import write_usda as write
    elif ending == ".vtkhdf":
        from dovetail.view.vtkhdf import write_vtkhdf as write
    else:
        from dovetail.view.table import write_csv as write
    return write


def _pixels(size: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", size)
    if match is None:
        raise InputError(f"`--size` must be WIDTHxHEIGHT in pixels, such as 640x480, got {size!r}")
    return int(match[1]), int(match[2])
