"""`dovetail examples`: what is built in."""

import click

from dovetail import examples


@click.command()
def command() -> None:
    """List the built-in examples and studies, one line each."""
    width = max(len(name) for name in examples.names())
    for name in examples.names():
        click.echo(f"{name:<{width}}  {examples.get(name).DESCRIPTION}")
    for name in examples.study_names():
        click.echo(f"{name:<{width}}  (dovetail study) {examples.study_description(name)}")
