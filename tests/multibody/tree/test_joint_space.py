"""Kinematics and dynamics in a scene's joint coordinates, against Pinocchio and by energy."""

import numpy as np
import pinocchio as pin
import pytest

import dovetail as dt
from dovetail.multibody.joint_space import JointSpace
from dovetail.multibody.tree import integrate

TOLERANCE = 1e-10


def branched(backward=False):
    """A tree of all kinds of joints on the ground, and a free body with a hinged flap."""
    scene, rng = dt.Scene(gravity=(0.3, -0.2, -9.81)), np.random.default_rng(4)

    def body(name, position):
        quaternion = rng.normal(size=4)
        scene.add_body(
            name, dt.Box(rng.uniform(0.1, 0.4, 3)), density=800, position=position,
            rotation=quaternion / np.linalg.norm(quaternion),
        )  # fmt: skip

    for name, position in (
        ("a", (0, 0, 1)), ("b", (1, 0, 1)), ("c", (1, 1, 1)), ("d", (1, 1, 2)), ("e", (0, -1, 1)),
        ("float", (5, 0, 0)), ("flap", (5, 0, 1)),
    ):  # fmt: skip
        body(name, position)
    for name, joint, a, b in (
        ("turn", dt.Revolute((0, 0, 0.5), (0.1, 0.9, 0.3)), "ground", "a"),
        ("slide", dt.Prismatic((0.5, 0, 1), (1, 0.2, -0.3)), "a", "b"),
        ("ball", dt.Spherical((1, 0.5, 1)), "b", "c"),
        ("screw", dt.Screw((1, 1, 1.5), (0, 0.6, 0.8), pitch=0.4), "c", "d"),
        ("other", dt.Revolute((0, -0.5, 1), (0, 0, 1)), "a", "e"),
        ("hinge", dt.Revolute((5, 0, 0.5), (0, 1, 0)), "float", "flap"),
    ):
        first, second = (b, a) if backward and a != "ground" else (a, b)
        scene.add_joint(name, joint, first, second)
    return scene


def scene_without_flap():
    """As `branched`, without what hangs on the free body."""
    full = branched()
    scene = dt.Scene(gravity=full.gravity)
    for name, body in full.bodies.items():
        if name != "flap":
            given = body.given
            scene.add_body(
                name, given.shape, density=800, position=given.position, rotation=given.rotation
            )
    for name, (joint, a, b) in full.joints.items():
        if name != "hinge":
            scene.add_joint(name, joint, a, b)
    return scene


class Peer:
    """The same scene in Pinocchio: frames at the joints, parallel to the world at the start."""

    def __init__(self, scene):
        self.model, self.at = pin.Model(), {}
        self.model.gravity.linear = np.asarray(scene.gravity, float)
        places = {"ground": (0, np.zeros(3))}
        for name in [*scene.joints, "float"]:
            if name == "float":
                own = scene.bodies[name]
                index = self.model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), name)
                inertia = pin.Inertia(own.mass, np.zeros(3), own.inertia)
                self.at[name] = (index, np.zeros(3), np.eye(3))
            else:
                joint, parent, child = scene.joints[name]
                z = np.asarray(joint.axis, float) / np.linalg.norm(joint.axis)
                kind = {
                    "Spherical": lambda j, z: pin.JointModelSpherical(),
                    "Prismatic": lambda j, z: pin.JointModelPrismaticUnaligned(z),
                    "Screw": lambda j, z: pin.JointModelHelicalUnaligned(z, j.lead),
                    "Revolute": lambda j, z: pin.JointModelRevoluteUnaligned(z),
                }[type(joint).__name__](joint, z)
                above, start = places[parent]
                point = np.asarray(joint.point, float)
                index = self.model.addJoint(above, kind, pin.SE3(np.eye(3), point - start), name)
                own = scene.bodies[child]
                inertia = pin.Inertia(
                    own.mass, own.position - point, own.rotation @ own.inertia @ own.rotation.T
                )
                places[child] = (index, point)
                self.at[child] = (index, own.position - point, own.rotation)
            self.model.appendBodyToJoint(index, inertia, pin.SE3.Identity())
        self.data = self.model.createData()

    def indices(self, sim):
        """Our q and v index of each of Pinocchio's: quaternions end with the real part there."""
        q, v = [], []
        for name in list(self.model.names)[1:]:
            own_q, own_v = sim.q_index(name), sim.v_index(name)
            own_q = list(range(*own_q.indices(99))) if isinstance(own_q, slice) else [own_q]
            own_v = list(range(*own_v.indices(99))) if isinstance(own_v, slice) else [own_v]
            if len(own_q) in (4, 7):
                own_q = [*own_q[:-4], *own_q[-3:], own_q[-4]]
            q, v = q + own_q, v + own_v
        return q, v


@pytest.fixture
def both():
    scene = scene_without_flap()
    sim, peer = dt.Simulation(scene, step=1e-3), Peer(scene)
    rng = np.random.default_rng(1)
    q = rng.uniform(-1, 1, len(sim.q))
    for name, size in (("ball", 4), ("float", 7)):
        where = sim.q_index(name)
        q[where.stop - 4 : where.stop] /= np.linalg.norm(q[where.stop - 4 : where.stop])
        assert where.stop - where.start == size
    return sim, peer, q, rng.uniform(-1, 1, len(sim.v)), rng.uniform(-1, 1, len(sim.v))


def test_dynamics_equal_pinocchio(both):
    sim, peer, q, v, a = both
    of_q, of_v = peer.indices(sim)
    model, data = peer.model, peer.data
    M = pin.crba(model, data, q[of_q])
    M = np.triu(M) + np.triu(M, 1).T
    assert sim.mass_matrix(q)[np.ix_(of_v, of_v)] == pytest.approx(M, abs=TOLERANCE, rel=TOLERANCE)
    bias = pin.nonLinearEffects(model, data, q[of_q], v[of_v])
    assert sim.bias_forces(q, v)[of_v] == pytest.approx(bias, abs=1e-9, rel=TOLERANCE)
    tau = pin.rnea(model, data, q[of_q], v[of_v], a[of_v])
    assert sim.inverse_dynamics(q, v, a)[of_v] == pytest.approx(tau, abs=1e-9, rel=TOLERANCE)


def test_kinematics_equal_pinocchio(both):
    sim, peer, q, v, _ = both
    of_q, of_v = peer.indices(sim)
    pin.forwardKinematics(peer.model, peer.data, q[of_q], v[of_v])
    pin.computeJointJacobians(peer.model, peer.data, q[of_q])
    poses = sim.forward_kinematics(q)
    sim.set_state(q=q, v=v)
    for name, (index, arm, turned) in peer.at.items():
        place = peer.data.oMi[index]
        assert poses[name].position == pytest.approx(place.act(arm), abs=TOLERANCE)
        assert poses[name].rotation == pytest.approx(place.rotation @ turned, abs=TOLERANCE)
        J = pin.getJointJacobian(
            peer.model, peer.data, index, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        )
        ours = sim.jacobian(name, point=place.translation)
        assert ours[:, of_v] == pytest.approx(J, abs=TOLERANCE)
        twist = sim.jacobian(name) @ v
        assert twist[:3] == pytest.approx(sim.body(name).velocity, abs=1e-9)
        assert twist[3:] == pytest.approx(sim.body(name).angular_velocity, abs=1e-9)
    assert sim.q == pytest.approx(q, abs=1e-9) or sim.q[sim.q_index("ball")] == pytest.approx(
        -q[sim.q_index("ball")], abs=1e-9
    )
    assert sim.v == pytest.approx(v, abs=1e-9)


@pytest.mark.parametrize("backward", [False, True])
def test_joints_given_the_other_way_round_have_the_same_energy_and_power(backward):
    """T = v.M v / 2 of the bodies' own velocities, and tau.v = dE/dt along any motion."""
    sim = dt.Simulation(branched(backward), step=1e-3)
    rng = np.random.default_rng(2)
    v, a = rng.uniform(-1, 1, len(sim.v)), rng.uniform(-1, 1, len(sim.v))
    sim.set_state(v=v)
    state, model = sim.state, sim.model

    def energy(state):
        spin = np.einsum("ni,nij,nj->n", state.omega, model.inertia, state.omega)
        speed = model.mass * np.einsum("ni,ni->n", state.v, state.v)
        height = model.mass * (state.x @ model.gravity)
        return float(np.sum(0.5 * (speed + spin))), float(np.sum(0.5 * (speed + spin) - height))

    assert 0.5 * v @ sim.mass_matrix() @ v == pytest.approx(energy(state)[0], rel=1e-10)
    power = float(sim.inverse_dynamics(sim.q, v, a) @ v)
    h, space = 1e-5, JointSpace(model)
    ends = []
    for sign in (-1, 1):
        moved = space.mechanism.tree
        q_tree = integrate(moved, space.tree_q(sim.q, state), space.map(sim.q) @ v, sign * h)
        there = space.mechanism.fill(q_tree, np.zeros(moved.n_v), state.copy())
        sim.meter.count_from(sim.q)
        q = sim.meter.values(there)[0]
        ends.append(energy(space.state(q, v + sign * h * a, state))[1])
    assert (ends[1] - ends[0]) / (2 * h) == pytest.approx(power, rel=1e-6, abs=1e-6)


def test_a_closed_loop_has_the_energy_of_its_bodies():
    """T = v.M v / 2 for velocities that fit the loop; the cut joint has no inertia of its own."""
    scene = dt.Scene(gravity=(0, -9.81, 0))
    for name, position in (("a", (0, 0.5, 0)), ("b", (1, 1, 0)), ("c", (2, 0.5, 0))):
        scene.add_body(name, dt.Box((0.05, 0.05, 0.05)), mass=1, position=position)
    for name, point, first, second in (
        ("crank", (0, 0, 0), "ground", "a"), ("left", (0, 1, 0), "a", "b"),
        ("right", (2, 1, 0), "b", "c"), ("rocker", (2, 0, 0), "ground", "c"),
    ):  # fmt: skip
        scene.add_joint(name, dt.Revolute(point, (0, 0, 1)), first, second)
    sim = dt.Simulation(scene, step=1e-3)
    sim.set_state(q={"crank": 0.3})
    sim.step(50)
    state, model = sim.state, sim.model
    spin = np.einsum("ni,nij,nj->n", state.omega, model.inertia, state.omega)
    kinetic = 0.5 * np.sum(model.mass * np.einsum("ni,ni->n", state.v, state.v) + spin)
    v, M = sim.v, sim.mass_matrix()
    assert np.abs(v).min() > 0.1
    assert 0.5 * v @ M @ v == pytest.approx(kinetic, rel=1e-9)
    assert int((~M.any(axis=0)).sum()) == 1
