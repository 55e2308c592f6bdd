"""Mechanisms with closed loops: accelerations against Pinocchio's constraint dynamics to 1e-10.

Pinocchio closes loops by balls and welds only. So each closing joint of another kind ends in a
small body of its own that a Fixed joint holds: we cut the closing joint, Pinocchio cuts the weld.
"""

import numpy as np
import pytest

from dovetail.model.joints import Actuation, Fixed
from dovetail.model.joints.registry import BUILT_IN
from dovetail.model.scene import Scene
from dovetail.multibody.mechanism import Mechanism
from dovetail.multibody.topology import analyse
from dovetail.multibody.tree import TreeBody, TreeJoint, build_tree, neutral
from mechanism_scenes import random_body, random_joint

pin = pytest.importorskip("pinocchio", reason="Pinocchio (PyPI `pin`) is the oracle of this file")
from pinocchio_model import peer_of  # noqa: E402

KEPT = (Actuation(damping=1.0),)  # a joint with a damper is not cut; forward_dynamics adds none
TREE = ("spherical", "revolute", "universal", "cylindrical", "planar", "prismatic", "screw")


def random_loops(rng, closing):
    """A tree of every kind of joint with joints of kind `closing` across its branches."""
    scene = Scene(gravity=(0.3, -1.2, -9.81))
    names = ["ground"]
    for i, kind in enumerate([*rng.permutation(TREE).tolist(), *TREE]):
        random_body(rng, scene, f"body {i}")
        joint = random_joint(rng, kind, actuation=KEPT)
        scene.add_joint(f"joint {i}", joint, names[(i + 1) // 2], f"body {i}")
        names.append(f"body {i}")
    for i, (a, b) in enumerate([("body 13", "body 6"), ("ground", "body 9")]):
        random_body(rng, scene, f"shoe {i}")
        scene.add_joint(f"weld {i}", Fixed(rng.uniform(-1, 1, 3)), b, f"shoe {i}")
        scene.add_joint(f"closing {i}", random_joint(rng, closing), a, f"shoe {i}")
    return scene


def pinocchio_system(model):
    """Its model, the welds as constraints, and our tree with the same cuts."""
    bodies = [
        TreeBody(model.mass[i], model.position[i], model.rotation[i], model.inertia[i])
        for i in range(model.n_bodies)
    ]
    joints = [
        TreeJoint(
            placed.joint.kind,
            (placed.body_a + 1, placed.body_b + 1),
            placed.joint.point,
            np.asarray(placed.joint.axis),
            getattr(placed.joint, "axis2", (1, 0, 0)),
            getattr(placed.joint, "pitch", 0.0),
        )
        for placed in model.joints
    ]
    welds = [i for i, placed in enumerate(model.joints, 1) if placed.name.startswith("weld")]
    topology = analyse(
        [joint.bodies for joint in joints],
        weights=[0.0 if i in welds else 1.0 for i in range(1, len(joints) + 1)],
    )
    assert list(topology.cut_joints) == welds
    tree = build_tree(bodies, joints, topology)
    peer = peer_of(tree, bodies, joints, model.gravity)
    constraints = pin.StdVec_RigidConstraintModel()
    for weld in welds:
        ends = []
        point = np.asarray(joints[weld - 1].point)
        for body in joints[weld - 1].bodies:
            index, frame = peer.body_at[body]
            ends += [index, frame.placement * pin.SE3(np.eye(3), point - frame.reference)]
        kind = pin.ContactType.CONTACT_6D
        constraints.append(
            pin.RigidConstraintModel(kind, peer.model, *ends, pin.ReferenceFrame.LOCAL)
        )
    return peer, constraints


@pytest.mark.parametrize("closing", BUILT_IN)
def test_accelerations_of_loops_closed_by_every_kind_of_joint_agree(closing):
    rng = np.random.default_rng(7)
    model = random_loops(rng, closing).build()
    ours = Mechanism(model)
    assert {closure.name for closure in ours.closures} == {"closing 0", "closing 1"}
    peer, constraints = pinocchio_system(model)

    # a random motion that keeps the loops closed, in our coordinates
    q = ours.neutral()
    J = ours.jacobian(q)
    v = rng.normal(size=ours.n_v)
    v -= np.linalg.pinv(J) @ (J @ v) if len(J) else 0.0
    tau = rng.normal(size=ours.n_v)
    a = ours.forward_dynamics(q, v, tau).a

    # the same motion in theirs: tree joints have the same coordinates, closing joints follow
    n_tree = len(TREE) * 2
    names = [f"joint {i}" for i in range(n_tree)]
    numbers = [i for i, placed in enumerate(model.joints, 1) if placed.name in names]
    v_peer, tau_peer = np.zeros(peer.tree.n_v), np.zeros(peer.tree.n_v)
    for name, number in zip(names, numbers, strict=True):
        v_peer[peer.tree.v_of(number)] = v[ours.v_of(name)]
        tau_peer[peer.tree.v_of(number)] = tau[ours.v_of(name)]
    data = peer.model.createData()
    datas = pin.StdVec_RigidConstraintData()
    for contact in constraints:
        datas.append(contact.createData())
    q_peer = neutral(peer.tree)
    follow_weld(peer, constraints, q_peer, v_peer, numbers)
    pin.initConstraintDynamics(peer.model, data, constraints, datas)
    settings = pin.ProximalSettings(1e-15, 1e-10, 400)
    theirs = np.empty(peer.tree.n_v)
    theirs[peer.reordered] = pin.constraintDynamics(
        peer.model, data, peer.q(q_peer), peer.v(v_peer), peer.v(tau_peer), constraints, datas,
        settings,
    )  # fmt: skip
    for name, number in zip(names, numbers, strict=True):
        mine, other = a[ours.v_of(name)], theirs[peer.tree.v_of(number)]
        assert np.abs(mine - other).max() < 1e-10 * max(1.0, np.abs(theirs).max()), name


def follow_weld(peer, constraints, q, v, known):
    """Velocities of the closing joints from the weld's velocity equations."""
    data = peer.model.createData()
    pin.computeJointJacobians(peer.model, data, peer.q(q))
    world = pin.ReferenceFrame.WORLD  # spatial velocities at the origin: equal when welded
    weld_rows = [
        pin.getJointJacobian(peer.model, data, contact.joint1_id, world)
        - pin.getJointJacobian(peer.model, data, contact.joint2_id, world)
        for contact in constraints
    ]
    J = np.zeros((6 * len(weld_rows), v.size))
    J[:, peer.reordered] = np.concatenate(weld_rows)
    free = np.ones(v.size, dtype=bool)
    for number in known:
        free[peer.tree.v_of(number)] = False
    v[free] = np.linalg.lstsq(J[:, free], -J[:, ~free] @ v[~free], rcond=None)[0]
    assert np.abs(J @ v).max() < 1e-12
