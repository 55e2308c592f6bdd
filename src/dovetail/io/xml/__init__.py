"""XML from untrusted files: bounded elements and checked values."""
