"""Mesh file readers: vertices, triangles, free edges as written."""

from dovetail.model.mesh_files.reading import LARGEST_FILE, SUFFIXES, read_mesh

__all__ = ["LARGEST_FILE", "SUFFIXES", "read_mesh"]
