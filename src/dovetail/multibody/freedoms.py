"""Which motions of each body are free, with the mass and inertia that resist them."""

import numpy as np

from dovetail.errors import InputError
from dovetail.model.frozen import DYNAMIC, Model
from dovetail.model.values import quote
from dovetail.multibody.body_arrays import FREE, HELD, HINGED, BodyArrays

FLATTEST = 1e-12  # least ratio of the smallest to the largest principal moment


def body_arrays(model: Model) -> BodyArrays:
    """Constants of all bodies; raises InputError for freedoms a free step cannot hold.

    A body rotates freely, about one world axis through its centre of mass, or not at all.
    """
    n = model.n_bodies
    dynamic = model.motion == DYNAMIC
    inverse_mass = np.zeros((n, 3))
    inverse_mass[dynamic] = 1.0 / model.mass[dynamic, None]
    inverse_mass[model.fixed[:, :3]] = 0.0
    turning = np.full(n, HELD, dtype=np.int64)
    inertia, inertia_inverse = np.zeros((n, 3, 3)), np.zeros((n, 3, 3))
    axis, axis_inertia = np.zeros((n, 3)), np.ones(n)
    mistakes = []
    in_all = dynamic & ~model.fixed[:, 3:].any(axis=1)  # directions
    moments = np.zeros((n, 3))
    moments[in_all] = np.linalg.eigvalsh(model.inertia[in_all])
    holds = in_all & (moments[:, 0] > FLATTEST * moments[:, 2])
    turning[in_all] = FREE
    inertia[holds] = model.inertia[holds]
    inertia_inverse[holds] = np.linalg.inv(model.inertia[holds])
    for i in np.flatnonzero(dynamic & ~holds):
        free = ~model.fixed[i, 3:]
        who = f"body {quote(model.names[i])}"
        if free.sum() == 1:
            turning[i] = HINGED
            axis[i, free] = 1.0
            in_body = model.rotation[i].T @ axis[i]
            axis_inertia[i] = in_body @ model.inertia[i] @ in_body
            if not axis_inertia[i] > 0.0:
                mistakes.append(f"{who} must have a moment > 0 kg m^2 about its free axis")
        elif free.sum() == 2:
            mistakes.append(
                f"`fixed` of {who} must leave three, one or none of rx, ry, rz free, it leaves "
                "two; hold another one, or use a joint"
            )
        elif free.all():
            mistakes.append(
                f"{who} must have moments of inertia > 0 kg m^2 to rotate, got "
                f"{quote(moments[i])}; give `inertia`, or hold rx, ry, rz with `fixed`"
            )
    if mistakes:
        raise InputError(mistakes)
    return BodyArrays(dynamic, inverse_mass, turning, inertia, inertia_inverse, axis, axis_inertia)


def unheld_arrays(model: Model) -> BodyArrays:
    """Constants of all bodies as if no joint and no `fixed` held them: they then move most."""
    n = model.n_bodies
    dynamic = model.motion == DYNAMIC
    inverse_mass = np.zeros((n, 3))
    inverse_mass[dynamic] = 1.0 / model.mass[dynamic, None]
    turning = np.where(dynamic, FREE, HELD).astype(np.int64)
    inertia = np.where(dynamic[:, None, None], model.inertia, 0.0)
    inverse = np.linalg.pinv(inertia, rcond=FLATTEST, hermitian=True)
    return BodyArrays(
        dynamic, inverse_mass, turning, inertia, inverse, np.zeros((n, 3)), np.ones(n)
    )
