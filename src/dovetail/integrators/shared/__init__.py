"""What several schemes share: constrained state, impacts, Newton steps."""
