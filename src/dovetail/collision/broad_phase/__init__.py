"""Which bodies can meet: boxes, oriented boxes, sweep and prune."""
