"""Cylinders, cones and rings as they are: solids of revolution against all else."""
