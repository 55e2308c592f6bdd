"""`dovetail schema`: the JSON Schema of scene files, for editors."""

import json

import click

from dovetail.io import json_schema


@click.command()
def command() -> None:
    """Print the JSON Schema of scene files."""
    click.echo(json.dumps(json_schema(), indent=2))
