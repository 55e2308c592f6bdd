"""Sparse Cholesky factors of symmetric positive matrices of 6x6 blocks."""
