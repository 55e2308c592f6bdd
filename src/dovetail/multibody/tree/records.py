"""What the tree kernels read and write: constant arrays of a model, and its working arrays.

Row 0 is the ground, row i the body labelled i, and parent[i] < i, so that every recursion is a
plain loop from 1 to n and back. The frame of body i has its origin at its joint's point, z along
the joint's axis (x along its second axis, if it has one) and coincides with the joint frame on the
parent's side when the joint's coordinates are zero.

While computing, vectors have world axes; motion vectors are (angular, linear) and force vectors
(moment, force), both referred to the origin of the body they belong to. So passing from body to
body is a shift, never a rotation, and a body far from the world's origin loses no digits.
Featherstone, Rigid Body Dynamics Algorithms (2008), in these coordinates.
"""

from typing import NamedTuple

import numpy as np

from dovetail.runtime.records import FloatArray, Int64Array, bundler

CODE, AXIS, Q_INDEX, V_INDEX = range(4)
"""Columns of `TreeArrays.motion`."""
MANY = -1
ANGULAR, LINEAR = 1, 2
"""Bits of `TreeArrays.couples`."""


class TreeArrays(NamedTuple):
    """A compiled tree of n bodies; constant during a run. SI units."""

    parent: Int64Array  # (n + 1,) label of the parent; parent[0] = -1
    q_start: Int64Array  # (n + 2,) body i reads q[q_start[i] : q_start[i + 1]]
    v_start: Int64Array  # (n + 2,) body i reads v[v_start[i] : v_start[i + 1]]
    single: Int64Array  # (n + 1,) code of the joint's only motion along +z; MANY for others
    motion_start: Int64Array  # (n + 2,) joint i has motions motion_start[i] .. [i + 1] - 1
    motion: Int64Array  # (m, 4) CODE, AXIS of the joint frame, first Q_INDEX in q and V_INDEX in v
    motion_sign: FloatArray  # (m,) -1 where the joint's first body is the child
    couples: Int64Array  # (n + 1,) ANGULAR, LINEAR: accelerations that velocities alone cause
    carries: Int64Array  # (n + 1,) 1 where a motion moves the end off the axis of an earlier one
    joint_axes: FloatArray  # (n + 1, 3, 3) joint frame in the parent's frame
    joint_point: FloatArray  # (n + 1, 3) joint point in the parent's frame [m]
    lead: FloatArray  # (n + 1,) advance of a helix [m/rad]
    mass: FloatArray  # (n + 1,) [kg]
    com: FloatArray  # (n + 1, 3) centre of mass in the body's frame [m]
    inertia: FloatArray  # (n + 1, 6) about the centre of mass: xx, xy, xz, yy, yz, zz [kg m^2]


class TreeWorkspace(NamedTuple):
    """Working arrays of the tree kernels, owned by the caller and reused between calls."""

    R: FloatArray  # (n + 1, 3, 3) body frame -> world
    o: FloatArray  # (n + 1, 3) origin of the body frame [m]
    S: FloatArray  # (n_v, 6) motion subspace: velocity of the body per unit of each v
    V: FloatArray  # (n + 1, 6) velocity
    C: FloatArray  # (n + 1, 6) acceleration that velocities alone cause across the joint
    A: FloatArray  # (n + 1, 6) spatial acceleration
    F: FloatArray  # (n + 1, 6) force
    I: FloatArray  # (n + 1, 21) articulated or composite inertia
    U: FloatArray  # (n_v, 6) articulated inertia times motion subspace
    D: FloatArray  # (n_v, 2) its inverse diagonal and the effort left over


bundle_tree = bundler(TreeArrays)
bundle_tree_workspace = bundler(TreeWorkspace)


def workspace_for(n_bodies: int, n_v: int) -> TreeWorkspace:
    """Working arrays of the right sizes, with the ground at rest at the origin."""
    rows = n_bodies + 1
    R = np.zeros((rows, 3, 3))
    R[0] = np.eye(3)
    six = (rows, 6)
    return TreeWorkspace(
        R=R,
        o=np.zeros((rows, 3)),
        S=np.zeros((n_v, 6)),
        V=np.zeros(six),
        C=np.zeros(six),
        A=np.zeros(six),
        F=np.zeros(six),
        I=np.zeros((rows, 21)),
        U=np.zeros((n_v, 6)),
        D=np.zeros((n_v, 2)),
    )


def empty_tree() -> TreeArrays:
    """A tree of no bodies, which tells the compiler all types."""
    return TreeArrays(
        parent=np.full(1, -1, dtype=np.int64),
        q_start=np.zeros(2, dtype=np.int64),
        v_start=np.zeros(2, dtype=np.int64),
        single=np.full(1, MANY, dtype=np.int64),
        motion_start=np.zeros(2, dtype=np.int64),
        motion=np.zeros((0, 4), dtype=np.int64),
        motion_sign=np.zeros(0),
        couples=np.zeros(1, dtype=np.int64),
        carries=np.zeros(1, dtype=np.int64),
        joint_axes=np.eye(3)[np.newaxis].copy(),
        joint_point=np.zeros((1, 3)),
        lead=np.zeros(1),
        mass=np.zeros(1),
        com=np.zeros((1, 3)),
        inertia=np.zeros((1, 6)),
    )
