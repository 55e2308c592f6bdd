"""The translation that frees two surfaces: verified exactly, short as closed forms say."""

from dataclasses import replace

import numpy as np
import pytest

import dovetail as dt
from dovetail.collision.bvh.tree import bvh_of
from dovetail.collision.intersection.freeing_translation import freeing_translation
from dovetail.collision.intersection.surfaces import PlacedTree, intersecting_pairs
from dovetail.linalg.lie import so3


def placed(shape, x=(0, 0, 0), rotation=(0, 0, 0)):
    R = so3.exp(np.array(rotation, dtype=float))
    return PlacedTree(bvh_of(shape.surface()), np.array(x, dtype=float), R)


def freed(a, b):
    found = freeing_translation(a, b, intersecting_pairs(a, b))
    moved = replace(b, x=b.x + found.translation)
    assert not len(intersecting_pairs(a, moved))
    return found


@pytest.mark.parametrize("depth", [1e-5, 1e-3, 0.1])
@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_boxes_come_free_along_the_face_they_entered(depth, size):
    box = dt.Box((size, size, size))
    b = placed(box, (0.1 * size, 0.2 * size, size * (1 - depth)))
    found = freed(placed(box), b)
    assert found.length == pytest.approx(depth * size, rel=1e-2)
    assert found.translation[2] > 0


def test_balls_come_free_along_the_line_of_their_centres():
    ball = dt.Sphere(1.0, 32)
    found = freed(placed(ball), placed(ball, (1.2, 0.9, 1.0)))
    assert found.length == pytest.approx(2 - np.sqrt(1.44 + 0.81 + 1), rel=0.05)


def test_a_peg_that_pierces_a_plate_leaves_through_its_short_end():
    plate = placed(dt.Box((1, 1, 0.1)))
    peg = placed(dt.Cylinder(0.05, 0.5), (0, 0, 0.2 - 0.04))
    found = freed(plate, peg)  # its lower end is 0.09 below the middle, 0.14 below the surface
    assert found.length == pytest.approx(0.14, rel=1e-2)


def test_a_rotated_box_is_freed_by_no_more_than_its_overlap_along_a_face():
    a = placed(dt.Box((1, 1, 1)))
    b = placed(dt.Box((1, 1, 1)), (0.3, 0.1, 1.1), (0.4, 0.3, 0.1))
    vertices = b.vertices_world
    found = freed(a, b)
    assert found.length <= (0.5 - vertices[:, 2].min()) * (1 + 1e-2)
