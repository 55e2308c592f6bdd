"""Vectors, rotations, sparse factors, complementarity: numbers in, numbers out."""
