"""Workspace of Newton's method on the impulse problem."""

from typing import NamedTuple

import numpy as np

from dovetail.linalg.block_cholesky.row_pairs import RowPairs
from dovetail.linalg.block_cholesky.workspace import BlockFactor
from dovetail.multibody.body_arrays import BodyArrays
from dovetail.runtime.records import FloatArray, bundler


class NewtonWorkspace(NamedTuple):
    """Workspace for n bodies, r rows, k joint rows and contacts, m pairs of bodies."""

    mass: FloatArray  # (n, 6, 6)
    J: FloatArray  # (r, 6 w) rows of up to w bodies without fixed directions
    u_free: FloatArray  # (n, 6) velocities without impulses
    u: FloatArray  # (n, 6) the iterate, which the impulses follow
    u_end: FloatArray  # (n, 6) velocities that the impulses cause
    step: FloatArray  # (n, 6) gradient, then Newton's step
    y: FloatArray  # (r,) l - w (J u + c)
    trial: FloatArray  # (r,) lambda(u)
    multiplier: FloatArray  # (r,) l
    weight: FloatArray  # (r,) w
    multiplier_share: FloatArray  # (r,) share of l in y: 1 but for soft rows
    bias: FloatArray  # (r,) c + mu slip
    bias_change: FloatArray  # (r,) change of the bias that is left
    rate: FloatArray  # (r,) J step
    best: FloatArray  # (r,) the best impulses so far
    derivative: FloatArray  # (k, 6) w P'
    factored: FloatArray  # (k, 6) w P' of the matrix that is factorised
    HJ: FloatArray  # (3, 6 w)
    diagonal: FloatArray  # (n, 6, 6) blocks of the matrix
    block: FloatArray  # (m, 6, 6)
    fixed_diagonal: FloatArray  # (n, 6, 6) of it: masses, and rows that act both ways
    fixed_block: FloatArray  # (m, 6, 6)


class NewtonParts(NamedTuple):
    """What Newton's method works with from step to step."""

    bodies: BodyArrays
    coupled: RowPairs
    workspace: NewtonWorkspace
    factor: BlockFactor


bundle_newton = bundler(NewtonParts)


def newton_workspace(n: int, r: int, k: int, m: int, width: int = 2) -> NewtonWorkspace:
    """Arrays for n bodies, r rows, k joint rows and contacts, and m pairs of bodies.

    Rows have up to `width` bodies.
    """
    return NewtonWorkspace(
        mass=np.empty((n, 6, 6)), J=np.empty((r, 6 * width)), u_free=np.empty((n, 6)),
        u=np.empty((n, 6)), u_end=np.empty((n, 6)), step=np.empty((n, 6)), y=np.empty(r),
        trial=np.empty(r), multiplier=np.empty(r), weight=np.empty(r),
        multiplier_share=np.empty(r), bias=np.empty(r), bias_change=np.empty(r),
        rate=np.empty(r), best=np.empty(r), derivative=np.zeros((k, 6)), factored=np.zeros((k, 6)),
        HJ=np.empty((3, 6 * width)), diagonal=np.empty((n, 6, 6)), block=np.empty((m, 6, 6)),
        fixed_diagonal=np.empty((n, 6, 6)), fixed_block=np.empty((m, 6, 6)),
    )  # fmt: skip
