"""Intersection-free rigid bodies: contact as a barrier in the potential of an implicit step."""
