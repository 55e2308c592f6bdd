"""Which steps are long enough for a body to pass another one unseen."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.penalty.collision_body import collision_body
from dovetail.contact.penalty.tunnelling import TunnellingGuard

WALL, SHOT = 0, 1


def guard(*shapes):
    scene = dt.Scene()
    for k, shape in enumerate(shapes):
        scene.add_body(f"body {k}", shape, mass=1, position=(3 * k, 0, 0))
    return TunnellingGuard([collision_body(body, 16) for body in scene.build().bodies])


def moved(n, **by):
    """(n, 3) displacements; `bodyK=(x, y, z)`."""
    way = np.zeros((n, 3))
    for name, value in by.items():
        way[int(name[4:])] = value
    return way


WALL_AND_SHOT = (dt.Box((0.1, 2.0, 2.0)), dt.Sphere(0.2))


@pytest.mark.parametrize(("way", "suspected"), [(0.049, False), (0.051, True), (5.0, True)])
def test_half_the_thickness_of_the_wall_may_be_passed_in_a_step(way, suspected):
    x = np.array([[0.0, 0, 0], [way / 2 + 0.1, 0, 0]])
    found = guard(*WALL_AND_SHOT).suspects(x, moved(2, body1=(-way, 0, 0)), np.zeros(2))
    assert bool(found) == suspected
    if found:
        assert {found[0].bodies} <= {(1, 0), (0, 1)}
        assert found[0].moved == pytest.approx(way) and found[0].thickness == pytest.approx(0.1)


def test_a_step_is_that_of_one_body_against_the_other():
    x, together = np.array([[0.0, 0, 0], [0.4, 0, 0]]), np.tile([-3.0, 0, 0], (2, 1))
    watch = guard(*WALL_AND_SHOT)
    assert watch.suspects(x, together, np.zeros(2)) == []
    apart = watch.suspects(x, moved(2, body0=(0.04, 0, 0), body1=(-0.04, 0, 0)), np.zeros(2))
    assert [one.moved for one in apart] == pytest.approx([0.08, 0.08])
    assert [one.bodies for one in apart] == [(0, 1), (1, 0)]


def test_bodies_that_stay_far_from_each_other_are_not_suspected():
    """Centres pass at half the sum of the diagonals, sqrt(8.01)/2 and sqrt(3) 0.2, or farther."""
    reach = (np.sqrt(8.01) + np.sqrt(3) * 0.4) / 2
    watch, way = guard(*WALL_AND_SHOT), moved(2, body1=(-2.0, 0, 0))
    for y, suspected in ((0.99 * reach, True), (1.01 * reach, False)):
        x = np.array([[0.0, 0, 0], [1.0, y, 0]])  # nearest halfway
        assert bool(watch.suspects(x, way, np.zeros(2))) == suspected
    for start, suspected in ((1.01 * reach, False), (0.99 * reach, True)):  # moving away
        x = np.array([[0.0, 0, 0], [-start, 0, 0]])
        assert bool(watch.suspects(x, way, np.zeros(2))) == suspected
    for end, suspected in ((1.01 * reach, False), (0.99 * reach, True)):  # stopping short of it
        x = np.array([[0.0, 0, 0], [end + 2.0, 0, 0]])
        assert bool(watch.suspects(x, way, np.zeros(2))) == suspected


def test_rotation_moves_the_surface_of_all_but_balls():
    x, still = np.array([[0.0, 0, 0], [0.4, 0, 0]]), np.zeros((2, 3))
    watch = guard(*WALL_AND_SHOT)
    assert watch.suspects(x, still, np.array([0.0, 9.0])) == []
    angle, radius = 0.1, np.sqrt(8.01) / 2
    found = watch.suspects(x, still, np.array([angle, 0.0]))
    assert [one.bodies for one in found] == [(0, 1)]
    assert found[0].moved == pytest.approx(angle * radius)
    both = guard(dt.Box((0.1, 2, 2)), dt.Box((0.1, 2, 2))).suspects(x, still, np.full(2, angle))
    assert [one.moved for one in both] == pytest.approx([2 * angle * radius] * 2)


def test_half_spaces_and_bodies_without_a_surface_cannot_be_passed():
    scene = dt.Scene()
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    scene.add_body("ball", dt.Sphere(0.2), mass=1, position=(0, 0, 1))
    scene.add_body("nothing", mass=1, inertia=np.eye(3))
    watch = TunnellingGuard([collision_body(body, 16) for body in scene.build().bodies])
    way = moved(3, body1=(0, 0, -3), body2=(0, 0, 9))
    assert watch.suspects(np.array([[0.0, 0, 0], [0, 0, 1], [0, 0, 0]]), way, np.ones(3)) == []
    assert TunnellingGuard([]).suspects(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0)) == []
