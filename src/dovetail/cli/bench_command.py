"""`dovetail bench`: speed figures, side by side with what is installed."""

from math import isnan
from pathlib import Path

import click

from dovetail.model.shapes import Mesh, Torus
from dovetail.model.surface import Surface
from dovetail.validation import agreement, bench
from dovetail.validation.agreement.table import lines


@click.command()
@click.argument("names", nargs=-1)
@click.option("--full", is_flag=True, help="At full size: minutes instead of seconds.")
@click.option(
    "--mesh", "meshes", type=click.Path(path_type=Path, exists=True, dir_okay=False),
    multiple=True,
    help="A closed mesh file to measure with, or several; without it a generated ring.",
)  # fmt: skip
def command(names: tuple[str, ...], full: bool, meshes: tuple[Path, ...]) -> None:
    """Measure the speed figures NAMES (all where none is named) in one run.

    CPU time, the least of several, unless a figure says otherwise. `agreement` runs the same
    scenes under every contact method and MuJoCo instead; `agreement-cam` is one of them.
    """
    cases = [case for name in names for case in agreement.named(name)]
    for case in cases:
        for line in lines(case):
            click.echo(line)
        click.echo("")
    speed = [name for name in names if not agreement.named(name)]
    if cases and not speed:
        return
    figures = [bench.figure(name) for name in speed or bench.NAMES]
    for mesh in meshes or (None,):
        ring = Torus(0.5, 0.2, 256 if full else 64)
        surface = ring.surface() if mesh is None else Mesh(mesh).surface()
        click.echo(f"surface of {len(surface.faces)} triangles" + (f" ({mesh})" if mesh else ""))
        click.echo("| what | ours | other | theirs | theirs / ours |")
        click.echo("|---|---|---|---|---|")
        _measure(figures, surface, not full)


def _measure(figures: list[bench.Figure], surface: Surface, quick: bool) -> None:
    """One line for each row of each figure."""
    for figure in figures:
        click.echo(f"| **{figure.TITLE}** | | | | |")
        for row in figure.measure(surface, quick):
            alone = isnan(row.theirs)
            theirs = "" if alone else f"{row.theirs:.3g} {row.unit}"
            ratio = "" if alone else f"{row.ratio:.3g}"
            click.echo(
                f"| {row.what} | {row.ours:.3g} {row.unit} | {row.peer} | {theirs} | {ratio} |"
            )
