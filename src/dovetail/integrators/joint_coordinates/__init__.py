"""A variational step in joint coordinates with closed loops."""
