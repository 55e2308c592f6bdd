"""`dovetail view`: playback in the browser."""

from pathlib import Path

import click

from dovetail.cli.result_argument import opened
from dovetail.view.viewer import show


@click.command()
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--port", default=8080, type=click.IntRange(0, 65535), show_default=True)
@click.option("--no-browser", is_flag=True, help="Only serve; do not open a browser.")
def command(results: tuple[Path, ...], port: int, no_browser: bool) -> None:
    """Play RESULTS in the browser, on this machine only, until Ctrl-C.

    Several results (up to four) play side by side on one clock, seen by one camera.
    """
    names = " beside ".join(path.name for path in results)
    show(
        [opened(path) for path in results],
        port,
        open_browser=not no_browser,
        ready=lambda address: click.echo(f"{names} at {address} (Ctrl-C ends)"),
        titles=[path.stem for path in results],
    )
