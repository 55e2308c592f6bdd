"""The dovetail command."""

from dovetail.cli.main import main

__all__ = ["main"]
