"""Scene readers and writers."""
