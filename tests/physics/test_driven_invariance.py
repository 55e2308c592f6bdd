"""Driven mechanisms: the same motion, efforts and energies in other axes, orders and units."""

import numpy as np
import pytest
from transformed_scenes import CHANGES, Change, Part, box, changed

import dovetail as dt

PARTS = (  # an arm on a table that turns and rises, a carriage on a rail, two geared wheels
    Part("table", box(0.6, 0.6, 0.1), (0, 0, 0), velocity=(0, 0, 0.1), spin=(0, 0, 0.5),
         motion="kinematic"),
    Part("arm", box(0.06, 0.05, 0.4), (0.1, 0, 0.25), velocity=(0.08, 0.05, 0.1),
         spin=(0, 0.4, 0.5)),
    Part("hand", box(0.05, 0.07, 0.2), (0.1, 0.02, 0.55), (0, 0, 0.3), velocity=(0.19, 0.05, 0.1),
         spin=(0, 0.4, 0.5)),
    Part("carriage", box(0.2, 0.1, 0.12), (1.0, 0, 0), (0.2, 0, 0.1), velocity=(0.12, 0, 0.16)),
    Part("big", box(0.2, 0.2, 0.06), (0, 1.0, 0), spin=(0, 0, 1.0)),
    Part("small", box(0.1, 0.1, 0.06), (0.3, 1.0, 0), spin=(0, 0, -2.0)),
)  # fmt: skip
NO_REACTIONS = ("LieGeneralizedAlpha",)
ORDER = (5, 2, 0, 3, 1, 4)
SAME = ("rotated", "in another order", "mm, g, ms", "lengths x 1e-3", "times x 1e3")


def driven(change, friction, rotor, limits):
    """All that can act along joints, each in units that the change makes of it."""
    Q, L, M, T = change.Q, change.length, change.mass, change.time
    scene = changed(PARTS, change)
    force, torque = M * L / T**2, M * L**2 / T**2

    def place(*point):
        return L * (Q @ point + change.shift)

    shoulder = dt.Actuation(
        stiffness=30 * torque, damping=0.4 * torque * T, rest=0.15, friction=friction * torque,
        armature=rotor * M * L**2, lower=-0.02 if limits else None,
    )  # fmt: skip
    wrist = dt.Actuation(stiffness=2 * torque, damping=0.05 * torque * T, motor=0.3 * torque)
    rail = dt.Actuation(
        damping=1.5 * force * T / L, motor=lambda t: force * (2.0 + 9.0 * t / T),
        friction=friction * force, upper=0.03 * L if limits else None,
    )  # fmt: skip
    motor = ("velocity", lambda t: (1.0 + 2.0 * t / T) / T)
    axis = Q @ (0, 0, 1)
    joints = (
        ("shoulder", dt.Revolute(place(0.1, 0, 0.05), Q @ (0, 1, 0), actuation=[shoulder]),
         "table", "arm"),
        ("wrist", dt.Universal(place(0.1, 0, 0.45), Q @ (1, 0, 0), Q @ (0, 1, 0),
                               actuation=[wrist, dt.Actuation(stiffness=3 * torque)]),
         "arm", "hand"),
        ("rail", dt.Prismatic(place(1, 0, 0), Q @ (0.6, 0, 0.8), actuation=[rail]),
         "ground", "carriage"),
        ("wheel", dt.Revolute(place(0, 1, 0), axis, actuation=[dt.Actuation(motor=motor)]),
         "ground", "big"),
        ("pinion", dt.Revolute(place(0.3, 1, 0), axis), "ground", "small"),
    )  # fmt: skip
    for name, joint, a, b in joints if change.order is None else joints[::-1]:
        scene.add_joint(name, joint, a, b)
    scene.add_coupling("gear", dt.Coupling({"pinion": 1.0, "wheel": 2.0}))
    scene.add_force("thrust", "hand", tuple(force * (Q @ (0.2, 0.1, 0))), (0, 0, 0))
    scene.add_load("wind", lambda t, s: {
        "carriage": (-0.5 * force * T / L * s.velocity("carriage"), (0, 0, 0)),
    })  # fmt: skip
    return scene


def seen(change, integrator, **more):
    """Positions, efforts, reactions and energies, in the axes and units of the unchanged scene."""
    Q, L, M, T = change.Q, change.length, change.mass, change.time
    made = dt.simulate(
        driven(change, **more),
        0.12 * T,
        2e-3 * T,
        integrator=integrator,
        every=3,
        progress=False,
        check=False,
    )
    x = np.stack([made.position(part.name) for part in PARTS], axis=1)
    names = ("shoulder", "wrist", "rail", "wheel", "pinion")
    reactions = {}
    if integrator not in NO_REACTIONS:
        force = np.stack([made.joint_force(name) for name in names], axis=1)
        torque = np.stack([made.joint_torque(name) for name in names], axis=1)
        reactions = {"force": force @ Q / (M * L / T**2), "torque": torque @ Q / (M * L**2 / T**2)}
    energy = [made.energy[key] for key in ("kinetic", "total")]
    return {
        "position": (x / L - change.shift) @ Q,
        **reactions,
        "energy": np.array([part - part[0] for part in energy]) / (M * L**2 / T**2),
        "coordinate": made.joint("rail").position / L,
    }


SCHEMES = {  # bound (the last four stop at a tolerance), dry friction, rotor, limits
    "RATTLie": (1e-9, 0.05, 0.01, True),
    "DH": (1e-9, 0.05, 0.0, True),
    "LieGeneralizedAlpha": (1e-9, 0.05, 0.0, False),
    "JointCoordinates": (1e-9, 0.05, 0.01, True),
    "DL": (1e-9, 0.0, 0.0, True),
    "EulerParameterDAE": (1e-8, 0.0, 0.0, False),
    "CompliantEuler": (1e-6, 0.05, 0.0, True),
    "StewartTrinkle": (1e-6, 0.05, 0.0, True),
    "ImplicitEuler": (1e-5, 0.05, 0.0, True),
    "BarrierVerlet": (1e-6, 0.0, 0.0, True),
}
KNOWN = {}


@pytest.mark.parametrize("change", SAME)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_driven_mechanism_moves_the_same_in_other_axes_and_units(scheme, change):
    bound, friction, rotor, limits = SCHEMES[scheme]
    more = {"friction": friction, "rotor": rotor, "limits": limits}
    made = CHANGES[change]
    if made.order is not None:
        made = Change(order=ORDER)
    if scheme not in KNOWN:
        KNOWN[scheme] = seen(Change(), scheme, **more)
    there = seen(made, scheme, **more)
    worst = {
        name: np.abs(there[name] - here).max() / np.abs(here).max()
        for name, here in KNOWN[scheme].items()
    }
    assert max(worst.values()) <= bound, worst
