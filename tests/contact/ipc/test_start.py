"""The start of a run without intersections: what crosses is refused, what touches is opened."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dovetail as dt
from dovetail.contact.ipc.start_check import MAX_REPORTED, checked_start
from dovetail.contact.ipc.touching_start import OPENED

BOX, BALL, PLANE = dt.Box((1, 1, 1)), dt.Sphere(0.5), dt.HalfSpace()
ROD, PILL = dt.Cylinder(0.5, 1.0), dt.Capsule(0.5, 1.0)
DIAGONAL = {"box": 3**0.5, "ball": 3**0.5, "rod": 3**0.5, "pill": 6**0.5}
SHAPES = {"box": BOX, "ball": BALL, "rod": ROD, "pill": PILL}
HALF = {"box": 0.5, "ball": 0.5, "rod": 0.5, "pill": 1.0}


def placed(*bodies, **more):
    """Bodies (shape, height of the centre [m], motion) above each other."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    for k, (shape, z, motion) in enumerate(bodies):
        scene.add_body(f"b{k}", shape, density=500, position=(0, 0, z), motion=motion, **more)
    return scene.build()


def opened(*bodies, dmin=0.0, **more):
    return checked_start(placed(*bodies, **more), dmin)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("gap", [1.0, 1e-3, 1e-6])
def test_bodies_with_a_gap_stay_where_they_are(name, gap):
    shape, z = SHAPES[name], HALF[name] + gap
    assert not opened((PLANE, 0.0, "static"), (shape, z, "dynamic")).any()
    assert not opened((BOX, -0.5, "static"), (shape, z, "dynamic")).any()


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("gap", [0.0, 1e-9])
def test_what_stands_on_a_plane_is_lifted_by_a_millionth_of_its_size(name, gap):
    shape, z = SHAPES[name], HALF[name] + gap
    found = opened((PLANE, 0.0, "static"), (shape, z, "dynamic"))
    assert found[1] == pytest.approx([0, 0, OPENED * DIAGONAL[name]], rel=1e-3, abs=1e-12)
    assert not found[0].any()


@pytest.mark.parametrize("name", SHAPES)
def test_what_stands_on_a_box_is_lifted_and_what_is_static_stays(name):
    shape, z = SHAPES[name], HALF[name]
    for order in (1, -1):
        pair = [(dt.Box((4, 4, 1)), -0.5, "static"), (shape, z, "dynamic")][::order]
        found = opened(*pair)[::order]
        assert not found[0].any()
        assert found[1, 2] == pytest.approx(OPENED * DIAGONAL[name], rel=2e-2)
        assert found[1, :2] == pytest.approx([0, 0], abs=1e-9)


@pytest.mark.parametrize("other", ["ball", "rod", "pill"])
def test_round_bodies_side_by_side_are_opened_along_the_line_between_them(other):
    scene = dt.Scene()
    scene.add_body("a", SHAPES[other], density=500)
    scene.add_body("b", BALL, density=500, position=(1, 0, 0), motion="static")
    found = checked_start(scene.build(), 0.0)
    assert found[0] == pytest.approx([-OPENED * 3**0.5, 0, 0], rel=1e-2, abs=1e-9)
    assert not found[1].any()


def test_a_stack_opens_layer_by_layer_from_what_cannot_move():
    layers = [(BOX, 0.5 + k, "dynamic") for k in range(3)]
    found = opened((PLANE, 0.0, "static"), *layers)[1:]
    rise = np.diff(np.concatenate([[0.0], found[:, 2]]))
    assert np.all(rise > 0.5 * OPENED * 3**0.5)
    assert np.all(rise < 3 * OPENED * 3**0.5)
    assert np.abs(found[:, :2]).max() < 1e-12


@pytest.mark.parametrize("shape", [dt.Box((0.02,) * 3), dt.Sphere(0.01), dt.Cylinder(0.01, 0.02)])
def test_what_is_small_is_opened_from_something_large_that_was_moved(shape):
    tray = OPENED * 8.01**0.5
    found = opened(
        (PLANE, 0.0, "static"), (dt.Box((2, 2, 0.1)), 0.05, "dynamic"), (shape, 0.11, "dynamic")
    )
    assert found[1, 2] == pytest.approx(tray, rel=1e-3)
    assert tray < found[2, 2] < tray + 1e-7
    assert np.abs(found[:, :2]).max() < 1e-12


def test_the_gap_opened_is_beyond_the_separation_that_is_kept():
    dmin = 1e-3
    found = opened((PLANE, 0.0, "static"), (BOX, 0.5 + dmin, "dynamic"), dmin=dmin)
    assert found[1, 2] == pytest.approx(OPENED * 3**0.5, rel=1e-3)
    with pytest.raises(dt.InputError, match=r"more than 0.001 m above half-space 'b0'"):
        opened((PLANE, 0.0, "static"), (BOX, 0.5 + 0.9 * dmin, "dynamic"), dmin=dmin)


@pytest.mark.parametrize("name", SHAPES)
def test_what_is_below_a_plane_is_refused_with_its_depth(name):
    with pytest.raises(dt.InputError, match=r"body 'b1' .*above half-space 'b0'.*at -0.01 m"):
        opened((PLANE, 0.0, "static"), (SHAPES[name], HALF[name] - 0.01, "dynamic"))


def test_crossing_triangles_are_named():
    with pytest.raises(dt.InputError, match=r"'b0' and 'b1' must not intersect .* of triangles"):
        opened((BOX, 0.0, "static"), (BOX, 0.9, "dynamic"))


@pytest.mark.parametrize("name", ["ball", "pill"])
def test_round_bodies_that_overlap_are_refused_with_the_gap(name):
    with pytest.raises(dt.InputError, match=r"'b0' and 'b1' must not .*them is -0.01 m"):
        opened((BALL, 0.0, "static"), (SHAPES[name], 0.49 + HALF[name], "dynamic"))


@pytest.mark.parametrize("order", [1, -1])
def test_a_body_inside_of_a_solid_is_refused(order):
    pair = [(dt.Box((4, 4, 4)), 0.0, "dynamic"), (BOX, 0.0, "dynamic")]
    outer, inner = ["b0", "b1"][::order]
    with pytest.raises(dt.InputError, match=f"'{inner}' must not be inside .* body '{outer}'"):
        opened(*pair[::order])


def test_bodies_that_do_not_collide_may_be_anywhere():
    assert not opened((BOX, 0.0, "dynamic"), (BOX, 0.9, "dynamic"), group="one").any()


def test_of_many_mistakes_the_first_are_reported_and_the_others_counted():
    heap = [(BOX, 0.1 * k, "dynamic") for k in range(5)]  # ten pairs
    with pytest.raises(dt.InputError) as caught:
        opened(*heap)
    assert len(caught.value.mistakes) == MAX_REPORTED + 1
    assert caught.value.mistakes[-1] == "and 5 more such pairs"


def test_what_joints_hold_or_what_is_fixed_is_not_moved():
    scene = dt.Scene()
    scene.add_body("floor", PLANE, motion="static")
    scene.add_body("door", BOX, density=1, position=(0, 0, 0.5))
    scene.add_joint("hinge", dt.Revolute((0, 0, 0.5), (0, 0, 1)), "ground", "door")
    with pytest.raises(dt.InputError, match="body 'door' must be more than 0 m above"):
        checked_start(scene.build(), 0.0)
    with pytest.raises(dt.InputError, match="body 'b1' must be more than 0 m above"):
        opened(
            (PLANE, 0.0, "static"),
            (BOX, 0.5, "dynamic"),
            fixed=[False, False, True, False, False, False],
        )


def test_shapes_that_are_polyhedra_are_named(capsys, monkeypatch):
    monkeypatch.setenv("DOVETAIL_QUIET", "0")
    opened((PLANE, 0.0, "static"), (dt.Torus(0.5, 0.1), 1.0, "dynamic"))
    assert "polyhedra" not in capsys.readouterr().err
    opened((BOX, 0.0, "static"), (dt.Torus(0.5, 0.1), 3.0, "dynamic"))
    assert "meet all else as polyhedra under contact method 'ipc': 'b1';" in capsys.readouterr().err
    off_axis = {"mass": 1, "inertia": (1, 1, 1), "center_of_mass": (0.1, 0, 0)}
    scene = dt.Scene()
    scene.add_body("wheel", ROD, **off_axis)
    checked_start(scene.build(), 0.0)
    assert "'wheel': a polyhedron under contact method 'ipc'" in capsys.readouterr().err


@pytest.mark.parametrize("name", SHAPES)
def test_a_plane_may_be_anywhere(name):
    shape, z = SHAPES[name], 2.0 + HALF[name]
    found = opened((PLANE, 2.0, "static"), (shape, z, "dynamic"))
    assert found[1] == pytest.approx([0, 0, OPENED * DIAGONAL[name]], rel=1e-3, abs=1e-12)
    with pytest.raises(dt.InputError, match=r"above half-space 'b0'.*at -0.01 m"):
        opened((PLANE, 2.0, "static"), (shape, z - 0.01, "dynamic"))


@pytest.mark.parametrize("low", ["box", "rod"])
@pytest.mark.parametrize("high", ["box", "rod", "ball", "pill", "cone"])
@pytest.mark.parametrize("gap", [0.0, 1e-9, -1e-10])
@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
def test_what_is_as_wide_as_what_it_stands_on_is_lifted_straight_up(low, high, gap, unit):
    shapes = {
        "box": (dt.Box((unit, unit, unit)), 0.5), "rod": (dt.Cylinder(0.5 * unit, unit), 0.5),
        "ball": (dt.Sphere(0.5 * unit), 0.5), "pill": (dt.Capsule(0.5 * unit, unit), 1.0),
        "cone": (dt.Cone(0.5 * unit, unit), 0.0),
    }  # fmt: skip
    below, (above, half) = shapes[low][0], shapes[high]
    for turn in (Rotation.identity(), *Rotation.random(2, rng=np.random.default_rng(3))):
        for aside in (0.0, 0.3):  # their sides flush on two faces
            if aside and low == "rod":
                continue
            scene = dt.Scene()
            pose = {"rotation": turn.as_quat(scalar_first=True), "density": 500}
            scene.add_body("a", below, motion="static", **pose)
            at = turn.apply(unit * np.array([0.0, aside, 0.5 + half + gap]))
            scene.add_body("b", above, position=at, **pose)
            by = turn.inv().apply(checked_start(scene.build(), 0.0)[1]) / unit
            assert by[:2] == pytest.approx([0, 0], abs=1e-8)
            assert OPENED < by[2] < 4 * OPENED
