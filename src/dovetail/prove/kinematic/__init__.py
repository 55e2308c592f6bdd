"""Joints through their ranges, without forces."""
