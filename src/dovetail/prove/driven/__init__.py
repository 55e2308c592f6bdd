"""Joints moved by a motor or by weight, with contact."""
