"""A joint type of one file outside the package, in every place where the package's own work."""

from importlib import import_module

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dovetail as dt
from dovetail.errors import InputError
from dovetail.io import json_schema, load_scene
from dovetail.model.joints import JOINTS
from dovetail.multibody.mechanism import Mechanism, assemble
from dovetail.simulate import simulate
from jointed_scenes import JOINTED

G, MASS, MOMENT, ARM, START = 9.81, 2.0, 0.03, 0.4, 0.8
J = (MOMENT, MOMENT, MOMENT)
EXACT = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-12}


def example():
    """The module of the joint type, which it registers when it is imported, for one test."""
    return import_module("pin_in_slot")


@pytest.fixture(autouse=True)
def registered(only_for_this_test):
    example()


def pendulum(actuation=(), joint=None):
    """A bar on a pin in a level slot of the ground, released at rest at START [rad].

    Nothing pushes it along the slot, so its centre of mass falls and rises on a vertical line:
    (I + m l^2 sin^2 a) a'' = -m l sin(a) (l cos(a) a'^2 + g).
    """
    scene = dt.Scene(gravity=(0, -G, 0))
    c, s = np.cos(START), np.sin(START)
    R = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
    scene.add_body("bar", mass=MASS, inertia=J, position=(ARM * s, -ARM * c, 0), rotation=R)
    pin = joint or example().PinInSlot((0, 0, 0), (0, 0, 1), (1, 0, 0), actuation=actuation)
    scene.add_joint("pin", pin, "ground", "bar")
    return scene


def angle_of(result, body="bar"):
    R = result.rotation(body)
    return np.unwrap(np.arctan2(R[:, 1, 0], R[:, 0, 0]))


def exact_angle(times):
    def rates(_, y):
        a, w = y
        push = -MASS * ARM * np.sin(a) * (ARM * np.cos(a) * w**2 + G)
        return w, push / (MOMENT + MASS * (ARM * np.sin(a)) ** 2)

    return solve_ivp(rates, (0, times[-1]), (START, 0), "DOP853", times, rtol=1e-12, atol=1e-12).y[
        0
    ]


@pytest.mark.parametrize("scheme", JOINTED)
def test_bar_on_a_pin_in_a_slot_swings_about_a_vertical_line_under_every_scheme(scheme):
    result = simulate(pendulum(), 1.0, 1e-3, integrator=scheme)
    assert result.status == "finished"
    x = result.position("bar")[:, 0]
    assert np.abs(x - ARM * np.sin(START)).max() < 5e-6  # of second order in h
    assert np.abs(angle_of(result) - exact_angle(result.time)).max() < 6e-4
    assert result.constraint_violation["position"].max() < 1e-9


@pytest.mark.parametrize(
    ("scheme", "contact", "order"), [("ImplicitEuler", "IPC", 2), ("StewartTrinkle", "LCP", 1)]
)
def test_bar_on_a_pin_in_a_slot_swings_at_the_order_of_the_scheme(scheme, contact, order):
    errors, method = [], getattr(dt.contact, contact)()
    for h in (1e-3, 5e-4):
        result = simulate(pendulum(), 0.3, h, integrator=scheme, contact=method)
        errors.append(np.abs(angle_of(result) - exact_angle(result.time)).max())
        assert np.abs(result.position("bar")[:, 0] - ARM * np.sin(START)).max() < 1e-6
    assert errors[1] < 0.04
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.3)


def test_pin_in_slot_moves_as_a_light_slider_with_a_hinge():
    """The same motions made of two joints of the package and a body of almost no mass."""
    chain = pendulum(joint=dt.Revolute((0, 0, 0), (0, 0, 1)))
    light = dt.Scene(gravity=(0, -G, 0))
    light.add_body("slider", mass=1e-9, inertia=(1e-9, 1e-9, 1e-9))
    bar = chain.bodies["bar"].given
    light.add_body(
        "bar", mass=MASS, inertia=bar.inertia, position=bar.position, rotation=bar.rotation
    )
    spring = dt.Actuation(stiffness=30.0, damping=0.5)
    light.add_joint(
        "slide", dt.Prismatic((0, 0, 0), (1, 0, 0), actuation=[spring]), "ground", "slider"
    )
    light.add_joint("hinge", dt.Revolute((0, 0, 0), (0, 0, 1)), "slider", "bar")
    expected = simulate(light, 0.5, 1e-3)
    found = simulate(pendulum([spring]), 0.5, 1e-3)
    np.testing.assert_allclose(found.position("bar"), expected.position("bar"), atol=1e-7)


@pytest.mark.parametrize("integrator", ["JointCoordinates", "RATTLie"])
def test_slot_of_the_moving_body_guides_a_pin_of_the_ground(integrator):
    """A spring pendulum: with r from the pin to the centre of mass and the angle a from below,

    r'' = r a'^2 + g cos a - k (r - l) / m,  (I + m r^2) a'' = -2 m r r' a' - m g r sin a.
    """
    scene = dt.Scene(gravity=(0, -G, 0))
    c, s = np.cos(START), np.sin(START)
    down = np.array([s, -c, 0.0])
    R = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
    scene.add_body("bar", mass=MASS, inertia=J, position=ARM * down, rotation=R)
    spring = dt.Actuation(stiffness=200.0)
    pin = example().PinInSlot((0, 0, 0), (0, 0, 1), down, actuation=[spring])
    scene.add_joint("pin", pin, "bar", "ground")
    result = simulate(scene, 1.0, 2e-4, integrator=integrator)

    def rates(_, y):
        r, a, vr, w = y
        pull = -200.0 * (r - ARM) / MASS
        turn = (-2 * MASS * r * vr * w - MASS * G * r * np.sin(a)) / (MOMENT + MASS * r * r)
        return vr, w, r * w * w + G * np.cos(a) + pull, turn

    exact = solve_ivp(
        rates, (0, 1), (ARM, START, 0, 0), "DOP853", result.time, rtol=1e-11, atol=1e-11
    )
    r, a = exact.y[:2]
    path = np.stack((r * np.sin(a), -r * np.cos(a)), axis=1)
    np.testing.assert_allclose(result.position("bar")[:, :2], path, atol=2e-6)


@pytest.mark.parametrize("integrator", ["JointCoordinates", "RATTLie", "LieGeneralizedAlpha"])
def test_scotch_yoke_follows_the_cosine_of_its_crank(integrator):
    result = simulate(example().scene(), 1.0, 1e-3, integrator=integrator)
    exact = example().RADIUS * np.cos(0.3 + 10.0 * result.time)
    assert np.abs(result.position("yoke")[:, 0] - exact).max() < 1e-8


def test_pin_in_slot_closes_the_loop_of_a_scotch_yoke():
    mechanism = Mechanism(example().scene().build())
    assert [closure.name for closure in mechanism.closures] == ["pin"]
    assert (mechanism.n_v, mechanism.n_equations) == (2, 4)
    assert mechanism.degrees_of_freedom() == 1
    assert len(mechanism.redundant_equations()) == 3


def test_roughly_placed_yoke_is_assembled():
    scene = example().scene()
    rough = dt.Scene(gravity=scene.gravity)
    rough.add_body("crank", mass=2.0, inertia=(0.01, 0.01, 0.02))
    rough.add_body("yoke", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(0.05, 0, 0))
    rough.add_joint("shaft", dt.Revolute((0, 0, 0), (0, 0, 1)), "ground", "crank")
    rough.add_joint("guide", dt.Prismatic((0, 0, 0), (1, 0, 0)), "ground", "yoke")
    pin = example().PinInSlot((0.05, 0, 0), (0, 0, 1), (0, 1, 0), point_b=(0.1, 0, 0))
    rough.add_joint("pin", pin, "yoke", "crank")
    model = assemble(rough.build())
    crank = model.rotation[0] @ (0.1, 0, 0)
    assert crank[0] == pytest.approx(model.position[1][0], abs=1e-10)


def test_scene_file_names_the_joint_and_its_second_axis(tmp_path):
    scene = example().scene()
    path = tmp_path / "yoke.yaml"
    scene.save(path)
    assert "type: pin-in-slot" in path.read_text()
    joint = load_scene(path).scene.joints["pin"][0]
    assert type(joint) is example().PinInSlot
    np.testing.assert_array_equal(joint.axis2, scene.joints["pin"][0].axis2)


def test_limits_in_a_file_are_millimetres_along_the_slot_and_degrees_about_the_pin(tmp_path):
    path = tmp_path / "slot.yaml"
    path.write_text(
        "version: 1\nunits: {length: mm, angle: deg}\n"
        "bodies: [{name: a, mass: 1, inertia: [1, 1, 1]}]\n"
        "joints: [{name: j, type: pin-in-slot, bodies: [ground, a], axis2: [0, 1, 0],\n"
        "  actuation: [{lower: -20}, {lower: -90}]}]\n"
    )
    lower = [row.lower for row in load_scene(path).scene.joints["j"][0].actuation]
    assert lower == pytest.approx([-0.02, -np.pi / 2])


def test_schema_has_the_joint_with_its_second_axis():
    entry = json_schema()["$defs"]["PinInSlotEntry"]["properties"]
    assert entry["type"] == {"const": "pin-in-slot", "title": "Type", "type": "string"}
    assert "axis2" in entry and "pitch" not in entry


def test_view_marks_both_axes_of_the_joint():
    from dovetail.view.page.joint_marks import joint_marks

    marks = {mark["name"]: mark for mark in joint_marks(simulate(example().scene(), 0.01, 1e-3))}
    assert marks["pin"]["kind"] == "pin-in-slot"
    np.testing.assert_allclose(marks["pin"]["axes"], [(0, 0, 1), (0, 1, 0)], atol=1e-15)


def test_joint_that_is_not_registered_is_refused_with_what_to_do():
    class Unnamed(example().PinInSlot):
        pass

    with pytest.raises(InputError, match=r"Unnamed has no name .*; register it"):
        simulate(pendulum(joint=Unnamed((0, 0, 0))), 0.01, 1e-3)


def test_name_of_the_package_cannot_be_taken():
    with pytest.raises(InputError, match="'revolute' is one of the package's own"):
        JOINTS.register("revolute", example().PinInSlot)
