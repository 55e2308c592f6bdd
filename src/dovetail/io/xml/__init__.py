"""XML that may come from anyone: bounded elements and checked values."""
