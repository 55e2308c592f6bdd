"""Bodies that are near each other at the start: what loose boxes keep apart, exact ones do, too."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.collision.broad_phase.body_pairs import overlapping_boxes
from dovetail.collision.bvh.tree import bvh_of
from dovetail.contact.ipc.round_shapes import solid_of
from dovetail.contact.ipc.shared_features import SharedFeatures
from dovetail.contact.ipc.start_boxes import loose_boxes, near_pairs, near_plane
from dovetail.contact.ipc.start_gaps import StartBody
from dovetail.linalg.lie import so3

SHAPES = (
    dt.Box((0.3, 0.1, 0.2)), dt.Sphere(0.1), dt.Capsule(0.05, 0.3), dt.Cylinder(0.1, 0.2),
    dt.Cone(0.1, 0.2), dt.Torus(0.15, 0.04),
)  # fmt: skip
COUNT, SPREAD = 120, 1.5  # bodies, [m] of the cube they are in


def placed_bodies() -> list[StartBody]:
    rng = np.random.default_rng(11)
    scene = dt.Scene()
    for k in range(COUNT):
        scene.add_body(
            str(k), SHAPES[k % len(SHAPES)], density=1000, rotation=so3.exp(rng.normal(size=3)),
            position=rng.uniform(0, SPREAD, 3),
        )  # fmt: skip
    shared, placed = SharedFeatures(), []
    model = scene.build()
    for body, x, R in zip(model.bodies, model.position, model.rotation):
        features, radius = shared.of(body)
        tree = bvh_of(features.surface)
        placed.append(StartBody(tree, x, R, features, radius, solid_of(body)))
    return placed


@pytest.mark.parametrize("grown", [0.0, 2e-7, 0.2])
def test_near_pairs_are_those_of_the_exact_boxes(grown: float) -> None:
    placed = placed_bodies()
    boxes = np.array([one.box_world for one in placed])
    by = grown * np.linalg.norm(boxes[:, 3:] - boxes[:, :3], axis=1)[:, None]
    exact = overlapping_boxes(np.hstack([boxes[:, :3] - by, boxes[:, 3:] + by]))
    assert len(exact) > 10
    assert near_pairs(placed, grown) == sorted(map(tuple, exact.tolist()))


def test_loose_boxes_hold_the_bodies() -> None:
    placed = placed_bodies()
    loose, exact = loose_boxes(placed), np.array([one.box_world for one in placed])
    assert np.all(loose[:, :3] <= exact[:, :3])
    assert np.all(loose[:, 3:] >= exact[:, 3:])


def test_what_is_near_a_plane_has_a_vertex_near_it_or_a_box() -> None:
    placed = placed_bodies()
    point, normal = np.full(3, 0.5 * SPREAD), np.array([0.48, 0.6, 0.64])
    near = near_plane(loose_boxes(placed), point, normal, 0.0)
    below = [k for k, one in enumerate(placed) if one.heights(point, normal).min() <= 0.0]
    assert set(below) <= set(near)
    assert len(near) < COUNT


def test_bodies_of_equal_shapes_share_their_surface() -> None:
    scene = dt.Scene()
    for k in range(3):
        scene.add_body(str(k), dt.Box((1, 2, 3)), density=1000, position=(5 * k, 0, 0))
        scene.add_body(f"ball {k}", dt.Sphere(0.5), density=1000, position=(5 * k, 9, 0))
    bodies = scene.build().bodies
    assert len({id(body.surface) for body in bodies}) == 2


def test_a_surface_about_another_centre_is_another() -> None:
    surface = dt.Box((1, 2, 3)).surface()
    here, there = surface.about(np.zeros(3)), surface.about(np.ones(3))
    assert surface.about(np.ones(3)) is there
    assert np.array_equal(there.vertices, here.vertices - 1.0)


def test_no_bodies_have_no_boxes() -> None:
    assert loose_boxes([]).shape == (0, 6)
