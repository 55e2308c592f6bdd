"""What moves in a question: coordinates, chains of joints, closed loops, and their screws."""
