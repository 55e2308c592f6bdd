"""Scenes of rigid-ipc, the reference code of 'Intersection-free Rigid Body Dynamics'."""

from dovetail.io.rigid_ipc.reading import read

__all__ = ["read"]
