"""What the schemes for potentials keep in a snapshot, and that all of it matters."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact import IPC
from dovetail.integrators import BarrierVerlet, ImplicitEuler

H = 0.01
STATE = ("x", "R", "v", "omega")


def squeezed():
    """A gram under ten kilograms that fall on it: its contacts stiffen, and steps hand that on."""
    scene = dt.Scene(gravity=(0, 0, -10))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    for k, (mass, width) in enumerate(((1e-3, 1.0), (10.0, 1.25))):
        scene.add_body(
            f"cube {k}", dt.Box((width, width, 1.0)), mass=mass,
            position=(0, 0, 0.5005 + 1.01 * k), velocity=(0, 0, -10.0 * k),
            fixed=(True, True, False, True, True, True),
        )  # fmt: skip
    return scene.build()


def resumed(scheme, model, snapshot, steps):
    """The state after so many steps from the snapshot."""
    stepper = scheme.start(model, IPC())
    stepper.restore(snapshot)
    first = round(float(snapshot["t"]) / H)
    for k in range(first, first + steps):
        stepper.step(H * (k + 1))
    return stepper.bodies


@pytest.mark.parametrize("scheme", [ImplicitEuler(), BarrierVerlet()], ids=lambda s: s.name)
def test_a_squeezed_run_resumes_to_the_bit_by_its_barriers(scheme):
    model = squeezed()
    whole = scheme.start(model, IPC())
    for k in range(4):
        whole.step(H * (k + 1))
    snapshot = whole.snapshot()
    pairs, values = snapshot["barriers pairs"].tolist(), snapshot["barriers values"]
    if (
        scheme.name == "ImplicitEuler"
    ):  # [J]: they have stiffened; impacts of the other do not press
        assert values[pairs.index([0, 1]), 1] > 10 * 1e-3 * 10.0**2 / 9
    for k in range(4, 8):
        whole.step(H * (k + 1))
    again = resumed(scheme, model, snapshot, 4)
    for name in STATE:
        np.testing.assert_array_equal(getattr(again, name), getattr(whole.bodies, name))
    none = {"barriers pairs": np.zeros((0, 2), np.int32), "barriers values": np.zeros((0, 2))}
    forgotten = resumed(scheme, model, snapshot | none, 4)
    assert not np.array_equal(forgotten.x, whole.bodies.x)
