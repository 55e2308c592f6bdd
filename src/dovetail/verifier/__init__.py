"""Independent proof that a result has no intersections; shares no solver code."""
