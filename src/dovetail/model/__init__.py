"""What the user describes: bodies, shapes, joints, loads; frozen when built."""
