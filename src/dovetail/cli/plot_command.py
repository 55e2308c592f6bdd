"""`dovetail plot`: curves and film strips of a result."""

from pathlib import Path

import click

from dovetail.cli.result_argument import opened
from dovetail.view.plots import KINDS, plot
from dovetail.view.render import VIEWS


@click.command(
    help="Draw WHAT of RESULT to a picture (default: RESULT-WHAT.png beside it).\n\n"
    f"WHAT is one of {', '.join(KINDS)}."
)
@click.argument("result", type=click.Path(path_type=Path))
@click.argument("what", type=click.Choice(list(KINDS)), metavar="WHAT")
@click.option("--out", type=click.Path(path_type=Path), help="Picture: .png, .svg or .pdf.")
@click.option("--body", "bodies", multiple=True, help="Draw only this body (repeatable).")
@click.option("--view", type=click.Choice(VIEWS), default="corner", help="motion: from where.")
def command(result: Path, what: str, out: Path | None, bodies: tuple[str, ...], view: str) -> None:
    target = out or result.with_name(f"{result.stem}-{what}.png")
    plot(opened(result), what, target, list(bodies) or None, view)
    click.echo(f"wrote {target}")
