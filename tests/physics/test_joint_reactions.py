"""What joints transmit, against closed forms, Newton-Euler, the balance of momenta and peers."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import dovetail as dt
from coupled_scenes import hinges, pendulums
from jointed_scenes import EVERY_JOINT, four_bar, hanging_rod, two_bodies_joined_by
from live_scenes import METHODS

ALL = [*METHODS, ("sdf", "JointCoordinates"), (None, "DL"), (None, "StewartTrinkle"),
       (None, "CompliantEuler"), (None, "ImplicitEuler")]  # fmt: skip
MEAN = ("ImplicitEuler", "StewartTrinkle", "CompliantEuler", "BarrierVerlet")
"""Schemes whose reactions are the mean of the step; those of others belong to the moment."""
G = 9.81


def simulated(scene, method, h=1e-3):
    contact, integrator = method
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dt.Simulation(scene, step=h, contact=contact, integrator=integrator, check=False)


def swinging_rod(angle=0.7, rate=3.0):
    """A rod of 2 kg, its centre 0.5 m from a hinge, `angle` [rad] from hanging, on its way."""
    centre = 0.5 * np.array([np.sin(angle), 0, -np.cos(angle)])
    c, s = np.cos(-angle), np.sin(-angle)
    R = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    spin = np.array([0, -rate, 0])
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body(
        "rod", dt.Box((0.05, 0.05, 0.9)), mass=2, inertia=(0.2, 0.2, 0.01), position=centre,
        rotation=R, velocity=np.cross(spin, centre), angular_velocity=spin,
    )  # fmt: skip
    scene.add_joint("hinge", dt.Revolute((0, 0, 0), (0, -1, 0)), "ground", "rod")
    return scene


def force_of_swing(angle, rate):
    """m a - m g of the rod: closed form."""
    acceleration = -2 * G * 0.5 * np.sin(angle) / (0.2 + 2 * 0.25)
    along, across = (np.sin(angle), 0, -np.cos(angle)), (np.cos(angle), 0, np.sin(angle))
    a = 0.5 * acceleration * np.array(across) - 0.5 * rate**2 * np.array(along)
    return 2 * a + (0, 0, 2 * G)


@pytest.mark.parametrize("method", ALL, ids=str)
def test_hinge_of_a_swinging_rod_carries_weight_and_centripetal_force(method):
    """Exact before the first step; then to the order of what the scheme reports: h if a mean."""
    errors = []
    for h in (4e-3, 2e-3):
        sim = simulated(swinging_rod(), method, h)
        hinge = sim.joint("hinge")
        assert hinge.wrench.force == pytest.approx(force_of_swing(0.7, 3.0), abs=1e-9)
        assert hinge.wrench.torque == pytest.approx((0, 0, 0), abs=1e-9)
        off = 0.0
        for _ in range(round(0.02 / h)):
            sim.step()
            exact = force_of_swing(0.7 + hinge.position, hinge.velocity)
            off = max(off, float(np.abs(hinge.wrench.force - exact).max()))
        errors.append(off)
    if sim.integrator.name in MEAN:
        assert errors[0] < 0.25 and 1.7 < errors[0] / errors[1] < 2.3
    else:
        assert errors[0] < 1e-9


def body_wrenches(sim):
    """Force and torque of all joints on every body, about its centre of mass."""
    force, torque = np.zeros((2, sim.model.n_bodies, 3))
    for placed in sim.model.joints:
        f, tau, point = sim.joint(placed.name).wrench
        for body, sign in ((placed.body_b, 1.0), (placed.body_a, -1.0)):
            if body >= 0:
                force[body] += sign * f
                torque[body] += sign * (tau + np.cross(point - sim.state.x[body], f))
    return force, torque


def momenta(sim):
    state, model = sim.state, sim.model
    spins = np.einsum("nij,njk,nk->ni", state.R, model.inertia, state.omega)
    return model.mass[:, None] * state.v, spins


def unbalanced(sim, h, steps=4):
    """Largest force and torque that reactions and gravity leave of the change of the momenta."""
    weight = sim.model.mass[:, None] * sim.model.gravity
    worst = [0.0, 0.0]
    for _ in range(steps):
        before, at_start = momenta(sim), body_wrenches(sim)
        sim.step()
        after, found = momenta(sim), body_wrenches(sim)
        if sim.integrator.name not in MEAN:
            found = [(a + b) / 2 for a, b in zip(at_start, found)]
        left = [(b - a) / h - f for a, b, f in zip(before, after, found)]
        left[0] -= weight
        worst = [max(w, float(np.abs(one).max())) for w, one in zip(worst, left)]
    return worst


def acting(joint, **options):
    joint = EVERY_JOINT[joint]
    return replace(joint, actuation=(dt.Actuation(**options),) * joint.freedoms)


JOINTS = {name: EVERY_JOINT[name] for name in EVERY_JOINT} | {
    f"{name} with springs, dampers, motors": acting(
        name, stiffness=5.0, damping=0.4, rest=0.1, motor=1.5
    )
    for name in ("revolute", "prismatic", "cylindrical", "screw")
} | {
    "spherical with dampers, motors": acting("spherical", damping=0.4, motor=1.5),
    "driven revolute": acting("revolute", motor=("velocity", 2.0)),
    "revolute with a rotor": acting("revolute", armature=0.3, motor=1.0),
    "revolute with a state motor": acting("revolute", motor=lambda t, q, v: 1.0 - 0.2 * q - v),
}  # fmt: skip
TREES = ["RATTLie", "JointCoordinates", "LieGeneralizedAlpha", "StewartTrinkle", "CompliantEuler",
         "ImplicitEuler", "BarrierVerlet", "DL", "EulerParameterDAE"]  # fmt: skip


@pytest.mark.parametrize("name", JOINTS)
def test_reactions_of_all_schemes_agree_and_balance_the_momenta(name):
    """The same at the start to round-off, 5 ms later to O(h); sum = m a, to O(h) in torque."""
    known, h = None, 1e-3
    for integrator in TREES:
        try:
            sim = simulated(two_bodies_joined_by(JOINTS[name]), (None, integrator), h)
        except dt.InputError as error:
            if "rotor" in name or "state motor" in name:  # which not all of them take
                continue
            raise error
        at_start = np.array(sim.joint_wrenches())
        if "driven" in name:  # the motor starts with a jerk, which some resolve in the first step
            sim.step()
        force, torque = unbalanced(sim, h)
        later = np.array(sim.joint_wrenches())
        known = (at_start, later) if known is None else known
        assert at_start == pytest.approx(known[0], abs=1e-7), integrator
        assert later == pytest.approx(known[1], abs=0.05), integrator
        assert force < (1e-7 if integrator in MEAN[:3] else 2e-3), integrator
        assert torque < 4.0 * h, integrator  # first order: 3.7 h of a motor that follows the state


@pytest.mark.parametrize("integrator", TREES)
def test_pins_of_a_closed_loop_balance_the_momenta(integrator):
    """Arms turn by 2e-3 rad in a step: that part of the torques is left, at most."""
    h = 1e-3
    force, torque = unbalanced(simulated(four_bar(), (None, integrator), h), h)
    assert force < 1e-2 and torque < 5e-2


@pytest.mark.parametrize("integrator", ["JointCoordinates", "StewartTrinkle", "ImplicitEuler"])
def test_reactions_equal_newton_euler_of_pinocchio(integrator):
    """Of an arm of three hinges that moves: f = rnea(q, v, aba(q, v, tau)) at each joint."""
    pin = pytest.importorskip("pinocchio")
    axes, rng = np.eye(3)[[2, 1, 1]], np.random.default_rng(3)
    scene, peer = dt.Scene(gravity=(0, 0, -G)), pin.Model()
    parent, effort = 0, (0.3, -0.7, 0.4)
    for k in range(3):
        J = np.diag(rng.uniform(0.02, 0.05, 3))
        centre, point = np.array([0.4 * k + 0.2, 0.02 * k, 0.1]), np.array([0.4 * k, 0, 0])
        scene.add_body(f"link{k}", mass=1.0 + k, inertia=J, position=centre)
        joint = dt.Revolute(point, axes[k], actuation=(dt.Actuation(motor=effort[k]),))
        scene.add_joint(f"j{k}", joint, f"link{k - 1}" if k else "ground", f"link{k}")
        offset = pin.SE3(np.eye(3), point - (0.4 * (k - 1), 0, 0) if k else point)
        parent = peer.addJoint(parent, pin.JointModelRevoluteUnaligned(axes[k]), offset, f"j{k}")
        peer.appendBodyToJoint(parent, pin.Inertia(1.0 + k, centre - point, J), pin.SE3.Identity())
    peer.gravity.linear = np.array([0, 0, -G])
    sim, data = simulated(scene, (None, integrator), 1e-4), peer.createData()
    q, v = np.array([0.3, -0.4, 0.8]), np.array([1.0, -2.0, 0.5])
    sim.set_state(q=q, v=v)
    for tolerance in (1e-9, 1e-9 if integrator == "JointCoordinates" else 2e-2):
        q, v = sim.q, sim.v
        pin.forwardKinematics(peer, data, q)
        pin.rnea(peer, data, q, v, pin.aba(peer, data, q, v, np.array(effort)))
        for k in range(3):
            R, wrench = data.oMi[k + 1].rotation, sim.joint(f"j{k}").wrench
            assert wrench.force == pytest.approx(R @ data.f[k + 1].linear, abs=tolerance)
            assert wrench.torque == pytest.approx(R @ data.f[k + 1].angular, abs=tolerance)
            assert wrench.point == pytest.approx(data.oMi[k + 1].translation, abs=1e-8)
        sim.step(5)


@pytest.mark.parametrize("method", ALL, ids=str)
def test_hinge_of_a_driven_rod_transmits_the_torque_that_lifts_it(method):
    """Turned at 2 rad/s it takes m g l sin(q) about the axis, and no more."""
    drive = (dt.Actuation(motor=("velocity", 2.0)),)
    sim = simulated(hanging_rod(drive, axis=(0, -1, 0), velocity=(1, 0, 0),
                                angular_velocity=(0, -2, 0)), method)  # fmt: skip
    for _ in range(5):
        torque = -2 * G * 0.5 * np.sin(2 * sim.time)
        assert sim.joint("hinge").wrench.torque[1] == pytest.approx(torque, abs=0.03)
        sim.step(20)


@pytest.mark.parametrize("contact", ["ipc", "lcp", "sdf"])
def test_wrists_of_a_gripper_carry_the_load_between_them(contact):
    """Two fingers pressed together by 20 N each hold a block of 0.5 kg by friction."""
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("block", dt.Box((0.04, 0.04, 0.04)), mass=0.5)
    for name, side in (("left", -1), ("right", 1)):
        scene.add_body(name, dt.Box((0.01, 0.04, 0.04)), mass=0.1, position=(side * 0.0251, 0, 0))
        press = (dt.Actuation(motor=20.0),)
        joint = dt.Prismatic((side * 0.0251, 0, 0), (-side, 0, 0), actuation=press)
        scene.add_joint(f"{name} slide", joint, "ground", name)
    sim = simulated(scene, (getattr(dt.contact, contact.upper())(friction=0.8), None))
    sim.step(200)
    forces = [sim.joint(f"{name} slide").wrench.force for name in ("left", "right")]
    assert sum(forces) == pytest.approx((0, 0, 0.7 * G), abs=0.05)
    assert forces[0][0] == pytest.approx(20, abs=0.1)
    assert forces[1][0] == pytest.approx(-20, abs=0.1)


@pytest.mark.parametrize("method", ALL, ids=str)
def test_velocities_belong_to_the_poses_they_are_given_with(method):
    """Joints hold at velocity level, and v - dx/dt falls with the order of the scheme."""
    errors, scene = [], two_bodies_joined_by(EVERY_JOINT["universal"])
    for h in (4e-3, 2e-3):
        sim = simulated(scene, method, h)
        sim.set_state(v=np.full(len(sim.v), 1.5))
        x, v = [], []
        for _ in range(round(0.04 / h)):
            sim.step()
            x.append(sim.state.x.copy())
            v.append(sim.state.v.copy())
            assert sim.observe().constraint_velocity < 20 * h**2
        x, v = np.array(x), np.array(v)
        errors.append(float(np.abs((x[2:] - x[:-2]) / (2 * h) - v[1:-1]).max()))
    order = min(sim.integrator.order, 2)
    assert errors[0] / errors[1] > 0.85 * 2**order


@pytest.mark.parametrize("options", [{"friction": 0.3, "motor": 1.0},
                                     {"friction": 30.0, "motor": 1.0},
                                     {"upper": 0.0, "motor": 10.0}], ids=str)  # fmt: skip
def test_friction_that_slides_or_holds_and_limits_that_are_reached_are_among_the_reactions(options):
    """From the start on, the same under all schemes; recorded by a run as shown step by step."""
    known = None
    scene = two_bodies_joined_by(acting("revolute", **options))
    for integrator in TREES:
        if "upper" in options and integrator == "JointCoordinates":
            continue  # its limits are springs that are pressed first
        try:
            sim = simulated(scene, (None, integrator))
        except dt.InputError:  # not all take friction or limits
            continue
        at_start = np.array(sim.joint_wrenches())
        sim.step(5)
        later = np.array(sim.joint_wrenches())
        known = (at_start, later) if known is None else known
        assert at_start == pytest.approx(known[0], abs=1e-7), integrator
        assert later == pytest.approx(known[1], abs=1e-3), integrator
        if integrator == "RATTLie":
            result = dt.simulate(scene, 5e-3, 1e-3, integrator=integrator, progress=False)
            assert result.joint("joint").reaction.force[-1] == pytest.approx(later[0, 1], abs=1e-9)


@pytest.mark.parametrize("integrator", TREES)
def test_reactions_of_coupled_joints_have_the_efforts_of_the_coupling(integrator):
    """A gear turns u and w by 2 : 1, so it acts along w with -2 times what it does along u."""
    scene, h = hinges(pendulums()), 1e-3
    scene.add_coupling("gear", dt.Coupling({"u": 1.0, "w": -2.0}))
    sim = simulated(scene, (None, integrator), h)
    torques = [sim.joint(name).wrench.torque[1] for name in "uvw"]
    assert torques == pytest.approx((torques[0], 0.0, -2.0 * torques[0]), abs=1e-9)
    assert torques[0] == pytest.approx(-1.10391671, abs=1e-8)
    force, torque = unbalanced(sim, h)
    assert force < 1e-3 and torque < 1e-3
