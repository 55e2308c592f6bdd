"""Joints inside the intersection-free solve."""
