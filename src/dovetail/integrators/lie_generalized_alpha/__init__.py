"""Lie group generalized-alpha, index 3."""
