"""Impulses that miss what is wanted: one warning names the time, the pair and both speeds."""

import re
import warnings

import numpy as np

import dovetail as dt
from dovetail.integrators.stewart_trinkle.failures import ResidualWarning

H = 0.01


def test_the_warning_names_the_end_of_the_first_step_that_is_not_solved():
    """A box that spins falls on the floor after some steps; 1e-30 m/s is beyond rounding."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.Box((4, 4, 1)), motion="static", position=(0, 0, -0.5))
    scene.add_body(
        "box", dt.Box((0.2, 0.3, 0.4)), mass=1.3, position=(0, 0, 0.22), velocity=(0.3, 0.1, 0),
        angular_velocity=(0.1, 0.2, 3.0),
    )  # fmt: skip
    contact = dt.contact.LCP(friction=0.4, tolerance=1e-30)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = dt.simulate(scene, 0.2, H, contact=contact, progress=False, check=False)
    said = [str(one.message) for one in caught if one.category is ResidualWarning]
    assert len(said) == 1
    missed = np.flatnonzero(result.stats["unconverged"])
    assert missed[0] > 2 and len(missed) > 1
    assert f"at t = {result.time[missed[0]]:.6g} s " in said[0]
    assert re.search("the contact of .box. and .floor. is off|of .floor. and .box. is off", said[0])
    assert "wanted 1e-30 m/s" in said[0]
