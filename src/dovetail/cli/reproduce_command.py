"""`dovetail reproduce`: a paper's figures and tables, ours beside the published numbers."""

from pathlib import Path

import click

from dovetail.errors import InputError
from dovetail.validation import reproduce


@click.command()
@click.argument("name", required=False)
@click.argument("figures", nargs=-1)
@click.option("--list", "list_all", is_flag=True, help="What can be reproduced.")
@click.option("--all", "every", is_flag=True, help="Every paper, and one page (index.html).")
@click.option("--keep", is_flag=True, help="--all: take papers that are in OUT as they are.")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False),
    default=Path("reproduced"), show_default=True, help="Folder for the figures.",
)  # fmt: skip
@click.option(
    "--mesh", type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Mesh file for a paper's part that is not published; without it one is generated.",
)  # fmt: skip
@click.option(
    "--scenes", type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder with the authors' own scenes; without it examples replace them.",
)  # fmt: skip
def command(
    name: str | None,
    figures: tuple[str, ...],
    list_all: bool,
    every: bool,
    keep: bool,
    out: Path,
    mesh: Path | None,
    scenes: Path | None,
) -> None:
    """Reproduce the figures and tables of the paper NAME, or some FIGURES of it."""
    if list_all:
        for known in reproduce.names():
            paper = reproduce.get(known)
            click.echo(f"{known}: {paper.TITLE}")
            for figure, what in paper.FIGURES.items():
                click.echo(f"  {figure}: {what}")
        return
    if keep and not every:
        raise InputError("--keep goes with --all: it takes papers that --all made before")
    if scenes is not None:
        _refuse_other_folders(scenes)
    if every:
        if name is not None:
            raise InputError(f"--all reproduces every paper; leave out {name!r}, or --all")
        _reproduce_all(out, keep, mesh=mesh, scenes=scenes)
        return
    if name is None:
        known = ", ".join(reproduce.names())
        raise InputError(f"say which paper to reproduce: {known} (--list has their titles)")
    paper = reproduce.get(name)
    wishes = reproduce.accepted_options(paper, name, figures=figures, mesh=mesh, scenes=scenes)
    paper.reproduce(out, click.echo, **wishes)


def _refuse_other_folders(scenes: Path) -> None:
    """Before minutes are spent on papers that do not need the scenes."""
    from dovetail.validation.reproduce.ferguson2021.authors_scenes import AuthorsScenes

    AuthorsScenes(scenes)


def _reproduce_all(out: Path, keep: bool, **wishes: Path | None) -> None:
    """Every paper, and the page with all of them; exit code 1 where one failed."""
    from dovetail.validation.reproduce.page import reproduce_all, write_page

    papers = reproduce_all(out, reproduce.names(), click.echo, keep, **wishes)
    click.echo(f"wrote {write_page(papers, out)}")
    for paper in papers:
        click.echo(f"{paper.name}: {paper.verdict}")
    if any(paper.failure for paper in papers):
        raise click.exceptions.Exit(1)
