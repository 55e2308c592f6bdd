"""What may stand in a scene document, version 1."""
