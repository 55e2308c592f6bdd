"""Bodies as contact by distance fields has them: fields, points, boxes, and kept pairs."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.penalty import surface_pairs
from dovetail.contact.penalty.collision_body import collision_body
from dovetail.contact.penalty.surface_pairs import SurfacePairs
from dovetail.contact.penalty.tunnelling import TunnellingGuard


def body(shape, **more):
    scene = dt.Scene()
    if shape is None or isinstance(shape, dt.HalfSpace):
        more |= {"motion": "static"}
    else:
        more |= {"mass": 1.0}
    scene.add_body("one", shape, **more)
    return collision_body(scene.build().bodies[0], 16)


def test_a_ball_is_its_centre_with_a_radius():
    ball = body(dt.Sphere(0.3))
    assert ball.is_round and len(ball.octree) == 1
    centre, radius = ball.ball
    assert centre == pytest.approx(np.zeros(3)) and radius == 0.3
    assert ball.size == pytest.approx(0.6 * np.sqrt(3)) and ball.thickness == pytest.approx(0.6)
    # of which the centre of mass is somewhere else
    off = body(dt.Sphere(0.3), center_of_mass=(0.1, 0, 0), inertia=(1, 1, 1)).ball[0]
    assert off == pytest.approx([-0.1, 0, 0])


def test_a_capsule_is_round_and_no_ball():
    capsule = body(dt.Capsule(0.2, 1.0))
    assert capsule.is_round and capsule.ball is None
    ends = capsule.samples.points[:, 2]
    assert (ends.min(), ends.max()) == pytest.approx((-0.5, 0.5))
    assert capsule.samples.reach == pytest.approx(np.full(len(ends), 0.2))
    assert capsule.thickness == pytest.approx(0.4, rel=0.01)  # of its facets
    assert 2 * np.sort(capsule.box.half) == pytest.approx([0.4, 0.4, 1.4], rel=0.01)


def test_a_box_has_points_without_radius():
    box = body(dt.Box((1, 2, 3)))
    assert not box.is_round and box.ball is None
    assert not box.samples.reach.any() and len(box.octree) == len(box.samples.points)
    assert box.size == pytest.approx(np.sqrt(14)) and box.thickness == pytest.approx(1.0)


def test_a_half_space_has_a_field_and_nothing_else():
    plane = body(dt.HalfSpace((0, 0, 1)))
    assert plane.field is not None and not plane.is_round
    assert plane.samples is plane.octree is plane.box is plane.ball is None
    assert plane.size == plane.thickness == np.inf
    assert body(None) is None


def test_lists_of_few_pairs_are_kept_and_the_oldest_dropped(monkeypatch):
    bodies = [body(dt.Box((1, 1, 1))) for _ in range(3)]
    pairs = SurfacePairs(bodies, thinnest=None)
    monkeypatch.setattr(surface_pairs, "MAX_KEPT", 2)
    first = pairs.of(0, 1)
    assert pairs.of(0, 1) is first and pairs.of(1, 0) is not first
    pairs.of(1, 2)  # the third: that of (0, 1) goes
    assert set(pairs._pairs) == {(1, 0), (1, 2)}
    assert pairs.of(0, 1) is not first


@pytest.mark.parametrize(("thinnest", "feature"), [(None, 1.0), (0.3, 0.3), (5.0, 1.0)])
def test_features_are_those_of_the_thinnest_part(thinnest, feature):
    """Of the body whose field it is, or what the user says is thinner."""
    bodies = [body(dt.Box((2, 2, 2))), body(dt.Box((1, 3, 3)))]
    pair = SurfacePairs(bodies, thinnest).of(0, 1)
    assert pair.partner.feature == pytest.approx(feature)
    assert pair.surface.radius == pytest.approx(np.sqrt(3))
    assert pair.partner.size == pytest.approx(2 * np.sqrt(3))  # of the smaller


def flights(moved, rotated=(0, 0), start=((0, 0, 0), (3, 0, 0)), shapes=None):
    """What is suspected of two bodies that move so far and turn by so much."""
    shapes = shapes or (dt.Box((1, 1, 1)), dt.Box((1, 1, 0.5)))
    guard = TunnellingGuard([body(shape) for shape in shapes])
    return guard.suspects(np.array(start, float), np.array(moved, float), np.array(rotated, float))


def test_a_pair_that_moves_by_more_than_half_of_the_thinner_body_is_suspected():
    """By 2 m towards each other in all, 0.5 m thick; once from each of the two."""
    found = flights([(1, 0, 0), (-1, 0, 0)])
    assert [one.bodies for one in found] == [(0, 1), (1, 0)]
    assert [one.moved for one in found] == pytest.approx([2.0, 2.0])
    assert [one.thickness for one in found] == pytest.approx([0.5, 0.5])
    assert flights([(0.12, 0, 0), (-0.12, 0, 0)]) == []
    assert len(flights([(0.26, 0, 0), (0, 0, 0)], start=((0, 0, 0), (1, 0, 0)))) == 1


def test_bodies_that_move_together_or_past_each_other_are_not_suspected():
    assert flights([(9, 0, 0), (9, 0, 0)]) == []
    assert flights([(9, 0, 0), (0, 0, 0)], start=((0, 5, 0), (3, 0, 0))) == []
    assert len(flights([(9, 0, 0), (0, 0, 0)])) == 1
    assert flights([(-9, 0, 0), (0, 0, 0)]) == []  # away


def test_turns_of_a_ball_move_no_surface():
    near = ((0, 0, 0), (1, 0, 0))
    still = ((0, 0, 0), (0, 0, 0))
    turned = flights(still, (1.0, 0), near)
    assert [one.moved for one in turned] == pytest.approx([np.sqrt(3) / 2])
    assert flights(still, (9.0, 0), near, (dt.Sphere(0.5), dt.Box((1, 1, 1)))) == []


def test_a_half_space_cannot_be_passed():
    guard = [dt.HalfSpace((0, 0, 1)), dt.Box((1, 1, 1))]
    found = flights([(0, 0, 0), (0, 0, -9)], start=((0, 0, 0), (0, 0, 4)), shapes=guard)
    assert all(one.thickness == pytest.approx(1.0) for one in found)
