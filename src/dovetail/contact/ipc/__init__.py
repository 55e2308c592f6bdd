"""Potential (IPC): a barrier in the potential of an implicit step."""
