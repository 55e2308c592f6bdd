"""`dovetail export`: a result in another format."""

from pathlib import Path

import click

from dovetail.errors import InputError
from dovetail.results import load
from dovetail.view.glb import write_glb
from dovetail.view.table import write_csv

WRITERS = {".glb": write_glb, ".csv": write_csv}


@click.command()
@click.argument("result", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
def command(result: Path, out: Path) -> None:
    """Write RESULT as OUT; the ending chooses the format: .glb (animated) or .csv."""
    writer = WRITERS.get(out.suffix.lower())
    if writer is None:
        raise InputError(f"an export must end in {' or '.join(WRITERS)}, got {str(out)!r}")
    writer(load(result), out)
    size = out.stat().st_size
    told = f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.1f} kB"
    click.echo(f"wrote {out} ({told})")
