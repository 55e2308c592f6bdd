"""Clusters of bodies that cannot come near each other in a step, each a problem of its own."""
