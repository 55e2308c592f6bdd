"""What the tree kernels read and write: constant arrays of a model, and its working arrays.

Row 0 is the ground, row i the body labelled i, and parent[i] < i, so that every recursion is a
plain loop from 1 to n and back. The frame of body i has its origin at its joint's point, z along
the joint's axis (for a universal joint x along the second axis) and coincides with the joint
frame on the parent's side when the joint's coordinates are zero.

While computing, vectors have world axes; motion vectors are (angular, linear) and force vectors
(moment, force), both referred to the origin of the body they belong to. So passing from body to
body is a shift, never a rotation, and a body far from the world's origin loses no digits.
Featherstone, Rigid Body Dynamics Algorithms (2008), in these coordinates.
"""

from typing import NamedTuple

import numpy as np

FIXED, REVOLUTE, PRISMATIC, CYLINDRICAL, UNIVERSAL, SPHERICAL, PLANAR, SCREW, FREE = range(9)
KIND_NAMES = (
    "fixed",
    "revolute",
    "prismatic",
    "cylindrical",
    "universal",
    "spherical",
    "planar",
    "screw",
    "free",
)
N_Q = (0, 1, 1, 2, 2, 4, 3, 1, 7)
"""Coordinates of each kind of joint."""
N_V = (0, 1, 1, 2, 2, 3, 3, 1, 6)
"""Velocities of each kind of joint."""


class TreeArrays(NamedTuple):
    """A compiled tree of n bodies; constant during a run. SI units."""

    parent: np.ndarray  # (n + 1,) label of the parent; parent[0] = -1
    kind: np.ndarray  # (n + 1,) kind of the joint that holds the body
    q_start: np.ndarray  # (n + 2,) body i reads q[q_start[i] : q_start[i + 1]]
    v_start: np.ndarray  # (n + 2,) body i reads v[v_start[i] : v_start[i + 1]]
    joint_axes: np.ndarray  # (n + 1, 3, 3) joint frame in the parent's frame
    joint_point: np.ndarray  # (n + 1, 3) joint point in the parent's frame [m]
    lead: np.ndarray  # (n + 1,) advance of a screw joint [m/rad]
    mass: np.ndarray  # (n + 1,) [kg]
    com: np.ndarray  # (n + 1, 3) centre of mass in the body's frame [m]
    inertia: np.ndarray  # (n + 1, 6) about the centre of mass: xx, xy, xz, yy, yz, zz [kg m^2]


class TreeScratch(NamedTuple):
    """Working arrays of the tree kernels, owned by the caller and reused between calls."""

    R: np.ndarray  # (n + 1, 3, 3) body frame -> world
    o: np.ndarray  # (n + 1, 3) origin of the body frame [m]
    S: np.ndarray  # (n_v, 6) motion subspace: velocity of the body per unit of each v
    V: np.ndarray  # (n + 1, 6) velocity
    C: np.ndarray  # (n + 1, 6) acceleration that velocities alone cause across the joint
    A: np.ndarray  # (n + 1, 6) spatial acceleration
    F: np.ndarray  # (n + 1, 6) force
    I: np.ndarray  # (n + 1, 21) articulated or composite inertia
    U: np.ndarray  # (n_v, 6) articulated inertia times motion subspace
    D: np.ndarray  # (n_v, 2) its inverse diagonal and the effort left over


def scratch_for(n_bodies: int, n_v: int) -> TreeScratch:
    """Working arrays of the right sizes, with the ground at rest at the origin."""
    rows = n_bodies + 1
    R = np.zeros((rows, 3, 3))
    R[0] = np.eye(3)
    six = (rows, 6)
    return TreeScratch(
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
        kind=np.zeros(1, dtype=np.int64),
        q_start=np.zeros(2, dtype=np.int64),
        v_start=np.zeros(2, dtype=np.int64),
        joint_axes=np.eye(3)[np.newaxis].copy(),
        joint_point=np.zeros((1, 3)),
        lead=np.zeros(1),
        mass=np.zeros(1),
        com=np.zeros((1, 3)),
        inertia=np.zeros((1, 6)),
    )
