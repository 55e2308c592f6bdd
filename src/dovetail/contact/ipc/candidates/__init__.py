"""Candidate pairs of primitives and their distances."""
