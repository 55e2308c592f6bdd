"""`dovetail warmup`: compile all kernels ahead of use."""

import click

from dovetail.kernels.warmup import warmup


@click.command()
@click.option("--quiet", is_flag=True, help="Do not name each kernel.")
def command(quiet: bool) -> None:
    """Compile all kernels now, so that later runs start at once."""
    done = warmup(report=None if quiet else lambda name: click.echo(f"  {name}"))
    click.echo(
        f"{done.kernels} kernels ready, {done.compiled} compiled anew, in {done.seconds:.1f} s"
    )
