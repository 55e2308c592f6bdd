"""Couplings as rows between bodies: every scheme keeps them and moves as joint coordinates do."""

import warnings

import numpy as np
import pytest

import dovetail as dt
from coupled_scenes import hinges, pendulums
from dovetail.integrators import SCHEMES

CONTACT = {"StewartTrinkle": "lcp", "ImplicitEuler": "ipc", "BarrierVerlet": "ipc"}
OTHERS = [
    name for name, scheme in SCHEMES.items() if scheme.takes_joints and name != "JointCoordinates"
]
FIRST_ORDER = 4e-3  # [m] after .2 s at h = 2 ms: less than g h t
SECOND_ORDER = 1e-5  # [m]
ACTING = dt.Actuation(stiffness=30.0, damping=2.0, rest=0.2, motor=1.5, friction=0.3)
COUPLINGS = {
    "gear": dt.Coupling({"w": 1.0, "u": -2.0}),
    "cam": dt.Coupling({"w": 1.0, "u": (-0.5, 0.3, -0.1), "v": -0.7}),
    "tendon": dt.Coupling({"u": 0.8, "v": -0.5, "w": 0.6}, actuation=ACTING),
}


def coupled(kind):
    scene = hinges(pendulums())
    scene.add_coupling(kind, COUPLINGS[kind])
    return scene


def ends(scene, name, step):
    settings = {"contact": CONTACT[name]} if name in CONTACT else {}
    result = dt.simulate(scene, duration=0.2, step=step, integrator=name, **settings)
    return result, np.concatenate([result.position(body)[-1] for body in "abc"])


@pytest.fixture(scope="module", params=COUPLINGS)
def reference(request):
    kind = request.param
    return kind, ends(coupled(kind), "JointCoordinates", 5e-4)[1]


@pytest.mark.parametrize("name", OTHERS)
def test_every_scheme_moves_as_joint_coordinates_do(reference, name):
    kind, expected = reference
    if kind == "tendon" and name in ("DL", "EulerParameterDAE", "BarrierVerlet"):
        pytest.skip("has no dry friction")
    result, found = ends(coupled(kind), name, 2e-3)
    within = SECOND_ORDER if SCHEMES[name].order >= 2 else FIRST_ORDER
    np.testing.assert_allclose(found, expected, atol=within)
    assert result.constraint_violation["position"].max() < 1e-9
    if kind != "tendon" and SCHEMES[name].order >= 2:
        assert np.ptp(result.energy["total"]) < 1e-4 * np.ptp(result.energy["potential"])


def planetary():
    """A carrier in free space with two wheels whose hinges are geared 1 : -3, and one more."""
    scene = dt.Scene(gravity=(0, 0, 0))
    scene.add_body("carrier", dt.Box((1, 0.1, 0.1)), mass=2.0, angular_velocity=(0.3, 0.2, 1))
    for name, x, m in (("sun", -0.4, 1.0), ("planet", 0.4, 0.5)):
        scene.add_body(name, dt.Cylinder(0.2, 0.05), mass=m, position=(x, 0, 0.2))
        acting = [dt.Actuation(motor=2.0)] if name == "sun" else []
        hinge = dt.Revolute((x, 0, 0.1), (0, 0, 1), actuation=acting)
        scene.add_joint(name, hinge, "carrier", name)
    scene.add_coupling("gear", dt.Coupling({"planet": 1.0, "sun": 3.0}))
    return scene


@pytest.mark.parametrize("name", ["RATTLie", "DH", "StewartTrinkle"])
def test_gears_on_a_free_carrier_keep_momentum_and_ratio_over_whole_turns(name):
    scene = planetary()
    settings = {"contact": CONTACT[name]} if name in CONTACT else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # starting velocities are made to fit
        result = dt.simulate(scene, duration=1.0, step=2e-3, integrator=name, **settings)
    q = {wheel: result.joint(wheel).position[-1] for wheel in ("sun", "planet")}
    assert abs(q["planet"]) > 4 * np.pi
    assert q["planet"] + 3 * q["sun"] == pytest.approx(0, abs=1e-8)
    momentum = result.momentum["angular"]
    within = 1e-4 if name == "StewartTrinkle" else 1e-12  # [N m s], of first order in h there
    np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), atol=within)


@pytest.mark.parametrize("name", ["RATTLie", "StewartTrinkle", "ImplicitEuler", "CompliantEuler"])
def test_a_coupling_that_is_open_at_the_start_is_closed_in_time(name):
    scene = hinges(pendulums())
    scene.add_coupling("mimic", dt.Coupling({"w": 1.0, "u": -1.0}, offset=0.25))
    settings = {"contact": CONTACT[name]} if name in CONTACT else {}
    with pytest.warns(UserWarning, match=r"coupling 'mimic' is off by 0\.25 m or rad"):
        result = dt.simulate(scene, duration=6.0, step=1e-2, integrator=name, **settings)
    np.testing.assert_allclose(result.position("c")[0], (2, 0, 0), atol=1e-12)
    q = [result.joint(joint).position[-1] for joint in "wu"]
    assert q[0] - q[1] == pytest.approx(0.25, abs=1e-7)


@pytest.mark.parametrize("name", ["RATTLie", "StewartTrinkle", "CompliantEuler", "ImplicitEuler"])
def test_reactions_of_joints_include_the_force_of_the_gear(name):
    """A gear that holds a link level: the torque about its hinge is half of the other's."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    for body, x, mass in (("a", 0.5, 2.0), ("b", 3.5, 4.0)):
        scene.add_body(body, dt.Box((1, 0.1, 0.1)), mass=mass, position=(x, 0, 0))
        scene.add_joint(body, dt.Revolute((x - 0.5, 0, 0), (0, 1, 0)), "ground", body)
    scene.add_coupling("gear", dt.Coupling({"a": 2.0, "b": 1.0}))
    settings = {"contact": CONTACT[name]} if name in CONTACT else {}
    result = dt.simulate(scene, duration=0.02, step=1e-3, integrator=name, **settings)
    torque = {body: result.joint_torque(body)[-1][1] for body in "ab"}
    assert torque["a"] == pytest.approx(2.0 * torque["b"], rel=1e-6)
    assert abs(torque["b"]) > 1.0


@pytest.mark.parametrize("name", ["RATTLie", "StewartTrinkle", "CompliantEuler", "ImplicitEuler"])
def test_restored_steps_have_the_same_bits(name):
    contact = {"StewartTrinkle": dt.contact.LCP, "ImplicitEuler": dt.contact.IPC}.get(name)
    model = coupled("tendon").build()

    def steps(stepper, times):
        for k in times:
            stepper.step(k * 2e-3)
        return stepper.bodies.x.tobytes() + stepper.bodies.v.tobytes()

    made = SCHEMES[name]()
    first, second = (made.start(model, contact and contact()) for _ in range(2))
    steps(first, range(1, 8))
    second.restore(first.snapshot())
    assert steps(first, range(8, 20)) == steps(second, range(8, 20))
