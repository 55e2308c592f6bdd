"""What is shown of a proof and while it is searched for."""
