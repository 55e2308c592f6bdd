"""Which bodies are near: boxes, oriented boxes, sweep and prune."""
