"""Lie group Stoermer-Verlet for bodies without joints."""
