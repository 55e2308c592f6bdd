"""Distances of points, edges, triangles and planes, with derivatives."""
