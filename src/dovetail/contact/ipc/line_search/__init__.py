"""Collision-free step sizes and the nonmonotone line search."""
