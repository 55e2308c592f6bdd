"""URDF robots as scenes."""

from dovetail.io.urdf.reading import read

__all__ = ["read"]
