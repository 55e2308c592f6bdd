"""Geometry: meshes, BVH, broad and narrow phase, distances, CCD, distance fields."""
