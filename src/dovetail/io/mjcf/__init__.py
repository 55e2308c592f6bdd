"""MuJoCo models (MJCF) as scenes, compiled by MuJoCo itself."""

from dovetail.io.mjcf.reading import read

__all__ = ["read"]
