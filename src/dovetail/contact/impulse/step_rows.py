"""The rows of the impulse problem of a step, set in one call each."""

from typing import Any, NamedTuple

import numpy as np

from dovetail.collision.narrow_phase.contact_points import contact_points
from dovetail.contact.impulse.records import ConstraintRows, constraint_rows
from dovetail.contact.impulse.rows import invert_inertia, set_contact_rows, set_joint_rows
from dovetail.multibody.body_arrays import NO_BODIES, BodyArrays
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.records import FloatArray, Int64Array, bundler
from dovetail.runtime.warmup import warm, warm_later


class RowArrays(NamedTuple):
    """Space for the rows of n bodies; joint rows are the first ones."""

    bodies: BodyArrays
    rows: ConstraintRows
    inverse_inertia: FloatArray  # (n, 3, 3) [1/(kg m^2)] world axes
    joint_body: Int64Array  # (r, w) of all rows of joints, -1 the ground, or no body
    G: FloatArray  # (r, w, 6) Jacobian of all rows of joints, spins in body axes
    which: Int64Array  # (k,) rows of joints that are solved for
    lam: FloatArray  # impulses
    c: FloatArray  # bias
    rho: FloatArray  # [kg] of contacts


bundle_row_arrays = bundler(RowArrays)


@jit_in_place
def joint_rows_of(to, R):
    """See `joint_rows`."""
    invert_inertia(to.bodies, R, to.inverse_inertia)
    set_joint_rows(to.bodies, to.inverse_inertia, R, to.joint_body, to.G, to.which, to.rows)


@jit
def joint_rows(to, R):
    """Rows of joints at the rotations R (n, 3, 3)."""
    joint_rows_of(to, R)


@jit_in_place
def contact_rows_of(to, x, R, u, points):
    """See `contact_rows`."""
    joint, count = to.which.shape[0], points.gap.shape[0]
    for r in range(joint + 3 * count):
        to.lam[r], to.c[r] = 0.0, 0.0
    if count:
        invert_inertia(to.bodies, R, to.inverse_inertia)
        set_contact_rows(
            to.bodies, to.inverse_inertia, x, R, u, points, joint, to.rows, to.rho[:count]
        )


@jit
def contact_rows(to, x, R, u, points):
    """Rows of contacts at x (n, 3), R; all impulses and biases become zero.

    The first tangents are along the slip in u (n, 6).
    """
    contact_rows_of(to, x, R, u, points)


def no_row_arrays() -> Any:
    """A bundle of no rows, of the types every call has."""
    f, R = np.zeros(0), np.zeros((0, 3, 3))
    return bundle_row_arrays(
        NO_BODIES, constraint_rows(0), R, np.zeros((0, 2), np.int64), np.zeros((0, 2, 6)),
        np.zeros(0, np.int64), f, f, f,
    )  # fmt: skip


def _register() -> None:
    """Bundles are made by kernels themselves, so nothing of this runs at import."""
    to, x, R = no_row_arrays(), np.zeros((0, 3)), np.zeros((0, 3, 3))
    warm(joint_rows, to, R)
    warm(contact_rows, to, x, R, np.zeros((0, 6)), contact_points(0))


warm_later(_register)
