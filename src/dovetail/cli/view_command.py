"""`dovetail view`: playback in the browser."""

from pathlib import Path

import click

from dovetail.results import load
from dovetail.view.viewer import show


@click.command()
@click.argument("result", type=click.Path(path_type=Path))
@click.option("--port", default=8080, type=click.IntRange(0, 65535), show_default=True)
@click.option("--no-browser", is_flag=True, help="Only serve; do not open a browser.")
def command(result: Path, port: int, no_browser: bool) -> None:
    """Play RESULT in the browser, on this machine only, until Ctrl-C."""
    show(
        load(result),
        port,
        open_browser=not no_browser,
        ready=lambda address: click.echo(f"{result.name} plays at {address} (Ctrl-C ends)"),
    )
