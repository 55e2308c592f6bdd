"""Lie group Stoermer-Verlet under a barrier potential."""
