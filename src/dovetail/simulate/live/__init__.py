"""A simulation that is stepped, steered and measured by hand."""
