"""One step of motion: one scheme per file."""
