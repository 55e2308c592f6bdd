"""How far triangles are from the true surfaces that they stand for."""
