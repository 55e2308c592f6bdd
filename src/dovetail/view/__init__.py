"""Pictures of a result: plots, viewer, exports."""
