"""Exact intersection tests from orientation signs."""
