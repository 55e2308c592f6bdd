"""Involute gears: closed, of the right size, and fitting each other."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.linalg.lie import so3
from dovetail.model.shapes.gear import gear
from dovetail.scene_check import check_scene


@pytest.mark.parametrize("teeth", [8, 12, 18, 40])
def test_a_gear_is_a_closed_solid_between_root_and_tip(teeth):
    made = gear(0.01, teeth, 0.03)
    assert made.diagnosis.closed and made.diagnosis.oriented
    radius = np.linalg.norm(made.surface().vertices[:, :2], axis=1)
    assert radius.max() == pytest.approx(0.01 * (teeth / 2 + 1))
    assert radius[radius > 0].min() == pytest.approx(0.01 * (teeth / 2 - 1.25), rel=0.05)
    inner, outer = (np.pi * r**2 * 0.03 for r in (radius[radius > 0].min(), radius.max()))
    assert inner < made.mass_properties().measure < outer


@pytest.mark.parametrize("turn", np.linspace(0, 2 * np.pi / 12, 7))
@pytest.mark.parametrize(("backlash", "meets"), [(4e-4, False), (-8e-4, True)])
def test_two_gears_fit_at_every_angle_and_fatter_ones_do_not(turn, backlash, meets):
    """Turned in the ratio of their teeth; a backlash too little is a wheel turned by it."""
    slip = 0.0 if backlash > 0 else backlash / 0.09
    scene = dt.Scene()
    scene.add_body("pinion", gear(0.01, 12, 0.03, backlash=4e-4), rotation=so3.exp([0, 0, turn]))
    scene.add_body(
        "wheel", gear(0.01, 18, 0.03, backlash=4e-4), position=(0.15, 0, 0),
        rotation=so3.exp([0, 0, np.pi / 18 - turn * 12 / 18 + slip]),
    )  # fmt: skip
    found = [finding for finding in check_scene(scene) if finding.severity == "error"]
    assert bool(found) == meets


def test_a_gear_too_small_for_its_teeth_is_refused():
    with pytest.raises(dt.errors.InputError, match="8 teeth"):
        gear(0.01, 5, 0.03)
    with pytest.raises(dt.errors.InputError, match="no tip or no root"):
        gear(0.01, 12, 0.03, backlash=0.015)
