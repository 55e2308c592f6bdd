"""Queries of a simulation against Pinocchio: random trees of all joints, rotors, floating bases.

Pinocchio's model is a chain of joints of one freedom for each joint that has several.
"""

import numpy as np
import pinocchio as pin
import pytest

import dovetail as dt
from pinocchio_model import normals
from random_trees import random_rotation

TOLERANCE = 1e-10  # of the largest entry
ONE = ("revolute", "prismatic", "screw")
KINDS = (*ONE, "cylindrical", "universal", "planar", "spherical", "free", "fixed")


class Both:
    """A scene, and Pinocchio's model of the same; our q and v indices of each of its."""

    def __init__(self, seed, n=12):
        self.rng = rng = np.random.default_rng(seed)
        self.scene = dt.Scene(gravity=rng.normal(size=3) * 5)
        self.model = pin.Model()
        self.model.gravity.linear = np.asarray(self.scene.gravity)
        self.frames = {"ground": (0, pin.SE3.Identity())}  # joint, place of the world's axes in it
        self.armature, self.joints = [], []  # of Pinocchio's v; (name, indices, signs)
        self.kinds = [str(k) for k in rng.permutation([*KINDS, *rng.choice(ONE, n - len(KINDS))])]
        names = ["ground"]
        for k, kind in enumerate(self.kinds):
            floats = kind == "free" and k % 2 == 0
            parent = "ground" if floats else str(rng.choice(names))
            self.add(f"body {k}", kind, parent, floats)
            names.append(f"body {k}")
        self.data = self.model.createData()
        self.sim = dt.Simulation(self.scene, step=1e-3, check=False)
        self.match()

    def add(self, name, kind, parent, floats):
        rng, scene = self.rng, self.scene
        at, R = rng.uniform(-1, 1, 3), random_rotation(rng)
        if kind == "free" and not floats:
            R = np.eye(3)  # in whose axes its velocities are
        spread = rng.normal(size=(3, 3))
        inertia = np.trace(spread @ spread.T) * np.eye(3) - spread @ spread.T + 0.1 * np.eye(3)
        mass = rng.uniform(0.5, 3)
        scene.add_body(name, mass=mass, inertia=inertia, position=at, rotation=R)
        point, axes = rng.uniform(-1, 1, 3), random_rotation(rng)
        point = at if kind == "free" else point  # whose place is that of its centre of mass
        z, z2 = axes[0], axes[1]
        backward = kind not in ("spherical", "free", "fixed") and rng.random() < 0.4
        if floats:
            chain = [pin.JointModelFreeFlyer()]
        else:
            joint, chain = self.joint(kind, point, z, z2, backward)
            pair = (name, parent) if backward else (parent, name)
            scene.add_joint(f"to {name}", joint, *pair)
        index, place = self.frames[parent]
        place = place * pin.SE3(np.eye(3), point - self.origin(parent))
        place = pin.SE3.Identity() if floats else place
        start = self.model.nv
        for number, model in enumerate(chain):
            index = self.model.addJoint(index, model, place, f"{name} {number}")
            place = pin.SE3.Identity()
        place = pin.SE3(R.T, np.zeros(3)) if floats else place
        self.frames[name] = (index, place)
        self.origins = {**getattr(self, "origins", {}), name: point}
        own = pin.Inertia(mass, at - point, R @ inertia @ R.T)
        self.model.appendBodyToJoint(index, own, place)
        if len(chain):
            size = self.model.nv - start
            self.joints.append((name if floats else f"to {name}", start, size, backward))

    def origin(self, name):
        return np.zeros(3) if name == "ground" else self.origins[name]

    def joint(self, kind, point, z, z2, backward):
        """Ours, and the chain of Pinocchio's from the parent to the child."""
        rng, s = self.rng, -1.0 if backward else 1.0
        turn, slide = pin.JointModelRevoluteUnaligned, pin.JointModelPrismaticUnaligned
        rotor = rng.uniform(0.1, 2.0)
        one = {"actuation": [dt.Actuation(armature=rotor)]}
        if kind in ONE:
            self.armature.append((self.model.nv, rotor))
        if kind == "revolute":
            return dt.Revolute(point, z, **one), [turn(s * z)]
        if kind == "prismatic":
            return dt.Prismatic(point, z, **one), [slide(s * z)]
        if kind == "screw":
            pitch = rng.uniform(-1, 1)
            helix = pin.JointModelHelicalUnaligned(s * z, s * s * pitch / (2 * np.pi))
            return dt.Screw(point, z, pitch, **one), [helix]
        if kind == "cylindrical":
            chain, ours = [turn(s * z), slide(s * z)], dt.Cylindrical(point, z)
        elif kind == "universal":
            chain, ours = [turn(s * z), turn(s * z2)], dt.Universal(point, z, z2)
        elif kind == "planar":
            x, y = normals(z)
            chain, ours = [slide(s * x), slide(s * y), turn(s * z)], dt.Planar(point, z)
        elif kind == "spherical":
            return dt.Spherical(point), [pin.JointModelSpherical()]
        elif kind == "free":
            return dt.Free(point), [pin.JointModelFreeFlyer()]
        else:
            return dt.Fixed(point), []
        return ours, chain[::-1] if backward else chain

    def match(self):
        sim, of_q, of_v = self.sim, [], []
        for name, _, size, backward in self.joints:
            own_q, own_v = (self.run(where) for where in (sim.q_index(name), sim.v_index(name)))
            if len(own_q) != len(own_v):
                own_q = [*own_q[:-4], *own_q[-3:], own_q[-4]]
            elif backward:
                own_q, own_v = own_q[::-1], own_v[::-1]
            assert len(own_v) == size
            of_q, of_v = of_q + own_q, of_v + own_v
        self.of_q, self.of_v = of_q, of_v
        for at, rotor in self.armature:
            self.model.armature[at] = rotor

    @staticmethod
    def run(where):
        return list(range(where.start, where.stop)) if isinstance(where, slice) else [where]

    def state(self):
        """q, v and accelerations that the joints allow."""
        rng, sim = self.rng, self.sim
        q = rng.uniform(-1, 1, len(sim.q))
        for name, _, size, _ in self.joints:
            own = self.run(sim.q_index(name))
            if len(own) != size:
                q[own[-4:]] /= np.linalg.norm(q[own[-4:]])
        return q, rng.uniform(-1, 1, len(sim.v)), rng.uniform(-1, 1, len(sim.v))


def near(ours, theirs):
    return np.abs(ours - theirs).max() <= TOLERANCE * max(1.0, np.abs(theirs).max())


@pytest.mark.parametrize("seed", range(8))
def test_dynamics_of_random_scenes_equal_pinocchio(seed):
    both = Both(seed)
    sim, model, data, of_v = both.sim, both.model, both.data, both.of_v
    q, v, a = both.state()
    theirs = q[both.of_q], v[of_v], a[of_v]
    still = np.zeros(model.nv)
    held = pin.rnea(model, data, theirs[0], still, still)
    unit = np.eye(model.nv)  # `crba` asks for joints of a subtree in one run
    M = np.array([pin.rnea(model, data, theirs[0], still, e) - held for e in unit]).T
    assert near(sim.mass_matrix(q)[np.ix_(of_v, of_v)], M)
    assert near(sim.bias_forces(q, v)[of_v], pin.nonLinearEffects(model, data, *theirs[:2]))
    assert near(sim.inverse_dynamics(q, v, a)[of_v], pin.rnea(model, data, *theirs))


@pytest.mark.parametrize("integrator", ["RATTLie", "JointCoordinates", "ImplicitEuler"])
def test_efforts_of_inverse_dynamics_accelerate_geared_joints_as_asked(integrator):
    """A rotor of 0.5 kg m^2 that turns with a link of 0.1 kg m^2."""
    scene, h, wanted = dt.Scene(gravity=(0, 0, -9.81)), 1e-5, 3.0
    scene.add_body("link", mass=1.0, inertia=(0.01, 0.05, 0.05), position=(0.2, 0, 0))
    geared = dt.Revolute((0, 0, 0), (0, 1, 0), actuation=[dt.Actuation(armature=0.5)])
    scene.add_joint("hinge", geared, "ground", "link")
    sim = dt.Simulation(scene, step=h, integrator=integrator)
    sim.efforts = sim.inverse_dynamics(a=[wanted])
    sim.step(20)
    assert sim.v[0] / (20 * h) == pytest.approx(wanted, rel=1e-4)
    assert sim.mass_matrix()[0, 0] == pytest.approx(0.05 + 0.2**2 + 0.5, rel=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_kinematics_of_random_scenes_equal_pinocchio(seed):
    both = Both(seed)
    sim, model, data = both.sim, both.model, both.data
    q, v, _ = both.state()
    pin.computeJointJacobians(model, data, q[both.of_q])
    sim.set_state(q=q, v=v)
    assert near(sim.v[both.of_v], v[both.of_v])
    poses = sim.forward_kinematics(q)
    for name, body in both.scene.bodies.items():
        index, place = both.frames[name]
        now = data.oMi[index] * place
        point = now.act(np.asarray(body.given.position) - both.origins[name])
        assert near(poses[name].position, point)
        assert near(poses[name].rotation, now.rotation @ body.rotation)
        frame = pin.getJointJacobian(model, data, index, pin.LOCAL_WORLD_ALIGNED)
        arm = point - data.oMi[index].translation
        linear = frame[:3] - np.cross(arm, frame[3:].T).T
        J = sim.jacobian(name, q=q)[:, both.of_v]
        assert near(J, np.concatenate((linear, frame[3:])))
        assert near(sim.body(name).velocity, J[:3] @ v[both.of_v])
