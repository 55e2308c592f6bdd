"""The package's own scene files, YAML or JSON: schema, units, reading and writing."""
