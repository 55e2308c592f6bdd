"""Motors that follow the state, in mechanisms at rest: forces are round-off of the weights."""

import pytest

import dovetail as dt
from dovetail.integrators import (
    DH,
    EulerParameterDAE,
    JointCoordinates,
    LieGeneralizedAlpha,
    RATTLie,
)

SCHEMES = [
    None, RATTLie(), RATTLie(order=4), DH(), JointCoordinates(), EulerParameterDAE(),
    LieGeneralizedAlpha(),
]  # fmt: skip
Y = (0, 1, 0)


def servo(t, q, v):
    return -20.0 * q - 3.0 * v


def pendulum():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("rod", mass=1, inertia=(0.1, 0.1, 0.01), position=(0.3, 0, -0.5))
    hinge = dt.Revolute((0.3, 0, 0), Y, actuation=dt.Actuation(motor=servo))
    scene.add_joint("hinge", hinge, "ground", "rod")
    return scene


def four_bar():
    """Crank and rocker upright, so that nothing moves."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    J = (0.02, 0.02, 0.001)
    for name, place in (
        ("crank", (0, 0, 0.2)),
        ("coupler", (0.5, 0, 0.55)),
        ("rocker", (1, 0, 0.35)),
    ):
        scene.add_body(name, mass=1, inertia=J, position=place)
    servo_joint = dt.Revolute((0, 0, 0), Y, actuation=dt.Actuation(motor=servo))
    scene.add_joint("a", servo_joint, "ground", "crank")
    scene.add_joint("b", dt.Revolute((0, 0, 0.4), Y), "crank", "coupler")
    scene.add_joint("c", dt.Revolute((1, 0, 0.7), Y), "coupler", "rocker")
    scene.add_joint("d", dt.Revolute((1, 0, 0), Y), "ground", "rocker")
    return scene


@pytest.mark.filterwarnings("ignore:RATTLie takes steps of order 2")
@pytest.mark.parametrize("step", [1e-2, 1e-3])
@pytest.mark.parametrize("build", [pendulum, four_bar])
@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
def test_nothing_moves_and_nothing_fails(scheme, build, step):
    result = dt.simulate(build(), 0.2, step, integrator=scheme, progress=False)
    assert result.energy["kinetic"].max() < 1e-20
