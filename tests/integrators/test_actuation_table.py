"""All that can act along a coordinate under all schemes and contact methods: alike, or refused.

The table of `docs/methods/lie-integrators.md` says the same.
"""

import math

import pytest

import dovetail as dt
from dovetail.errors import InputError

PAIRS = [
    ("JointCoordinates", None), ("DH", None), ("DL", None), ("LieGeneralizedAlpha", None),
    ("EulerParameterDAE", None), ("CompliantEuler", None), ("StewartTrinkle", "lcp"),
    ("ImplicitEuler", "ipc"), ("BarrierVerlet", "ipc"), ("RATTLie", "sdf"),
    ("JointCoordinates", "sdf"),
]  # fmt: skip
CONTACT = {"CompliantEuler", "StewartTrinkle", "ImplicitEuler", "BarrierVerlet"}
UPPER = 0.01  # [rad]
TO_A_PLACE = ("position", lambda t: 0.1 * math.sin(3 * t))
ACTING = {
    "spring": dt.Actuation(stiffness=20.0, rest=0.1),
    "damper": dt.Actuation(damping=0.5),
    "dry friction": dt.Actuation(friction=0.3),
    "rotor": dt.Actuation(armature=0.05),
    "limit": dt.Actuation(lower=-0.2, upper=UPPER),
    "limit that gives": dt.Actuation(upper=UPPER, limit_stiffness=5e3, limit_damping=50.0),
    "effort": dt.Actuation(motor=1.0),
    "effort f(t)": dt.Actuation(motor=lambda t: math.sin(9 * t)),
    "effort f(t, q, v)": dt.Actuation(motor=lambda t, q, v: -5 * q - v),
    "position": dt.Actuation(motor=TO_A_PLACE),
    "velocity": dt.Actuation(motor=("velocity", 0.5)),
    "velocity f(t)": dt.Actuation(motor=("velocity", lambda t: t)),
    "position with a largest effort": dt.Actuation(motor=TO_A_PLACE, effort_limit=2.0),
}
COUPLED = {
    "gear": dt.Coupling({"u": 1.0, "w": -2.0}),
    "polynomial": dt.Coupling({"w": 1.0, "u": (-0.5, 0.3)}),
    "tendon": dt.Coupling({"u": 0.8, "w": -0.5}, actuation=dt.Actuation(stiffness=30, damping=1)),
}
REFUSED = {
    "position with a largest effort": {name for name, _ in PAIRS} - {"JointCoordinates"},
}
STEP, END = 1e-3, 0.05  # [s]


def turned(kind, integrator, contact):
    """[rad] of the first hinge of a double pendulum."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    acting = [ACTING[kind]] if kind in ACTING else []
    for name, x in (("a", 0.25), ("b", 0.75)):
        scene.add_body(name, dt.Box((0.4, 0.05, 0.05)), mass=1, position=(x, 0, 0))
    scene.add_joint("u", dt.Revolute((0, 0, 0), (0, 1, 0), actuation=acting), "ground", "a")
    scene.add_joint("w", dt.Revolute((0.5, 0, 0), (0, 1, 0)), "a", "b")
    if kind in COUPLED:
        scene.add_coupling(kind, COUPLED[kind])
    result = dt.simulate(
        scene, END, STEP, integrator=integrator, contact=contact, progress=False, check=False
    )
    return result.joint("u").position


@pytest.mark.parametrize("kind", [*ACTING, *COUPLED])
def test_every_scheme_takes_it_alike_or_says_which_one_does(kind):
    only = "JointCoordinates" if "largest" in kind else "RATTLie"
    expected = turned(kind, only, None)
    for integrator, contact in PAIRS:
        if integrator in REFUSED.get(kind, ()) or (integrator == "RATTLie" and "largest" in kind):
            with pytest.raises(InputError, match=r"use |integrator JointCoordinates"):
                turned(kind, integrator, contact)
            continue
        found = turned(kind, integrator, contact)
        if "limit" in kind:
            assert 0.9 * UPPER < found.max() < UPPER + 2e-3, integrator
        else:
            # from rest q = a t^2 / 2, and Euler's error is a t h / 2 = q h / t; twice that
            order = 2 * STEP / END * abs(expected).max() if integrator in CONTACT else 1e-5
            assert found[-1] == pytest.approx(expected[-1], abs=order), integrator
