"""Meshes from files: vertices, triangles and free edges as written, nothing repaired."""

from dovetail.model.mesh_files.reading import LARGEST_FILE, SUFFIXES, read_mesh

__all__ = ["LARGEST_FILE", "SUFFIXES", "read_mesh"]
