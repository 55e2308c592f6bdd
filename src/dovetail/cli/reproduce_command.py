"""`dovetail reproduce`: a paper's figures and tables, ours beside the published numbers."""

from pathlib import Path

import click

from dovetail import reproduce
from dovetail.errors import InputError


@click.command()
@click.argument("name", required=False)
@click.option("--list", "list_all", is_flag=True, help="What can be reproduced.")
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("reproduced"), show_default=True,
    help="Folder for the figures.",
)  # fmt: skip
def command(name: str | None, list_all: bool, out: Path) -> None:
    """Reproduce the figures and tables of the paper NAME."""
    if list_all:
        for known in reproduce.names():
            paper = reproduce.get(known)
            click.echo(f"{known}: {paper.TITLE}")
            for figure, what in paper.FIGURES.items():
                click.echo(f"  {figure}: {what}")
        return
    if name is None:
        known = ", ".join(reproduce.names())
        raise InputError(f"say which paper to reproduce: {known} (--list tells more)")
    reproduce.get(name).reproduce(out, click.echo)
