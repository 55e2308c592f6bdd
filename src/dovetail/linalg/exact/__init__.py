"""Signs that rounding cannot change: expansions, orientation, the convex hull."""
