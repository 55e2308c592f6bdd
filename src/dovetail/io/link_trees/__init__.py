"""Links in a tree, some of them without mass, as the bodies and joints of a scene."""
