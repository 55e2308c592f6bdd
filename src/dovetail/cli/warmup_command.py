"""`dovetail warmup`: compile all kernels ahead of use."""

import os

import click

from dovetail.runtime.warmup import warmup


@click.command()
@click.option("--quiet", is_flag=True, help="Do not name each kernel.")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=os.cpu_count() or 1,
    help="Processes that compile side by side.  [default: one per core]",
)
def command(quiet: bool, workers: int) -> None:
    """Compile all kernels now, so that later runs start at once."""
    report = None if quiet else lambda name: click.echo(f"  {name}")
    done = warmup(report=report, workers=workers)
    click.echo(
        f"{done.kernels} kernels ready, {done.compiled} newly compiled, in {done.seconds:.1f} s"
    )
