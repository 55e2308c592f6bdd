"""MuJoCo models (MJCF) as scenes."""

from dovetail.io.mjcf.reading import read

__all__ = ["read"]
