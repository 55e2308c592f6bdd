"""Compositions of RATTLie: order, energy over long times, joints, on trees and on loops."""

import numpy as np
import pytest

from dovetail.errors import InputError
from dovetail.examples import double_pendulum
from dovetail.integrators import RATTLie
from dovetail.integrators.rattlie import is_damped, what_is_not_smooth
from dovetail.integrators.shared.divided_steps import DividedStepWarning
from dovetail.integrators.variational import composition
from dovetail.integrators.variational import step as variational_step
from dovetail.integrators.variational.composition import GAMMAS
from dovetail.integrators.variational.stages import SINGULAR
from dovetail.model import Actuation, Revolute, Scene, Spherical
from dovetail.simulate import simulate
from jointed_scenes import four_bar, hanging_rod
from mechanism_scenes import slider_crank

AT_10_S = np.array([-0.14818282, 0.08790666, -1.37799989])  # [m] of rod 2, minimal coordinates


def heavy_top():
    scene = Scene(gravity=(0, 0, -9.81))
    scene.add_body("top", mass=15, inertia=(0.234375, 0.46875, 0.234375), position=(0, 1, 0),
                   angular_velocity=(0, 150, -4.61538), velocity=(4.61538, 0, 0))  # fmt: skip
    scene.add_joint("tip", Spherical((0, 0, 0)), "ground", "top")
    return scene


CASES = {  # scene, duration [s], steps
    "pendulum": (lambda: hanging_rod(angular_velocity=(0, 5, 0), velocity=(-2.5, 0, 0)), 1.0, 40),
    "double pendulum": (double_pendulum.build, 1.0, 100),
    "heavy top": (heavy_top, 0.1, 100),
    "four-bar": (four_bar, 0.5, 20),
    "slider-crank": (slider_crank, 0.5, 40),
}


def end_of(scene, order, duration, count):
    stepper = RATTLie(order=order).start(scene.build(), None)
    for k in range(1, count + 1):
        stepper.step(duration * k / count)
    return np.hstack([stepper.bodies.x.ravel(), stepper.bodies.R.ravel()])


@pytest.mark.parametrize("name", CASES)
def test_order_four_is_measured_on_trees_and_loops(name):
    scene, duration, count = CASES[name]
    reference = end_of(scene(), 6, duration, 4 * count)
    errors = [np.abs(end_of(scene(), 4, duration, n) - reference).max() for n in (count, 2 * count)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.35), errors


@pytest.mark.parametrize("order", [4, 6])
def test_substeps_satisfy_the_order_conditions(order):
    """Sum of gamma is 1, those of gamma^3 (and gamma^5) vanish, and they are symmetric."""
    gammas = np.array(GAMMAS[order])
    assert gammas.sum() == pytest.approx(1.0, abs=1e-15)
    assert np.array_equal(gammas, gammas[::-1])
    for power in range(3, order, 2):
        assert abs((gammas**power).sum()) < 1e-14


def test_default_has_seven_digits_of_the_double_pendulum_after_ten_seconds():
    result = simulate(double_pendulum.build(), 10.0, 1e-3, every=1000, progress=False)
    assert np.abs(result.position("rod2")[-1] - AT_10_S).max() < 1e-7
    assert np.abs(result.energy["total"]).max() < 1e-5


@pytest.mark.slow
def test_energy_stays_in_its_band_for_a_million_steps():
    result = simulate(double_pendulum.build(), 1000.0, 1e-3, every=100, progress=False)
    total = result.energy["total"]
    tenth = len(total) // 10
    bands = [np.abs(part).max() for part in (total[:tenth], total[-tenth:])]
    assert bands[0] < 1e-4 and bands[1] < 3.0 * bands[0], bands


def test_what_cannot_go_back_is_stepped_at_order_two_and_said():
    scene = hanging_rod((Actuation(friction=0.3),), angular_velocity=(0, 2, 0), velocity=(-1, 0, 0))
    with pytest.warns(UserWarning, match="order 2 here, not 4: dry friction in joints"):
        rough = RATTLie(order=4).start(scene.build(), None)
    plain = RATTLie().start(scene.build(), None)
    for k in range(1, 21):
        rough.step(k * 0.01), plain.step(k * 0.01)
    assert np.array_equal(rough.bodies.x, plain.bodies.x)


def test_step_whose_dampers_cannot_be_solved_is_divided(monkeypatch):
    """Into steps of order 2, in which dampers are solved for with the joints."""
    scene = four_bar()
    across = Revolute((0, 0, 1), (0, 1, 0), actuation=(Actuation(damping=0.3),))
    scene.add_body("arm", mass=1, inertia=(0.1, 0.1, 0.1), position=(0, 0, 1), velocity=(2, 0, 0))
    scene.add_joint("damped", across, "coupler", "arm")
    stepper = RATTLie(order=4).start(scene.build(), None)
    monkeypatch.setattr(variational_step, "dissipate", lambda h, damping, parts: (SINGULAR, 0))
    with pytest.warns(DividedStepWarning):
        stepper.step(0.01)


def test_a_motor_that_follows_the_state_is_named_as_what_cannot_go_back():
    scene = hanging_rod((Actuation(motor=lambda t, q, rate: -rate),))
    with pytest.warns(UserWarning, match="order 2 here, not 4: motors that follow the state"):
        RATTLie(order=4).start(scene.build(), None)


@pytest.mark.parametrize("order", [3, 0, True, "4"])
def test_orders_that_do_not_exist_are_refused(order):
    with pytest.raises(InputError, match="`order` must be one of 2, 4, 6"):
        RATTLie(order=order)


def test_substeps_are_mirrored_about_one_that_makes_their_sum_the_step():
    assert composition._symmetric((0.25, -0.125)) == (0.25, -0.125, 0.75, -0.125, 0.25)
    for order, gammas in GAMMAS.items():
        assert gammas == gammas[::-1] and sum(gammas) == pytest.approx(1.0, abs=1e-15)
        assert np.array_equal(composition.substeps(order), gammas)


def free(**more):
    scene = Scene()
    for k in range(2):
        scene.add_body(f"b{k}", mass=1, inertia=(1, 1, 1), position=(2 * k, 0, 0))
    acting = Actuation(**more) if more else Actuation(stiffness=1.0, damping=0.1)
    scene.add_joint("hinge", Revolute((0, 0, 0), (0, 0, 1), actuation=[acting]), "b0", "b1")
    return scene


def pushed():
    scene = free()
    scene.add_load("wind", lambda t, s: {"b0": ((t, 0, 0), (0, 0, 0))})
    return scene


@pytest.mark.parametrize(
    ("made", "contact", "says"),
    [
        (free(), None, ""),
        (free(motor=2.0), None, ""),
        (free(lower=0.0, upper=0.0), None, ""),  # held: a joint without that freedom
        (free(), "sdf", "contact forces"),
        (free(friction=0.1), None, "dry friction in joints"),
        (free(lower=-1.0), None, "limits of joints"),
        (free(upper=1.0), None, "limits of joints"),
        (pushed(), None, "loads given by functions"),
        (free(motor=lambda t, q, v: 0.0), None, "motors that follow the state"),
        (free(friction=0.1, upper=1.0), "sdf",
         "contact forces and dry friction in joints and limits of joints"),
    ],
)  # fmt: skip
def test_what_has_jumps_is_named_and_takes_the_order_of_compositions(made, contact, says):
    assert what_is_not_smooth(made.build(), contact) == says


@pytest.mark.parametrize(
    ("made", "damped"),
    [(free(), True), (free(stiffness=2.0), False), (free(motor=2.0), False)],
)
def test_dampers_are_those_of_joints_and_of_springs(made, damped):
    assert is_damped(made.build()) is damped
    made.add_spring("coil", "b0", "b1", (0, 0, 0), (2, 0, 0), stiffness=1.0)
    assert is_damped(made.build()) is damped
    made.add_spring("shock", "b0", "b1", (0, 1, 0), (2, 0, 0), stiffness=1.0, damping=0.1)
    assert is_damped(made.build()) is True
