"""What a question may be asked of, and in which words."""
