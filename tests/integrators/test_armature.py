"""Rotors of joints: the same motion under every scheme, and as in MuJoCo."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.multibody.mechanism import Mechanism
from dovetail.multibody.tree import forward_dynamics, inverse_dynamics, mass_matrix
from live_scenes import METHODS

ARMATURE, DAMPING, TORQUE = (0.05, 0.02), 0.1, (2.0, 1.0)
TIME = 0.3


def arm(floor=False, damping=DAMPING):
    """Two links on hinges whose rotors have inertias like those of the links."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    if floor:
        scene.add_body("floor", dt.Box((4, 4, 0.1)), motion="static", position=(0, 0, -3))
    scene.add_body("a", dt.Box((0.1, 0.12, 0.5)), mass=3.0, position=(0, 0, -0.3))
    scene.add_body("b", dt.Box((0.1, 0.12, 0.5)), mass=2.0, position=(0.1, 0, -0.8))
    first = dt.Actuation(motor=TORQUE[0], armature=ARMATURE[0], damping=damping)
    second = dt.Actuation(motor=TORQUE[1], armature=ARMATURE[1])
    scene.add_joint("u", dt.Revolute((0, 0, 0), (1, 0, 0), actuation=[first]), "ground", "a")
    scene.add_joint("v", dt.Revolute((0.1, 0, -0.55), (0, 1, 0.3), actuation=[second]), "a", "b")
    return scene


def mujoco_arm():
    mujoco = pytest.importorskip("mujoco")
    box = '<geom type="box" size=".05 .06 .25" contype="0" conaffinity="0" mass='
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><option timestep="1e-4" integrator="RK4"/><worldbody><body pos="0 0 -.3">'
        f'<joint name="u" axis="1 0 0" pos="0 0 .3" armature="{ARMATURE[0]}" damping="{DAMPING}"/>'
        f'{box}"3"/><body pos=".1 0 -.5"><joint name="v" axis="0 1 .3" pos="0 0 .25" '
        f'armature="{ARMATURE[1]}"/>{box}"2"/></body></body></worldbody>'
        '<actuator><motor joint="u"/><motor joint="v"/></actuator></mujoco>'
    )
    data = mujoco.MjData(model)
    data.ctrl[:] = TORQUE
    mujoco.mj_step(model, data, round(TIME / 1e-4))
    return data.xpos[2]


@pytest.mark.parametrize(
    ("settings", "within"),
    [
        ({"integrator": dt.integrators.RATTLie()}, 1e-6),
        ({"integrator": dt.integrators.RATTLie(order=4)}, 2e-8),
        ({"integrator": dt.integrators.JointCoordinates()}, 1e-6),
        ({"integrator": dt.integrators.DH()}, 1e-6),
        ({"integrator": dt.integrators.DL()}, 1e-6),
        ({"integrator": dt.integrators.EulerParameterDAE()}, 1e-9),
        ({"integrator": dt.integrators.LieGeneralizedAlpha()}, 1e-6),
        ({"contact": "lcp"}, 4e-4),
        ({"contact": "sdf"}, 4e-4),
        ({"contact": "ipc"}, 6e-4),
        ({"contact": "ipc", "integrator": "BarrierVerlet"}, 2e-6),
    ],
)
def test_motion_is_that_of_mujoco(settings, within):
    scene = arm(floor="contact" in settings)
    found = dt.simulate(scene, duration=TIME, step=1e-3, **settings).position("b")[-1]
    np.testing.assert_allclose(found, mujoco_arm(), atol=within)


@pytest.mark.parametrize("name", ["RATTLie", "DH", "JointCoordinates", "LieGeneralizedAlpha"])
def test_energy_of_rotors_counts(name):
    scene = arm(damping=0.0)
    scene.gravity = (4.0, 6.0, -3.0)
    for joint, _, _ in scene.joints.values():
        object.__setattr__(joint.actuation[0], "motor", None)
    result = dt.simulate(scene, duration=1.0, step=1e-3, integrator=name)
    total = result.energy["total"]
    assert np.ptp(result.energy["kinetic"]) > 0.01
    assert np.ptp(total) < 1e-4 * np.ptp(result.energy["kinetic"])


def test_tree_algorithms_agree():
    tree = Mechanism(arm().build()).tree
    rng = np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, 2))
    tau = inverse_dynamics(tree, q, v, a)
    np.testing.assert_allclose(forward_dynamics(tree, q, v, tau), a, rtol=1e-12)
    M = mass_matrix(tree, q)
    bare = Mechanism(_without(arm()).build()).tree
    np.testing.assert_allclose(M - mass_matrix(bare, q), np.diag(ARMATURE), atol=1e-14)
    np.testing.assert_allclose(M @ a, tau - inverse_dynamics(tree, q, v, 0 * a), atol=1e-12)


def _without(scene):
    for joint, _, _ in scene.joints.values():
        object.__setattr__(joint.actuation[0], "armature", 0.0)
    return scene


def test_scene_files_keep_armature(tmp_path):
    scene = arm()
    scene.save(tmp_path / "arm.yaml")
    again = dt.Scene.load(tmp_path / "arm.yaml")
    assert again.joints["v"][0].actuation[0].armature == ARMATURE[1]


def test_given_velocities_are_those_of_the_bodies():
    scene = dt.Scene()
    scene.add_body("wheel", mass=1.0, inertia=(1, 1, 1), angular_velocity=(0, 0, 2.0))
    hinge = dt.Revolute((0, 0, 0), (0, 0, 1), actuation=[dt.Actuation(armature=3.0)])
    scene.add_joint("axle", hinge, "ground", "wheel")
    for integrator in ("RATTLie", "JointCoordinates", "DH"):
        result = dt.simulate(scene, duration=0.1, step=0.01, integrator=integrator)
        np.testing.assert_allclose(result.angular_velocity("wheel")[:, 2], 2.0, rtol=1e-12)


def test_impacts_turn_rotors_too():
    """A ball hits a lever: with armature I_a it bounces as off a lever of inertia I + I_a."""
    speeds = []
    for inertia, armature in ((0.5, 0.5), (1.0, 0.0)):
        scene = dt.Scene()
        scene.add_body(
            "lever", dt.Box((1, 0.1, 0.1)), mass=1.0, inertia=(inertia,) * 3, position=(0, 0, 0)
        )
        hinge = dt.Revolute((0, 0, 0), (0, 1, 0), actuation=[dt.Actuation(armature=armature)])
        scene.add_joint("axle", hinge, "ground", "lever")
        scene.add_body(
            "ball", dt.Sphere(0.05), mass=1.0, position=(0.4, 0, 0.15), velocity=(0, 0, -1)
        )
        result = dt.simulate(
            scene, duration=0.2, step=1e-3, contact=dt.contact.LCP(restitution=1.0)
        )
        speeds.append(result.velocity("ball")[-1, 2])
    assert speeds[0] == pytest.approx(speeds[1], rel=1e-6)


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_the_energy_of_a_spinning_rotor_is_stored_beside_that_of_the_body(method):
    """0.5 J w^2, and none of it in a joint that rests."""
    scene = dt.Scene()
    for k, name in enumerate(("wheel", "other")):
        scene.add_body(name, dt.Cylinder(0.1, 0.02), mass=2.0, position=(3 * k, 0, 0))
        rotor = [dt.Actuation(armature=0.05)]
        hinge = dt.Revolute((3 * k, 0, 0), (0, 0, 1), actuation=rotor)
        scene.add_joint(f"axle {name}", hinge, "ground", name)
    sim = dt.Simulation(scene, 1e-3, contact=method[0], integrator=method[1], check=False)
    sim.set_state(v={"axle wheel": 4.0})
    for _ in range(2):
        assert sim.observe().stored_energy == pytest.approx(0.5 * 0.05 * 16.0, rel=1e-9)
        sim.step()
