"""Second derivatives of joint rows against differences of their Jacobians."""

import numpy as np
import pytest

from dovetail.contact.ipc.joints.curvature import add_curvature
from dovetail.contact.ipc.joints.records import RowValues
from dovetail.contact.ipc.joints.rows import evaluate_rows
from dovetail.contact.ipc.model_bodies import ipc_bodies
from dovetail.contact.ipc.records import bundle_bodies
from dovetail.integrators.shared.potential_joints import PotentialJoints
from dovetail.linalg.lie import so3
from dovetail.model import Actuation, Revolute
from dovetail.multibody.constraints import ConstrainedSystem
from dovetail.multibody.constraints.rows import bundle_rows
from jointed_scenes import AXIS, EVERY_JOINT, POINT, two_bodies_joined_by

KINDS = ("fixed", "revolute", "universal", "screw", "planar")


@pytest.mark.parametrize("kind", KINDS)
def test_curvature_is_the_derivative_of_the_rows(kind):
    """Symmetric second derivative along exp([w]): half the change of G(d) d on both sides."""
    joint = EVERY_JOINT[kind]
    if kind == "revolute":
        joint = Revolute(POINT, AXIS, actuation=[Actuation(stiffness=1.0)])
    model = two_bodies_joined_by(joint).build()
    rng = np.random.default_rng(1)
    bodies = ipc_bodies(model, touching=False)
    joints = PotentialJoints(model, bodies, ConstrainedSystem(model).initial)
    bundled_bodies = bundle_bodies(bodies)
    rows, ends = joints.system.rows, joints.system.rows.body
    x = joints.system.initial.x + 0.1 * rng.normal(size=(2, 3))
    R = np.array([so3.exp(0.3 * rng.normal(size=3)) @ A for A in joints.system.initial.R])
    n_rows = len(rows.kind)

    def values(twist):
        there = x + twist[:, :3]
        rotated = np.array([so3.exp(w) @ A for w, A in zip(twist[:, 3:], R)])
        found = RowValues(np.zeros(n_rows), np.zeros(n_rows), np.zeros((n_rows, 2, 6)))
        evaluate_rows(joints.arrays.rows, bundled_bodies, there, rotated, np.zeros(n_rows), found)
        return found.phi

    bundled = bundle_rows(*rows)
    d, eps = rng.normal(size=(2, 6)), 1e-4
    second = (values(eps * d) - 2 * values(0 * d) + values(-eps * d)) / eps**2
    for r in range(n_rows):
        H = np.zeros((12, 12))
        add_curvature(bundled, x, R, r, 1.0, H)
        own = np.concatenate([d[i] if i >= 0 else np.zeros(6) for i in ends[r]])
        assert not H[6:, :6].any()
        H[6:, :6] = H[:6, 6:].T
        assert np.allclose(H, H.T)
        assert own @ H @ own == pytest.approx(second[r], abs=1e-5 * (1 + abs(second[r])))
