"""What several schemes share."""
