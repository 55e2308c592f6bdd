"""Steps of loops are checked by their energy where nothing but loops and potentials acts."""

import pytest

import dovetail as dt
from dovetail.integrators import DH, JointCoordinates, RATTLie
from dovetail.integrators.shared.divided_steps import energy_noise
from mechanism_scenes import four_bar

KEEPING = {"nothing": (), "spring": (dt.Actuation(stiffness=3.0),),
           "rotor": (dt.Actuation(armature=0.1),)}  # fmt: skip
NOT_KEEPING = {
    "damper": (dt.Actuation(damping=0.1),),
    "friction": (dt.Actuation(friction=0.1),),
    "lower limit": (dt.Actuation(lower=-3.0),),
    "upper limit": (dt.Actuation(upper=3.0),),
    "effort": (dt.Actuation(motor=0.1),),
    "velocity": (dt.Actuation(motor=("velocity", 0.0)),),
    "motor of the state": (dt.Actuation(motor=lambda t, q, v: -v),),
}


def checked(scheme, scene):
    return scheme.start(scene.build(), None)._conservative


@pytest.mark.parametrize("scheme", [JointCoordinates(), RATTLie()])
def test_energy_is_a_check_of_loops_under_springs_and_rotors(scheme):
    for name, acting in KEEPING.items():
        assert checked(scheme, four_bar(actuation=acting)), name


@pytest.mark.parametrize("scheme", [JointCoordinates(), RATTLie()])
def test_energy_is_no_check_where_something_else_works(scheme):
    for name, acting in NOT_KEEPING.items():
        assert not checked(scheme, four_bar(actuation=acting)), name


@pytest.mark.parametrize("scheme", [JointCoordinates(), RATTLie()])
def test_loads_are_potentials_unless_they_turn_with_a_body_or_damp(scheme):
    ends = ("ground", "coupler", (0, 0, 0), (0.3, 0.4, 0))
    loads = {
        "force": (lambda scene: scene.add_force("f", "coupler", (1, 2, 0)), True),
        "spring": (lambda scene: scene.add_spring("s", *ends, stiffness=9.0), True),
        "damper": (lambda scene: scene.add_spring("s", *ends, damping=0.3), False),
        "body force": (
            lambda scene: scene.add_force("f", "coupler", (1, 2, 0), frame="body"), False
        ),
        "function": (lambda scene: scene.add_load("f", lambda t, s: {}), False),
    }  # fmt: skip
    for name, (add, keeps) in loads.items():
        scene = four_bar()
        add(scene)
        assert checked(scheme, scene) == keeps, name


def test_without_loops_or_projection_nothing_is_checked():
    scene = dt.Scene()
    scene.add_body("rod", dt.Box((1, 0.1, 0.1)), mass=1, position=(0.5, 0, 0))
    scene.add_joint("hinge", dt.Revolute((0, 0, 0), (0, 1, 0)), "ground", "rod")
    assert not checked(JointCoordinates(), scene)
    assert checked(DH(), four_bar())
    assert not dt.integrators.DL().start(four_bar().build(), None)._conservative


def test_efforts_that_are_set_end_the_check():
    for integrator in ("JointCoordinates", "RATTLie"):
        sim = dt.Simulation(four_bar(), 1e-3, integrator=integrator)
        assert sim._stepper._conservative
        sim.joint("A").effort = 0.5
        sim.step()
        assert not sim._stepper._conservative


def test_noise_of_energies_is_that_of_weights_far_from_the_origin():
    """1e-11 of m g times the farthest distance; little is 1e-2 of m g times the size."""
    scene = dt.Scene(gravity=(0, 3, -4))
    scene.add_body("a", mass=2, inertia=(1, 1, 1), position=(3, 0, 4))
    scene.add_body("b", mass=1, inertia=(1, 1, 1), position=(0, 1, 0))
    scene.add_body("wall", dt.Box((1, 1, 1)), motion="static", position=(1e3, 0, 0))
    noise, little = energy_noise(scene.build(), 0.5)
    assert noise == pytest.approx(1e-11 * 3 * 5 * 5)
    assert little == pytest.approx(1e-2 * 3 * 5 * 0.5)
    empty = dt.Scene(gravity=(0, 0, -9.81))
    empty.add_body("wall", dt.Box((1, 1, 1)), motion="static")
    assert energy_noise(empty.build(), 1.0) == (0.0, 0.0)
