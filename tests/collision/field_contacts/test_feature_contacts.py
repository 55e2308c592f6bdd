"""Contacts of features in fields: places, gaps and normals of boxes, beams and cylinders."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.linalg.lie import so3


def contacts(*bodies, reach=1e-3):
    """(points, normals from the second to the first, gaps) of two bodies (shape, place, turn)."""
    scene = dt.Scene()
    for k, (shape, place, turn) in enumerate(bodies):
        motion = "static" if isinstance(shape, dt.HalfSpace) else "dynamic"
        density = None if motion == "static" else 1.0
        scene.add_body(
            f"body {k}", shape, density=density, position=place, rotation=so3.exp(turn),
            motion=motion,
        )  # fmt: skip
    model = scene.build()
    law = dt.contact.SDF().prepare_compliant(model)
    count = law.find(model.position, model.rotation, np.full(model.n_bodies, reach))
    rows = law.contacts.rows
    sign = np.where(rows.point_body[:count] == 0, 1.0, -1.0)[:, None]
    return rows.point[:count], sign * rows.gradient[:count], -rows.depth[:count]


FLOOR = (dt.Box((4, 4, 1)), (0, 0, -0.5), (0, 0, 0))


@pytest.mark.parametrize("gap", [-1e-3, -1e-6, 0.0, 1e-6, 1e-3])
def test_a_box_flat_on_a_box_touches_with_its_four_corners_along_the_floors_normal(gap):
    points, normals, gaps = contacts((dt.Box((0.4, 0.3, 0.2)), (0, 0, 0.1 + gap), (0, 0, 0)), FLOOR)
    assert len(gaps) == 4
    np.testing.assert_allclose(np.sort(np.abs(points[:, 0])), 0.2, atol=1e-9)
    np.testing.assert_allclose(normals, np.tile([0, 0, 1], (4, 1)), atol=1e-12)
    np.testing.assert_allclose(gaps, gap, atol=1e-12)


@pytest.mark.parametrize("gap", [-1e-5, 0.0, 1e-5])
def test_boxes_of_one_size_on_top_of_each_other_touch_at_four_corners(gap):
    box = dt.Box((0.2, 0.2, 0.2))
    points, normals, gaps = contacts(
        (box, (0, 0, 0.2 + gap), (0, 0, 0)), (box, (0, 0, 0), (0, 0, 0))
    )
    assert len(gaps) == 4
    np.testing.assert_allclose(normals, np.tile([0, 0, 1], (4, 1)), atol=1e-9)
    np.testing.assert_allclose(gaps, gap, atol=1e-9)
    np.testing.assert_allclose(np.abs(points[:, :2]), 0.1, atol=1e-6)


def test_a_box_on_its_corner_pushes_the_floor_down_and_never_aside():
    turn = so3.log(so3.exp([0.6, 0, 0]) @ so3.exp([0, 0.5, 0]))
    half = np.array([0.2, 0.15, 0.1])
    low = np.abs(so3.exp(turn)[2] * half).sum()
    found = contacts((dt.Box(2 * half), (0, 0, low - 1e-3), turn), FLOOR)
    assert len(found[2]) == 1
    np.testing.assert_allclose(found[1], [[0, 0, 1]], atol=1e-12)
    np.testing.assert_allclose(found[2], [-1e-3], atol=1e-12)


@pytest.mark.parametrize("angle", [0.5, 0.8, np.pi / 2])
@pytest.mark.parametrize("gap", [-1e-4, 1e-4])
def test_crossing_edges_have_the_normal_across_both(angle, gap):
    beam, up = dt.Box((0.2, 1, 0.2)), so3.exp([0, np.pi / 4, 0])
    top = 0.2 * np.sqrt(2)
    turned = so3.log(so3.exp([0, 0, angle]) @ up)
    points, normals, gaps = contacts(
        (beam, (0, 0, top + gap), turned), (beam, (0, 0, 0), so3.log(up))
    )
    assert len(gaps) == 1
    np.testing.assert_allclose(normals, [[0, 0, 1]], atol=1e-4)
    np.testing.assert_allclose(gaps, [gap], rtol=1e-3)
    np.testing.assert_allclose(points, [[0, 0, top / 2]], atol=1e-3)


def test_a_beam_across_a_narrow_wall_touches_at_both_sides_of_the_wall():
    wall, beam = dt.Box((0.1, 1, 1)), dt.Box((2, 0.2, 0.1))
    points, normals, gaps = contacts((beam, (0, 0, 0.55), (0, 0, 0)), (wall, (0, 0, 0), (0, 0, 0)))
    assert len(gaps) == 4
    np.testing.assert_allclose(np.abs(points[:, 0]), 0.05, atol=1e-4)
    np.testing.assert_allclose(np.abs(points[:, 1]), 0.1, atol=1e-4)
    np.testing.assert_allclose(normals, np.tile([0, 0, 1], (4, 1)), atol=1e-3)


def test_a_cylinder_touches_with_its_exact_line_however_it_is_turned():
    for spin in np.linspace(0, 0.3, 7):  # about its own axis: no polygon is felt
        turn = so3.log(so3.exp([np.pi / 2, 0, 0]) @ so3.exp([0, 0, spin]))
        _, normals, gaps = contacts((dt.Cylinder(0.1, 0.3), (0, 0, 0.1), turn), FLOOR)
        assert len(gaps) == 2
        np.testing.assert_allclose(gaps, 0.0, atol=1e-12)
        np.testing.assert_allclose(normals, np.tile([0, 0, 1], (2, 1)), atol=1e-12)


def test_a_cylinder_that_stands_has_four_points_around_its_rim():
    points, _, gaps = contacts((dt.Cylinder(0.1, 0.3), (0, 0, 0.15), (0, 0, 0)), FLOOR)
    assert len(gaps) == 4
    np.testing.assert_allclose(np.linalg.norm(points[:, :2], axis=1), 0.1, atol=1e-9)
    assert np.linalg.norm(points[:, :2].mean(axis=0)) < 1e-9


def test_crossed_cylinders_touch_at_one_point():
    roller = dt.Cylinder(0.1, 0.6)
    lying, across = [np.pi / 2, 0, 0], so3.log(so3.exp([0, 0, 1.0]) @ so3.exp([np.pi / 2, 0, 0]))
    _, normals, gaps = contacts((roller, (0, 0, 0.2), across), (roller, (0, 0, 0), lying))
    assert len(gaps) == 1
    np.testing.assert_allclose(normals, [[0, 0, 1]], atol=1e-6)
    np.testing.assert_allclose(gaps, 0.0, atol=1e-9)
