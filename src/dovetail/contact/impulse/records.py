"""The records of the impulse method: contacts, constraint rows, the system to solve, outcomes.

Velocities u (n, 6) are v [m/s] and the angular velocity [rad/s] of every body in world axes.
"""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from dovetail.collision.narrow_phase.contact_points import ContactPoints, contact_points
from dovetail.model.friction_curve import FrictionCurve
from dovetail.runtime.records import FloatArray, Int8Array, Int32Array, bundler

# a joint row: J u + c = 0, lambda >= 0, left out, |lambda| <= bound (dry friction)
BILATERAL, UNILATERAL, RELEASED, BOUNDED = 0, 1, 2, 3
INACTIVE, ACTIVE, NORMAL_FIXED = 0, 1, 2  # a contact: left out, solved, friction follows only


class ContactMaterials(NamedTuple):
    """Material numbers of m contacts, (m,) each."""

    mu_s: FloatArray  # friction coefficient up to the slip v_s
    mu_d: FloatArray  # from the slip v_d on
    v_s: FloatArray  # [m/s]
    v_d: FloatArray  # [m/s]
    restitution: FloatArray


class ContactArrays(NamedTuple):
    """Points, materials and sizes of m contacts, for kernels that take one pointer."""

    body: Int32Array  # (m, 2), as in `ContactPoints`
    point: FloatArray  # (m, 3) [m]
    normal: FloatArray  # (m, 3)
    gap: FloatArray  # (m,) [m]
    mu_s: FloatArray  # (m,), as in `ContactMaterials`
    mu_d: FloatArray  # (m,)
    v_s: FloatArray  # (m,) [m/s]
    v_d: FloatArray  # (m,) [m/s]
    restitution: FloatArray  # (m,)
    body_size: FloatArray  # (m, 2) [m]


bundle_contacts = bundler(ContactArrays)


@dataclass(frozen=True, eq=False)
class ContactSet:
    """The contacts that a step must know of; what an impulse law finds."""

    points: ContactPoints
    body_size: FloatArray  # (m, 2) [m] diagonals of the boxes of bodies a and b
    materials: ContactMaterials
    curves: tuple[FrictionCurve | None, ...] = ()  # (m,) in place of mu_s to v_d; () without any

    @cached_property
    def count(self) -> int:
        return len(self.points.gap)

    @cached_property
    def arrays(self) -> Any:
        """A bundle of `ContactArrays`; sets of the same contacts are kept from step to step."""
        return bundle_contacts(*self.points, *self.materials, self.body_size)

    @cached_property
    def bounces(self) -> bool:
        """Whether any contact has restitution."""
        return bool(self.materials.restitution.any())

    @cached_property
    def smaller_size(self) -> FloatArray:
        """(m,) [m] size of the smaller body of each contact."""
        return np.asarray(self.body_size.min(axis=1))


@cache
def no_contact_set() -> ContactSet:
    """None, of the types every call has."""
    f = np.zeros(0)
    return ContactSet(contact_points(0), np.zeros((0, 2)), ContactMaterials(f, f, f, f, f))


class ConstraintRows(NamedTuple):
    """r scalar rows J u over k bodies each (-1: the ground, or none): 2, more with couplings."""

    body: Int32Array  # (r, k) a, b, ...
    J: FloatArray  # (r, 6 k) d/d(v_a, spin_a, v_b, spin_b, ...)
    WJ: FloatArray  # (r, 6 k) M^-1 J^T
    diagonal: FloatArray  # (r,) J WJ
    coupling: FloatArray  # (r,) of tangents: J WJ with the normal of their contact


def constraint_rows(r: int, width: int = 2) -> ConstraintRows:
    """Space for r rows of up to `width` bodies."""
    J, WJ = np.zeros((r, 6 * width)), np.zeros((r, 6 * width))
    return ConstraintRows(np.full((r, width), -1, np.int32), J, WJ, np.zeros(r), np.zeros(r))


def copy_rows(source: ConstraintRows, target: ConstraintRows, count: int) -> None:
    """The first `count` rows of `source` into `target`."""
    target.body[:count], target.J[:count] = source.body[:count], source.J[:count]
    target.WJ[:count], target.diagonal[:count] = source.WJ[:count], source.diagonal[:count]


class ImpulseSystem(NamedTuple):
    """All that the impulses lambda must satisfy: rows of joints first, then 3 of every contact."""

    rows: ConstraintRows
    n_joint: int
    c: FloatArray  # (r,) [m/s] or [rad/s], of J u + c
    mode: Int8Array  # (n_joint,) BILATERAL, UNILATERAL, RELEASED or BOUNDED
    bound: FloatArray  # (n_joint,) [N s or N m s] of BOUNDED rows
    softness: FloatArray  # (n_joint,) s of J u + c + s lambda = 0, > 0 for a damper
    unit: FloatArray  # (n_joint,) [m] a length for angles, 1 for distances: residuals in m/s
    mu: FloatArray  # (k,) friction coefficient of each contact
    rho: FloatArray  # (k,) [kg] 1 / largest eigenvalue of the contact's tangential 2 x 2 block
    active: Int8Array  # (k,) INACTIVE, ACTIVE or NORMAL_FIXED
    facets: int  # corners of the friction pyramid's base, 0 for the round cone


class Outcome(NamedTuple):
    """How well the laws of all rows are satisfied."""

    iterations: int  # sweeps and factorisations
    residual: float  # [m/s]
    row: int  # with the largest residual, -1 nowhere


def no_system() -> ImpulseSystem:
    """No rows, of the types every call has."""
    f, flags = np.zeros(0), np.zeros(0, np.int8)
    return ImpulseSystem(constraint_rows(0), 0, f, flags, f, f, f, f, f, flags, 0)
