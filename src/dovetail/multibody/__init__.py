"""Equations of motion: topology, trees, constraints, loops, loads, energy."""
