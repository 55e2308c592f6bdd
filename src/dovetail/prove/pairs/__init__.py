"""Two bodies: branch and bound over their triangles and over cells of what is swept."""
