"""Pictures of a result: plots, rendering, browser viewer, exporters."""
