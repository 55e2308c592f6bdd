"""Random trees with every kind of joint: our kernels against Pinocchio to 1e-10."""

import numpy as np
import pytest

from dovetail.model.joints.registry import BUILT_IN
from dovetail.multibody.tree import (
    build_tree,
    forward_dynamics,
    integrate,
    inverse_dynamics,
    kinetic_energy,
    mass_matrix,
    motion,
    random_configuration,
)
from random_trees import random_kinds, random_tree_parts

pin = pytest.importorskip("pinocchio", reason="Pinocchio (PyPI `pin`) is the oracle of this file")
from pinocchio_model import peer_of  # noqa: E402

GRAVITY = (0.3, -1.2, -9.81)
CASES = [*((kind, 4) for kind in BUILT_IN if kind != "fixed"), ("any", 12), ("any", 40)]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]} x {case[1]}")
def system(request):
    kind, n = request.param
    rng = np.random.default_rng(11)
    kinds = random_kinds(rng, n) if kind == "any" else [kind] * n
    bodies, joints = random_tree_parts(rng, kinds)
    tree = build_tree(bodies, joints)
    peer = peer_of(tree, bodies, joints, GRAVITY)
    return tree, peer, bodies, random_configuration(tree, rng), rng.normal(size=tree.n_v), rng


def assert_close(ours, theirs, tolerance=1e-10):
    """Largest difference against the largest entry (or 1)."""
    assert np.shape(ours) == np.shape(theirs)
    assert np.abs(ours - theirs).max() < tolerance * max(1.0, np.abs(theirs).max())


def test_forward_dynamics_agree(system):
    tree, peer, bodies, q, v, rng = system
    tau = rng.normal(size=tree.n_v)
    data = peer.model.createData()
    theirs = pin.aba(peer.model, data, peer.q(q), peer.v(v), peer.v(tau)).copy()
    assert_close(peer.v(forward_dynamics(tree, q, v, tau, GRAVITY)), theirs)

    pin.forwardKinematics(peer.model, data, peer.q(q))
    wrench = rng.normal(size=(tree.n_bodies, 6))
    forces = peer.wrenches(bodies, wrench, data)
    theirs = pin.aba(peer.model, data, peer.q(q), peer.v(v), peer.v(tau), forces)
    assert_close(peer.v(forward_dynamics(tree, q, v, tau, GRAVITY, wrench)), theirs)


def test_inverse_dynamics_agree(system):
    tree, peer, _, q, v, rng = system
    a = rng.normal(size=tree.n_v)
    theirs = pin.rnea(peer.model, peer.model.createData(), peer.q(q), peer.v(v), peer.v(a))
    assert_close(peer.v(inverse_dynamics(tree, q, v, a, GRAVITY)), theirs)


def test_mass_matrices_agree(system):
    tree, peer, _, q, _, _ = system
    upper = np.triu(pin.crba(peer.model, peer.model.createData(), peer.q(q)))
    theirs = upper + np.triu(upper, 1).T
    assert_close(mass_matrix(tree, q)[np.ix_(peer.reordered, peer.reordered)], theirs)


def test_poses_velocities_and_energies_agree(system):
    tree, peer, bodies, q, v, _ = system
    data = peer.model.createData()
    pin.forwardKinematics(peer.model, data, peer.q(q), peer.v(v))
    now = motion(tree, q, v)
    for number, body in enumerate(bodies, 1):
        index, frame = peer.body_at[number]
        place = data.oMi[index] * frame.placement
        centre = place.act(np.asarray(body.com) - frame.reference)
        assert_close(now.com[number - 1], centre)
        assert_close(now.rotation[number - 1], place.rotation @ body.rotation)
        speed = data.oMi[index].act(data.v[index])  # at the world's origin
        assert_close(now.angular_velocity[number - 1], speed.angular)
        assert_close(now.velocity[number - 1], speed.linear + np.cross(speed.angular, centre))
    theirs = pin.computeKineticEnergy(peer.model, data)
    assert kinetic_energy(tree, q, v) == pytest.approx(theirs, rel=1e-12)


def test_steps_on_the_manifold_agree(system):
    tree, peer, _, q, v, _ = system
    theirs = pin.integrate(peer.model, peer.q(q), 0.7 * peer.v(v))
    ours = peer.q(integrate(tree, q, v, 0.7))
    # a quaternion and its opposite are the same turn: compare where the bodies end up
    data, other = peer.model.createData(), peer.model.createData()
    pin.forwardKinematics(peer.model, data, ours)
    pin.forwardKinematics(peer.model, other, theirs)
    for mine, yours in zip(data.oMi, other.oMi, strict=True):
        assert_close(mine.homogeneous, yours.homogeneous)
