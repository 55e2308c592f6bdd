"""Outputs agree with the motion they are computed from."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.studies import AllOf, Output

G, SPEED = 9.81, 3.0


@pytest.fixture(scope="module")
def thrown():
    """A ball thrown upward at 3 m/s for 0.5 s, a second one at rest 1 m aside without weight."""
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("ball", dt.Sphere(0.1), mass=2.0, velocity=(0, 0, SPEED))
    scene.add_body("other", dt.Sphere(0.1), mass=1.0, position=(1, 0, 0), motion="static")
    return dt.simulate(scene, 0.5, 1e-3)


def test_extremes_and_their_times_are_those_of_a_throw(thrown):
    top = SPEED / G
    assert Output("max", "position", ("ball",), "z")(thrown) == pytest.approx(
        SPEED**2 / (2 * G), abs=1e-6
    )
    assert Output("time_of_max", "position", ("ball",), "z")(thrown) == pytest.approx(top, abs=1e-3)
    assert Output("min", "velocity", ("ball",))(thrown) == pytest.approx(0, abs=G * 1e-3)


def test_change_and_loss_have_opposite_signs(thrown):
    change = Output("change", "kinetic_energy")(thrown)
    assert change == -Output("loss", "kinetic_energy")(thrown)
    end = SPEED - G * 0.5
    assert change == pytest.approx(end**2 - SPEED**2, rel=1e-9)  # m = 2 kg


def test_the_integral_of_velocity_is_the_displacement(thrown):
    displacement = Output("integral", "velocity", ("ball",), "z")(thrown)
    assert displacement == pytest.approx(
        Output("change", "position", ("ball",), "z")(thrown), abs=1e-9
    )
    mean = Output("mean", "velocity", ("ball",), "z")(thrown)
    assert mean == pytest.approx(displacement / 0.5, rel=1e-12)


def test_limits_turn_a_number_into_yes_or_no(thrown):
    assert Output("max", "position", ("ball",), "z", above=0.4)(thrown) is True
    assert Output("max", "position", ("ball",), "z", above=0.4, below=0.41)(thrown) is False


def test_times_where_a_signal_holds(thrown):
    falls = {"bodies": ("ball",), "component": "z", "below": 0.0}
    assert Output("first_time", "velocity", **falls)(thrown) == pytest.approx(SPEED / G, abs=2e-3)
    assert Output("last_time", "velocity", **falls)(thrown) == pytest.approx(0.5)
    share = Output("time_share", "velocity", **falls)(thrown)
    assert share == pytest.approx(1 - SPEED / G / 0.5, abs=4e-3)
    assert np.isnan(Output("first_time", "position", ("ball",), above=1e3)(thrown))


def test_two_bodies_give_the_relative_motion(thrown):
    distance = Output("first", "distance", ("ball", "other"))(thrown)
    assert distance == pytest.approx(1.0)
    assert Output("last", "velocity", ("ball", "other"))(thrown) == pytest.approx(
        abs(SPEED - G * 0.5)
    )


def test_contact_forces_add_up_to_the_change_of_momentum():
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    for k in range(2):
        scene.add_body(f"ball {k}", dt.Sphere(0.1), mass=1.0 + k, position=(k, 0, 0.1))
    duration, h, stiffness = 0.2, 2e-4, 1e5
    contact = dt.contact.SDF(stiffness=stiffness, exponent=1.0, damping=0.0)
    result = dt.simulate(scene, duration, h, contact=contact)
    for k in range(2):
        mass = 1.0 + k
        impulse = Output("integral", "contact_force", (f"ball {k}",), "z")(result)
        gained = mass * Output("change", "velocity", (f"ball {k}",), "z")(result)
        # trapezoids of an oscillation at omega^2 = k/m: (omega h)^2 / 12 of the force
        off = stiffness / mass * h**2 / 12
        assert impulse == pytest.approx(gained + mass * G * duration, rel=2 * off)
        pair = Output("integral", "contact_force", ("floor", f"ball {k}"), "z")(result)
        assert pair == -impulse
    # the heavier ball sinks deepest and pushes hardest, as the frames one by one say
    frames = [result.contacts.at(k) for k in range(len(result.time))]
    deepest = max(-frame.gaps.min(initial=0.0) for frame in frames)
    assert Output("max", "penetration")(result) == deepest > 0
    heavy = Output("max", "contact_force", ("ball 1",))(result)
    assert Output("max", "contact_force")(result) == heavy


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("largest", "energy"), "must be one of first, last"),
        (("max", "enrgy"), "signal must be one of"),
        (("first_time", "energy"), "give `above` or `below`"),
    ],
)
def test_an_output_that_cannot_be_is_refused(arguments, sentence):
    with pytest.raises(dt.InputError, match=sentence):
        Output(*arguments)


def test_a_signal_of_the_wrong_number_of_bodies_is_refused(thrown):
    with pytest.raises(dt.InputError, match="is of 2 bodies"):
        Output("max", "distance", ("ball",))
    with pytest.raises(dt.InputError, match="no body 'bal'"):
        Output("max", "position", ("bal",))(thrown)


def test_all_of_several_is_yes_where_each_is(thrown):
    rises = Output("max", "position", ("ball",), "z", above=0.4)
    falls = Output("last", "velocity", ("ball",), "z", below=0)
    returns = Output("last", "position", ("ball",), "z", below=0)
    assert AllOf((rises, falls))(thrown) is True
    assert AllOf((rises, falls, returns))(thrown) is False
    assert AllOf((rises, falls)).bodies == ("ball", "ball")
    with pytest.raises(dt.InputError, match="must be of outputs that are yes or no"):
        AllOf((rises, Output("max", "energy")))
