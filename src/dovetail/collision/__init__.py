"""How far: meshes, boxes, trees, distances."""
