"""The package's own scene files (YAML, JSON): schema, units, reading, writing."""
