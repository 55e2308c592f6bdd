"""Workspace of the contact solver."""

from typing import NamedTuple

import numpy as np

from dovetail.runtime.records import FloatArray


class SweepWorkspace(NamedTuple):
    """Workspace of the Gauss-Seidel sweeps over r rows."""

    previous: FloatArray  # (r,) impulses before the two sweeps
    direction: FloatArray  # (r,) conjugate direction


def sweep_workspace(r: int) -> SweepWorkspace:
    return SweepWorkspace(np.zeros(r), np.zeros(r))
