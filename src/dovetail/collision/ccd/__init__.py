"""Continuous collision detection: collision-free step size along curved paths."""
