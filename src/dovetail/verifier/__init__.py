"""The verifier: whether a result is free of intersections, by code that no solver uses."""
