"""Smoothed Coulomb friction with lagged normal forces."""
