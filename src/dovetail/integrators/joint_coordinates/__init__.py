"""Variational step in joint coordinates with closed loops."""
