"""What a run leaves behind: store, analysis, certificate."""
