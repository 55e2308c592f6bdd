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


def outline(teeth, backlash, angle, x=0.0):
    """Corners (k, 2) of a gear of module 1 in one plane, turned and moved along x, in order."""
    vertices = gear(1.0, teeth, 1.0, backlash=backlash).surface().vertices
    below = vertices[vertices[:, 2] < 0][:, :2]
    below = below[np.linalg.norm(below, axis=1) > 0]
    c, s = np.cos(angle), np.sin(angle)
    return below @ np.array([[c, s], [-s, c]]) + [x, 0.0]


def cross(A, B):
    """Whether any side of polygon A crosses one of B."""

    def turns(p, q, r):
        d, e = q - p, r - p
        return d[..., 0] * e[..., 1] - d[..., 1] * e[..., 0]

    a0, a1 = A[:, None], np.roll(A, -1, axis=0)[:, None]
    b0, b1 = B[None], np.roll(B, -1, axis=0)[None]
    apart = turns(a0, a1, b0) * turns(a0, a1, b1), turns(b0, b1, a0) * turns(b0, b1, a1)
    return bool(((apart[0] < 0) & (apart[1] < 0)).any())


@pytest.mark.parametrize(
    ("pinion", "wheel"), [(16, 24), (8, 40), (12, 12), (17, 60), (9, 9), (24, 16)]
)
def test_gears_with_a_hundredth_of_the_module_of_backlash_pass_each_other(pinion, wheel):
    """Tips pass the feet of the other gear, also of one with few teeth."""
    for turn in np.linspace(0, 2 * np.pi / pinion, 50):
        facing = np.pi + np.pi / wheel - turn * pinion / wheel
        placed = outline(wheel, 0.01, facing, x=0.5 * (pinion + wheel))
        assert not cross(outline(pinion, 0.01, turn), placed)
        assert cross(outline(pinion, 0.01, turn + 0.3 / pinion), placed)


def test_a_gear_too_small_for_its_teeth_is_refused():
    with pytest.raises(dt.errors.InputError, match="8 teeth"):
        gear(0.01, 5, 0.03)
    with pytest.raises(dt.errors.InputError, match="no tip or no root"):
        gear(0.01, 12, 0.03, backlash=0.015)


@pytest.mark.parametrize("teeth", [8, 12, 18, 40])
def test_no_triangle_of_a_side_is_folded_over_another(teeth: int) -> None:
    surface = gear(0.01, teeth, 0.03, backlash=4e-4).surface()
    a, b, c = np.moveaxis(surface.vertices[surface.faces], 1, 0)
    normal = np.cross(b - a, c - a)
    height = surface.vertices[:, 2].max()
    for sign in (-1, 1):
        of_side = [np.allclose(sign * z, height) for z in surface.vertices[surface.faces][:, :, 2]]
        assert (sign * normal[of_side, 2] > 0).all()
