"""Saddle-point systems of bodies and joints, factored along their tree."""
