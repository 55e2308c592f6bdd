"""Assemblies from CAD: STEP, 3MF, folders of meshes, objects of CAD libraries."""
