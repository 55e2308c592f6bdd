"""Bounding volume hierarchies over the simplices of a body."""
