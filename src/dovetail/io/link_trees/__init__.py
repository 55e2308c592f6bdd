"""Links in a tree, some without mass, as bodies and joints of a scene."""
