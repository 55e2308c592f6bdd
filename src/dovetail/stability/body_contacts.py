"""Mass matrix and contact Jacobians of one free rigid body that touches at given points."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dovetail.errors import InputError
from dovetail.model.values import finite_array, positive
from dovetail.runtime.options import named_options

Array = NDArray[np.float64]


@dataclass(frozen=True)
class BodyContacts:
    """What `dt.lcp.contact_problem` asks of a body: coordinates (v, omega), world frame.

    Attributes:
        M: (6, 6) mass matrix. N, T, O: (p, 6) contact Jacobians.
        gyroscopic: (6,) the force G of M qdd + G = u.
        slip: (p, 2) velocity of the touching points along T and O [m/s].
        bias: (p, 3) their acceleration at qdd = 0 along N, T, O [m/s^2].
    """

    M: Array
    N: Array
    T: Array
    O: Array
    gyroscopic: Array
    slip: Array
    bias: Array


@named_options
def body_contacts(
    mass: float,
    inertia: Any,
    points: Any,
    normals: Any = (0.0, 0.0, 1.0),
    *,
    position: Any = (0.0, 0.0, 0.0),
    rotation: Any = None,
    velocity: Any = (0.0, 0.0, 0.0),
    angular_velocity: Any = (0.0, 0.0, 0.0),
    tangents: Any = None,
) -> BodyContacts:
    """Contacts of a body at world `points` (p, 3) with a fixed obstacle with `normals` (p, 3).

    mass [kg]; inertia about the centre in the body frame, (3,) principal or (3, 3) [kg m^2];
    position of the centre [m], rotation (3, 3), velocity [m/s], angular velocity [rad/s] in the
    world. The first tangent T is `tangents` (p, 3), made perpendicular to the normal; where None,
    the slip direction of a sliding contact, else one perpendicular to the normal. O = N x T.
    """
    R = np.eye(3) if rotation is None else finite_array(rotation, "`rotation`", (3, 3))
    I_world = R @ _inertia(inertia) @ R.T
    arms = _rows(points, "`points`", None) - finite_array(position, "`position`", (3,), "m")
    normal = _unit(_rows(normals, "`normals`", len(arms)), "`normals`")
    v = finite_array(velocity, "`velocity`", (3,), "m/s")
    w = finite_array(angular_velocity, "`angular_velocity`", (3,), "rad/s")
    at_point = v + cross(w, arms)
    T = first_tangents(normal, at_point, tangents)
    O = cross(normal, T)
    M = np.zeros((6, 6))
    M[:3, :3] = positive(mass, "`mass`", "kg") * np.eye(3)
    M[3:, 3:] = I_world
    inward = cross(w, cross(w, arms))
    return BodyContacts(
        M=M,
        N=_jacobian(normal, arms),
        T=_jacobian(T, arms),
        O=_jacobian(O, arms),
        gyroscopic=np.concatenate([np.zeros(3), cross(w, I_world @ w)]),
        slip=np.column_stack([_along(T, at_point), _along(O, at_point)]),
        bias=np.column_stack([_along(d, inward) for d in (normal, T, O)]),
    )


def _jacobian(directions: Array, arms: Array) -> Array:
    """Rows (d, r x d): d.(v + omega x r)."""
    return np.hstack([directions, cross(arms, directions)])


def cross(a: Array, b: Array) -> Array:
    """a x b along the last axis."""
    x, y, z = np.moveaxis(a, -1, 0)
    u, v, w = np.moveaxis(b, -1, 0)
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)


def _along(directions: Array, vectors: Array) -> Array:
    return np.asarray(np.einsum("ij,ij->i", directions, vectors))


def _inertia(inertia: ArrayLike) -> Array:
    try:
        matrix = np.asarray(inertia, dtype=np.float64)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.shape == (3,):
        matrix = np.diag(matrix)
    if matrix.shape != (3, 3) or not np.all(np.isfinite(matrix)):
        raise InputError(
            "`inertia` must be 3 principal moments or a 3x3 matrix of finite numbers in kg m^2, "
            f"got {inertia!r}"
        )
    if np.linalg.eigvalsh(0.5 * (matrix + matrix.T))[0] <= 0:
        raise InputError(
            "`inertia` must be positive definite in kg m^2, got principal moments "
            f"{np.linalg.eigvalsh(0.5 * (matrix + matrix.T))}; a thin rod needs a small moment "
            "about its axis too"
        )
    return np.asarray(matrix)


def _rows(value: Any, what: str, count: int | None) -> Array:
    try:
        array = np.atleast_2d(np.asarray(value, dtype=np.float64))
    except (TypeError, ValueError):
        array = np.empty((0, 0))
    if count is not None and array.shape == (1, 3):
        array = np.broadcast_to(array, (count, 3))
    if array.ndim != 2 or array.shape[1] != 3 or (count is not None and len(array) != count):
        raise InputError(f"{what} must be 3 numbers for each contact, got {value!r}")
    if not np.all(np.isfinite(array)):
        raise InputError(f"{what} must be finite numbers, got {value!r}")
    return array


def _unit(vectors: Array, what: str) -> Array:
    length = np.linalg.norm(vectors, axis=1)
    if np.any(length == 0):
        raise InputError(f"{what} must have a direction, got {vectors[np.argmin(length)]}")
    return np.asarray(vectors / length[:, None])


def first_tangents(normal: Array, velocity: Array, tangents: Any) -> Array:
    """Unit T (p, 3): as given, along the slip, or any perpendicular to the normal."""
    if tangents is not None:
        wanted = _rows(tangents, "`tangents`", len(normal))
    else:
        sliding = velocity - _along(normal, velocity)[:, None] * normal
        least = np.eye(3)[np.argmin(np.abs(normal), axis=1)]
        at_rest = np.linalg.norm(sliding, axis=1) <= 1e-12 * (1 + np.linalg.norm(velocity, axis=1))
        wanted = np.where(at_rest[:, None], least, sliding)
    return _unit(wanted - _along(normal, wanted)[:, None] * normal, "`tangents`")
