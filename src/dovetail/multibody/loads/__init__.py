"""Gravity, springs, dampers, forces and user functions."""
