"""Round bodies roll as if they had no facets, on half-spaces and flat faces, under LCP and SDF."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.linalg.lie import so3

G, R = 9.81, 0.05
ACROSS = so3.exp([np.pi / 2, 0, 0])  # the axis of a roller to y
SHAPES = {
    "sphere": (dt.Sphere(R), np.eye(3)),
    "cylinder": (dt.Cylinder(R, 0.1, segments=12), ACROSS),
    "capsule": (dt.Capsule(R, 0.1, segments=12), ACROSS),
    "torus": (dt.Torus(0.8 * R, 0.2 * R, segments=12), ACROSS),
}
LAWS = {"lcp": dt.contact.LCP, "sdf": dt.contact.SDF}


@pytest.fixture(autouse=True)
def _quiet(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.getbasetemp() / "fields"
    monkeypatch.setattr("dovetail.collision.sdf.building.field_folder", lambda: folder)
    monkeypatch.setenv("DOVETAIL_QUIET", "1")


def on_floor(floor, angle=0.0):
    scene = dt.Scene(gravity=(G * np.sin(angle), 0, -G * np.cos(angle)))
    if floor == "box":
        scene.add_body("floor", dt.Box((20, 2, 1)), motion="static", position=(0, 0, -0.5))
    else:
        scene.add_body("floor", dt.HalfSpace(), motion="static")
    return scene


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("floor", ["box", "plane"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_roller_keeps_its_speed_on_the_level(shape, floor, law):
    form, turn = SHAPES[shape]
    scene = on_floor(floor)
    scene.add_body("roller", form, mass=1, position=(0, 0, R), rotation=turn, velocity=(1, 0, 0),
                   angular_velocity=(0, 1 / R, 0))  # fmt: skip
    result = dt.simulate(scene, 1.0, 2e-3, contact=LAWS[law](friction=0.5), progress=False)
    assert result.velocity("roller")[-1] == pytest.approx([1, 0, 0], abs=1e-4)
    assert result.position("roller")[:, 2] == pytest.approx(R, abs=1e-5)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_roller_on_a_slope_gains_speed_as_its_inertia_says(shape, law):
    """a = g sin(t) / (1 + I / m R^2)."""
    form, turn = SHAPES[shape]
    angle, duration = 0.2, 0.5
    scene = on_floor("box", angle)
    scene.add_body("roller", form, mass=1, position=(0, 0, R), rotation=turn)
    result = dt.simulate(scene, duration, 1e-3, contact=LAWS[law](friction=0.5), progress=False)
    inertia = scene.build().bodies[1].inertia
    spin = np.linalg.solve(turn, [0, 1, 0])
    ratio = spin @ inertia @ spin / R**2
    expected = G * np.sin(angle) / (1 + ratio) * duration
    assert result.velocity("roller")[-1, 0] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("law", LAWS)
def test_a_cone_rolls_around_its_tip(law):
    """Its side stays on the floor, its kinetic energy and the tip where they are."""
    radius, height = 0.05, 0.12
    slope = np.arctan2(radius, height)  # between axis and side
    lie = so3.exp([0, np.pi / 2 + slope, 0])  # the side on the floor, the tip forward at +x
    form = dt.Cone(radius, height, segments=12)
    scene = on_floor("box")
    along = lie @ [0, 0, 1]
    tip = np.array([0.0, 0, 0])
    centre = tip - along * 0.75 * height
    rate = 1.0  # [rad/s] of the axis around the vertical through the tip
    line = np.array([-1.0, 0, 0])  # on which it touches, from the tip
    spin = rate / np.tan(slope) * line  # w is along the line of contact: no slip on it
    scene.add_body("cone", form, mass=1, position=centre - lie @ [0, 0, 0.25 * height],
                   rotation=lie, velocity=np.cross(spin, centre - tip),
                   angular_velocity=spin)  # fmt: skip
    h = 5e-4 if law == "lcp" else 1e-3  # its lifts out of overlaps are paid by kinetic energy
    result = dt.simulate(scene, 0.5, h, contact=LAWS[law](friction=0.5), progress=False)
    kinetic = result.energy["kinetic"]
    assert kinetic[-1] == pytest.approx(kinetic[0], rel=2e-3)
    tips = result.position("cone")[-1] + result.rotation("cone")[-1] @ [0, 0, 0.75 * height]
    assert np.linalg.norm(tips) < 1e-3
    assert result.position("cone")[:, 2] == pytest.approx(centre[2], abs=1e-4)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("lower", "upper"), [("torus", "sphere"), ("cylinder", "torus"),
                                              ("cone", "torus")])  # fmt: skip
def test_smooth_bodies_rest_on_each_other(lower, upper, law):
    """A ball in the hole of a ring, a ring flat on a drum's end, a ring down over a cone."""
    scene, m = on_floor("plane"), 0.5
    ring = dt.Torus(0.06, 0.02, segments=10)
    if lower == "torus":
        scene.add_body("a", ring, motion="static", position=(0, 0, 0.02))
        height = 0.02 + np.sqrt((0.05 + 0.02) ** 2 - 0.06**2)
        scene.add_body("b", dt.Sphere(0.05), mass=m, position=(0, 0, height))
    elif lower == "cylinder":
        scene.add_body("a", dt.Cylinder(0.1, 0.1, segments=10), motion="static",
                       position=(0, 0, 0.05))  # fmt: skip
        height = 0.12
        scene.add_body("b", ring, mass=m, position=(0, 0, height))
    else:
        scene.add_body("a", dt.Cone(0.1, 0.2, segments=10), motion="static")
        # the tube touches the side where (r, z) = (0.06, h): distance to the side is 0.02
        height = (0.02 * np.hypot(0.1, 0.2) / 0.1) + 0.2 - 0.06 * 2
        scene.add_body("b", ring, mass=m, position=(0, 0, height))
    result = dt.simulate(scene, 0.3, 1e-3, contact=LAWS[law](friction=0.3), progress=False)
    assert result.position("b")[-1] == pytest.approx([0, 0, height], abs=2e-5)
    carried = result.contacts.at(-1).forces
    assert abs(carried.sum(axis=0)[2]) == pytest.approx(m * G, rel=1e-3)


def groove():
    """Two walls at 45 degrees, edges together at the origin, as one body."""
    halves = [
        dt.Placed(dt.Box((0.4, 1, 0.02)), rotation=so3.exp([0, side * np.pi / 4, 0]),
                  position=(-side * 0.2 / np.sqrt(2) - side * 0.01 / np.sqrt(2), 0,
                            0.2 / np.sqrt(2) - 0.01 / np.sqrt(2)))
        for side in (1, -1)
    ]  # fmt: skip
    return dt.Compound(halves)


def test_a_ball_in_a_groove_of_one_body_is_carried_by_both_walls():
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("groove", groove(), motion="static")
    scene.add_body("ball", dt.Sphere(R), mass=1, position=(0, 0, np.sqrt(2) * R),
                   velocity=(0, 0.5, 0))  # fmt: skip
    result = dt.simulate(scene, 0.4, 1e-3, contact=dt.contact.SDF(), progress=False)
    assert result.position("ball")[-1] == pytest.approx([0, 0.2, np.sqrt(2) * R], abs=1e-4)
    forces = result.contacts.at(-1).forces
    assert np.abs(forces[:, 2]).sum() == pytest.approx(G, rel=1e-3)
    assert np.abs(forces[:, 0]).sum() == pytest.approx(G, rel=1e-3)  # 45 degrees


def test_a_ball_rolls_over_the_seam_of_a_compound_floor():
    scene = dt.Scene(gravity=(0, 0, -G))
    plates = [dt.Placed(dt.Box((1, 1, 0.1)), position=(k - 0.5, 0, -0.05)) for k in range(3)]
    scene.add_body("floor", dt.Compound(plates), motion="static")
    scene.add_body("ball", dt.Sphere(R), mass=1, position=(-0.5, 0, R), velocity=(1, 0, 0),
                   angular_velocity=(0, 1 / R, 0))  # fmt: skip
    law = dt.contact.SDF(friction=0.5)
    result = dt.simulate(scene, 1.5, 2e-3, contact=law, progress=False)
    assert result.velocity("ball")[-1] == pytest.approx([1, 0, 0], abs=1e-4)
    assert result.position("ball")[:, 2] == pytest.approx(R, abs=1e-5)
