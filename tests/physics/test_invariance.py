"""The same motion in other axes, places, orders, mirrored and in other units.

Bounds are of the size of the bodies. Without contact only rounding differs. Under contact solvers
stop at a tolerance, so their iterates may differ by it, and impacts multiply the difference: bounds
are a few times what was measured over 0.3 s (`docs/explanation/determinism.md` states them).
"""

from dataclasses import replace

import numpy as np
import pytest
from transformed_scenes import BOXES, CHANGES, LINKS, ROUND, SIZE, Change, positions

import dovetail as dt

WITHOUT_CONTACT = {
    "RATTLie": 1e-12,
    "JointCoordinates": 1e-12,
    "DH": 1e-12,
    "DL": 1e-12,
    "LieGeneralizedAlpha": 1e-12,
    "EulerParameterDAE": 1e-11,
    "CompliantEuler": 1e-9,  # stops at a tolerance
    "StewartTrinkle": 1e-7,
    "ImplicitEuler": 1e-9,
    "BarrierVerlet": 1e-8,
}
FAR = 30.0  # times as large where coordinates have three digits less


def difference(parts, change, duration, step, **how):
    """The largest of any body and time, as a part of the size of the bodies."""
    there = positions(parts, change, duration, step, **how)
    return np.abs(there - reference(parts, duration, step, **how)).max() / SIZE


KNOWN = {}


def reference(parts, duration, step, **how):
    key = parts, duration, step, repr(how)
    if key not in KNOWN:
        KNOWN[key] = positions(parts, Change(), duration, step, **how)
    return KNOWN[key]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("scheme", WITHOUT_CONTACT)
def test_a_mechanism_moves_the_same_in_other_axes_and_units(scheme, change):
    made = CHANGES[change]
    if made.order is not None:
        made = replace(made, order=(2, 0, 1))
    bound = WITHOUT_CONTACT[scheme] * (FAR if change == "far away" else 1.0)
    assert difference(LINKS, made, 0.3, 0.005, integrator=scheme) <= bound


CONTACT = {
    "ipc": (dt.contact.IPC(friction=0.3), None, 0.01),
    "lcp": (dt.contact.LCP(friction=0.3), None, 0.01),
    "sdf": (dt.contact.SDF(friction=0.3), None, 0.01),
    "ipc, BarrierVerlet": (dt.contact.IPC(), "BarrierVerlet", 0.005),
}
BOUNDS = {  # boxes, round shapes
    "ipc": (1e-4, 1e-4),
    "lcp": (2e-4, 5e-4),  # four corners that slide share their load in many ways, one is chosen
    "sdf": (1e-10, 1e-10),
    "ipc, BarrierVerlet": (1e-2, 1e-3),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("method", CONTACT)
@pytest.mark.parametrize("which", [0, 1], ids=["boxes", "round"])
@pytest.mark.filterwarnings("ignore:.*inside each other")
def test_bodies_that_fall_move_the_same_in_other_axes_and_units(which, method, change):
    contact, integrator, step = CONTACT[method]
    how = {"contact": contact, "integrator": integrator}
    parts, duration = (BOXES, ROUND)[which], 0.3
    assert difference(parts, CHANGES[change], duration, step, **how) <= BOUNDS[method][which]


@pytest.mark.parametrize("change", CHANGES)
def test_explicit_steps_of_contact_forces_are_the_same_in_other_axes_and_units(change):
    """Stiffness [N/m^1.5] and sticking speeds [m/s] are given, and change with the units.

    A single number for friction sticks below 1e-3 m/s under these integrators, in any units.
    """

    def at(made):
        stiffness = 1e6 * made.mass / made.time**2 / made.length**0.5
        speed = made.length / made.time
        friction = (0.3, 0.3, 1e-3 * speed, 2e-3 * speed)
        contact = dt.contact.SDF(friction=friction, stiffness=stiffness)
        return positions(BOXES, made, 0.15, 0.0005, contact=contact, integrator="LieVerlet")

    bound = 1e-2 if change == "mirrored" else 1e-9  # points of the faces are not mirrored
    assert np.abs(at(CHANGES[change]) - at(Change())).max() / SIZE <= bound
