"""Newton's method in the velocities of the bodies, with one 6x6 block row per body."""
