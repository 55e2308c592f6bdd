"""Islands that have converged, and islands that sleep."""
