"""Euler parameters and multipliers, integrated by a Runge-Kutta method."""
