"""The `dovetail` command, one file per subcommand."""

from dovetail.cli.main import main

__all__ = ["main"]
