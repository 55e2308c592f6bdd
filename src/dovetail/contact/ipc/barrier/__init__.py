"""The barrier: its function, its stiffness, its derivatives over all contacts."""
