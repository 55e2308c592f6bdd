"""How far bodies may get in a step, and which may meet."""

from types import SimpleNamespace

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.ipc.clusters import partition
from dovetail.contact.ipc.clusters.partition import (
    _static_boxes,
    _unite_sleeping,
    all_inside,
    begin_balls,
    clusters_of,
    widened,
)
from dovetail.contact.ipc.model_bodies import ipc_bodies
from dovetail.contact.ipc.records import Poses
from dovetail.contact.ipc.workspace import make_motion
from dovetail.linalg.lie import so3
from dovetail.multibody.state import initial_state

H, REACH = 0.01, 2e-3


def rows(counts, apart=0.3, gap=5.0, still=()):
    """Rows of balls, `gap` from each other, and static boxes at x in `still`."""
    scene = dt.Scene()
    for x in still:
        scene.add_body(f"wall {x}", dt.Box((0.1, 4, 4)), motion="static", position=(x, 0, 0))
    for row, count in enumerate(counts):
        for k in range(count):
            place = (gap * row, apart * k, 0)
            scene.add_body(f"ball {row}.{k}", dt.Sphere(0.1), mass=1, position=place)
    return scene


def begun(scene, force=None):
    model = scene.build()
    bodies, state = ipc_bodies(model), initial_state(model)
    motion = make_motion(state.x, state.R, state.v, state.omega)
    if force is not None:
        motion.force[...] = force
    targets = Poses(state.x.copy(), state.R.copy())
    return bodies, motion, targets


def test_a_ball_is_as_wide_as_its_body_and_half_of_the_reach():
    scene = dt.Scene()
    scene.add_body("wall", dt.Box((1, 1, 1)), motion="static", position=(-9, 0, 0))
    scene.add_body("ball", dt.Sphere(0.1), mass=2, position=(100, 0, 0), velocity=(3, 0, 4))
    scene.add_body("arm", dt.Box((1, 1, 1)), motion="kinematic", position=(0, 9, 0))
    bodies, motion, targets = begun(scene, (0, 0, -600.0))
    targets.x[2] += (0, 0.5, 0)
    balls = begin_balls(bodies, motion, targets, H, REACH)
    assert balls.moves.tolist() == [1, 2]
    radius = bodies.geometry.radius[1:]
    assert balls.radius == pytest.approx(radius + 0.5 * REACH + 1e-9 * (100 + radius), rel=1e-12)
    # h v + h^2 f / m of the ball, the way to its target of what is driven
    way = np.array([np.linalg.norm([0.03, 0, 0.04 - 0.03]), 0.5])
    assert balls.margin == pytest.approx(1.5 * way + radius + REACH)
    np.testing.assert_array_equal(balls.start.x, motion.x)
    assert balls.start.x is not motion.x


def test_a_body_that_was_led_farther_gets_twice_as_far():
    bodies, motion, targets = begun(rows([3]))
    balls = begin_balls(bodies, motion, targets, H, REACH)
    same, wider = widened(balls, balls.margin.copy())
    assert same is balls and wider is False
    moved = balls.margin * np.array([1.0, 1.25, 0.5])
    found, wider = widened(balls, moved)
    assert wider is True
    assert found.margin == pytest.approx(balls.margin * [1.0, 2.5, 1.0])
    found, wider = widened(balls, np.array([0.0, np.nan, 0.0]))
    assert wider is True and np.isnan(found.margin[1])


def test_a_pose_is_inside_while_nobody_leaves_his_ball_and_others_stand_still():
    bodies, motion, targets = begun(rows([3], still=(-9,)))
    balls = begin_balls(bodies, motion, targets, H, REACH)
    moving, R = bodies.slot >= 0, motion.R
    for share, inside in ((0.999, True), (1.001, False)):
        x = motion.x.copy()
        x[2] += share * balls.margin[1] * np.array([0.6, 0, 0.8])
        assert all_inside(balls, x, R, moving) is inside
    x, turned = motion.x.copy(), motion.R.copy()
    turned[1] = so3.exp([0, 0, 1])
    assert all_inside(balls, x, turned, moving)  # what moves may turn
    turned[0] = so3.exp([0, 0, 1e-9])
    assert not all_inside(balls, x, turned, moving)
    x[0, 1] += 1e-12
    assert not all_inside(balls, x, R, moving)


def clusters(scene, touching, asleep=(), islands=()):
    bodies, motion, targets = begun(scene)
    motion.asleep[list(asleep)] = 1
    for body, island in zip(asleep, islands):
        motion.sleeping_island[body] = island
    balls = begin_balls(bodies, motion, targets, H, REACH)
    found = clusters_of(bodies, motion, balls, np.array(touching, np.int64).reshape(-1, 2))
    return [(one.moves.tolist(), one.members.tolist()) for one in found]


def test_rows_of_eight_are_clusters_and_all_others_one_more():
    """With the static bodies beside them, ascending."""
    scene = rows([8, 3, 9, 2], still=(0.3, 10.3, 99.0))
    first, others, second = range(3, 11), [*range(11, 14), *range(23, 25)], range(14, 23)
    found = clusters(scene, [(3, 4), (14, 15)])
    assert [moves for moves, _ in found] == [[*first], [*second], others]
    assert [members for _, members in found] == [[0, *first], [1, *second], [1, *others]]


def test_what_does_not_touch_in_two_of_them_is_solved_together():
    scene = rows([8, 3, 9])
    assert clusters(scene, []) == []
    assert clusters(scene, [(0, 1), (2, 3)]) == []  # in one
    assert clusters(scene, [(0, 1), (8, 9)]) == []  # of a small one
    assert len(clusters(scene, [(0, 1), (12, 13)])) == 3
    assert len(clusters(rows([8, 8]), [(0, 1), (12, 13)])) == 2  # nobody is left


def test_only_what_is_awake_makes_a_cluster_large():
    scene = rows([8, 8])
    assert len(clusters(scene, [(0, 1), (8, 9)])) == 2
    assert clusters(scene, [(0, 1), (8, 9)], asleep=[15], islands=[0]) == []


def test_motion_that_is_no_number_has_no_clusters():
    bodies, motion, targets = begun(rows([8, 8]))
    motion.v[3] = np.inf
    with np.errstate(invalid="ignore"):
        balls = begin_balls(bodies, motion, targets, H, REACH)
    assert clusters_of(bodies, motion, balls, np.array([[0, 1], [8, 9]])) == []


def test_an_island_that_sleeps_is_in_one_cluster():
    motion = SimpleNamespace(
        asleep=np.array([1, 1, 0, 1, 1, 0]), sleeping_island=np.array([7, 7, 0, 5, 5, 7])
    )
    leader = np.array([0, 2, 2, 3, 3, 5])
    _unite_sleeping(motion, np.arange(6), leader)
    assert leader.tolist() == [0, 0, 0, 3, 3, 5]


def test_boxes_of_what_stands_still_hold_it_however_it_is_turned():
    scene = dt.Scene()
    turn = so3.exp([0.3, 0.5, -0.2])
    scene.add_body("slab", dt.Box((1, 2, 3)), motion="static", position=(4, 5, 6), rotation=turn)
    scene.add_body("plane", dt.HalfSpace((0, 0, 1)), motion="static")
    bodies, motion, _ = begun(scene)
    low, high = _static_boxes(bodies, motion, np.array([0, 1]))
    corners = np.array(np.meshgrid(*([-s, s] for s in (0.5, 1, 1.5)))).reshape(3, -1).T
    corners = (4, 5, 6) + corners @ turn.T
    assert low[0] == pytest.approx(corners.min(axis=0), rel=1e-7)
    assert high[0] == pytest.approx(corners.max(axis=0), rel=1e-7)
    assert (low[0] < corners.min(axis=0)).all() and (high[0] > corners.max(axis=0)).all()
    assert np.isneginf(low[1]).all() and np.isposinf(high[1]).all()
    assert partition.FEWEST == 8
