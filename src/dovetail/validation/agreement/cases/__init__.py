"""Scenes of the agreement table, one module each."""
