"""`dovetail export`: a result in another format."""

import re
from pathlib import Path
from typing import Any

import click

from dovetail.cli.result_argument import opened
from dovetail.errors import InputError

COLOURS = ("body", "speed", "force", "clearance")
VIEWS = ("corner", "front", "back", "left", "right", "top", "bottom")


@click.command()
@click.argument("result", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--every", type=int, help="Take one frame of so many (not movies).")
@click.option("--details", is_flag=True, help=".html: with octrees and distance fields.")
@click.option("--view", type=click.Choice(VIEWS), help="Pictures: from where; default: corner.")
@click.option("--size", help="Pictures: pixels, such as 640x480; default: 960x720, movies 480x360.")
@click.option("--time", type=float, help=".png: which moment [s]; default: the last.")
@click.option("--forces", is_flag=True, help=".png: net contact forces with numbers.")
@click.option("--contacts", is_flag=True, help=".png: the force at each contact point.")
@click.option("--colour", type=click.Choice(COLOURS), help=".png: by what; default: body.")
@click.option("--section", type=click.Choice("xyz"), help=".png: cut across this axis.")
@click.option("--fps", type=float, help="Movies: pictures a second; default: 25.")
@click.option("--speed", type=float, help="Movies: 1 is real time; default: lasts 2 to 20 s.")
@click.option("--format", "format_name", help="Exporter by name, where the ending is another.")
def command(
    result: Path,
    out: Path,
    every: int | None,
    details: bool,
    view: str | None,
    size: str | None,
    time: float | None,
    forces: bool,
    contacts: bool,
    colour: str | None,
    section: str | None,
    fps: float | None,
    speed: float | None,
    format_name: str | None,
) -> None:
    """Write RESULT as OUT; the ending chooses the format.

    .html plays in any browser from one file, .glb in Blender and three.js, .usda in Omniverse and
    usdview, .vtkhdf in ParaView; .csv is a table, .png a picture, .gif and .mp4 are movies.
    Installed packages may add more.
    """
    from dovetail.view.exporters import export, exporter_name

    options: dict[str, Any] = {
        "every": every, "details": details or None, "view": view,
        "size": None if size is None else _pixels(size), "fps": fps, "speed": speed,
        "time": time, "forces": forces or None, "contacts": contacts or None, "colour": colour,
        "section": section,
    }  # fmt: skip
    given = {name: value for name, value in options.items() if value is not None}
    exporter_name(out, format_name)  # before a large result is read
    export(opened(result), out, format_name, **given)
    written = _size(out)
    shown = f"{written / 1e6:.1f} MB" if written >= 1e6 else f"{written / 1e3:.1f} kB"
    click.echo(f"wrote {out} ({shown})")


def _size(path: Path) -> int:
    """[bytes] of a file, or of all files in a folder."""
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return path.stat().st_size


def _pixels(size: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", size)
    if match is None:
        raise InputError(f"`--size` must be WIDTHxHEIGHT in pixels, such as 640x480, got {size!r}")
    return int(match[1]), int(match[2])
