"""`dovetail schema`: the JSON Schema of scene files and of proofs, for editors and programs."""

import json

import click


@click.command()
@click.option("--proof", is_flag=True, help="Of what `dovetail prove --json` writes.")
def command(proof: bool) -> None:
    """Print the JSON Schema of scene files."""
    if proof:
        from importlib.resources import files

        click.echo((files("dovetail.prove") / "proof.schema.json").read_text(encoding="utf-8"))
        return
    from dovetail.io import json_schema

    click.echo(json.dumps(json_schema(), indent=2))
