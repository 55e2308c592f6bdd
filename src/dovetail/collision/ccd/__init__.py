"""Continuous collision detection: how far primitives can go along curved paths."""
