"""The dovetail command."""
