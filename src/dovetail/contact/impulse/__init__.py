"""Impulse law (LCP): non-penetration and Coulomb friction solved for velocities."""
