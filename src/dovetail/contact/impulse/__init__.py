"""Contact as an impulse law: non-penetration and Coulomb friction solved for the velocities."""
