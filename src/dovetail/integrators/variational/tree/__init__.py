"""RATTLie over a tree of joints, in joint coordinates and at linear cost."""
