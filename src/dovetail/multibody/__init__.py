"""Equations of motion of the frozen model."""
