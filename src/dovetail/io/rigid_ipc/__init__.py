"""Scenes of rigid-ipc, the reference code of Ferguson et al. 2021."""

from dovetail.io.rigid_ipc.reading import read

__all__ = ["read"]
