"""RESULT on the command line: a result file, and a word when it is damaged."""

from pathlib import Path

import click

from dovetail.results import Result, load


def opened(path: str | Path) -> Result:
    """The result at `path`; what is lost of a damaged one is reported on stderr."""
    result = load(path)
    if result.status == "damaged":
        click.echo(f"warning: {path}: {result.reason}", err=True)
    return result
