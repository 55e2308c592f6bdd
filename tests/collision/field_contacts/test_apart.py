"""Hulls that show pairs of bodies to be apart, against distances by quadratic programming."""

import numpy as np
import pytest
from scipy.optimize import nnls

import dovetail as dt
from dovetail.collision.field_contacts.apart import mark_apart, nothing_known
from dovetail.collision.field_contacts.outer_points import MOST_PARTS, hull_trees, outer_points
from dovetail.contact.penalty.compliant import detection
from dovetail.linalg.exact.convex_hull import convex_hull
from dovetail.linalg.lie import so3
from dovetail.model.surface import Surface

BIG = 1e5  # weight of the rows in which weights of points add up to 1
ROUND = [
    dt.Sphere(0.3), dt.Capsule(0.2, 0.5), dt.Cylinder(0.2, 0.5), dt.Cone(0.3, 0.4),
    dt.Torus(0.4, 0.1),
]  # fmt: skip


def distance(p, q):
    """[m] between the hulls of p and q: least |a.p - b.q| of weights a, b >= 0 of sum 1."""
    n, m = len(p), len(q)
    rows = np.zeros((5, n + m))
    rows[:3, :n], rows[:3, n:] = p.T, -q.T
    rows[3, :n], rows[4, n:] = BIG, BIG
    weights, _ = nnls(rows, np.array([0, 0, 0, BIG, BIG]), maxiter=10_000)
    return float(np.linalg.norm(rows[:3] @ weights))


def random_body(rng, parts):
    """Points of the parts of a body."""
    return [rng.normal(size=(rng.integers(4, 40), 3)) * 0.2 + rng.normal(size=3) * 0.3
            for _ in range(parts)]  # fmt: skip


def marked(trees, known, x, R, enough):
    near = np.ones(1, np.bool_)
    pairs, rows = np.array([[0, 1]], np.int32), np.zeros(1, np.int32)
    mark_apart(trees, known, rows, x, R, pairs, np.array([enough]), near)
    return not near[0]


@pytest.mark.parametrize("parts", [(1, 1), (2, 3)])
@pytest.mark.parametrize("seed", range(20))
def test_no_pair_is_called_apart_that_is_nearer_and_those_farther_are(seed, parts):
    rng = np.random.default_rng(seed)
    bodies = [random_body(rng, count) for count in parts]
    trees = hull_trees(bodies)
    known = nothing_known(np.array([parts[0] * parts[1]]))
    spin, x = rng.normal(size=(2, 3)) * 0.05, rng.normal(size=(2, 3)) * 0.8
    R = np.array([so3.exp(rng.normal(size=3)) for _ in range(2)])
    for _ in range(15):  # with what is known of the call before
        x = x + rng.normal(size=(2, 3)) * 0.02
        R = np.array([so3.exp(w) @ one for w, one in zip(spin, R)])
        placed = [[p @ R[i].T + x[i] for p in bodies[i]] for i in range(2)]
        true = min(distance(p, q) for p in placed[0] for q in placed[1])
        known.calls[...] = 0  # no waiting
        assert not marked(trees, known, x, R, true * (1 + 1e-6) + 1e-9)
        known.calls[...] = 0
        if true > 0.05:  # 1 / 20 of the bodies
            assert marked(trees, known, x, R, 0.7 * true)


def test_a_pair_that_is_too_near_is_asked_again_after_some_calls_only():
    trees, known = hull_trees([[np.eye(3)], [np.eye(3)]]), nothing_known(np.array([1]))
    x, R = np.zeros((2, 3)), np.array([np.eye(3)] * 2)
    assert not marked(trees, known, x, R, 0.1)
    x[1, 0] = 9.0
    assert [marked(trees, known, x, R, 0.1) for _ in range(3)] == [False, True, True]


@pytest.mark.parametrize("shape", ROUND, ids=lambda shape: type(shape).__name__)
def test_round_shapes_are_within_their_outer_points(shape):
    centre = np.array([0.1, -0.2, 0.3])
    surface = shape.surface().moved(np.eye(3), -centre)
    (points,) = outer_points(shape, surface, centre)
    rng = np.random.default_rng(0)
    for u in rng.normal(size=(200, 3)):  # the surface is inscribed
        assert (points @ u).max() >= (surface.vertices @ u).max()


def test_each_part_of_a_compound_has_its_points_up_to_some_number():
    boxes = [dt.Placed(dt.Box((0.1, 0.1, 0.1)), (0.3 * k, 0, 0)) for k in range(MOST_PARTS + 1)]
    few = outer_points(dt.Compound(boxes[:-1]), Surface.of(np.zeros((0, 3))), np.zeros(3))
    assert [len(points) for points in few] == [8] * MOST_PARTS
    assert few[1][:, 0].min() == pytest.approx(0.25)
    assert len(outer_points(dt.Compound(boxes), Surface.of(np.zeros((0, 3))), np.zeros(3))) == 1


def hulls_that_pass_each_other():
    """Rocks in the notch of an angle, none of which touches."""
    rng, scene = np.random.default_rng(3), dt.Scene(gravity=(0, 0, -9.81))
    angle = dt.Compound([dt.Placed(dt.Box((2, 2, 0.2)), (0, 0, -0.1)),
                         dt.Placed(dt.Box((0.2, 2, 1)), (-1.1, 0, 0.5))])  # fmt: skip
    scene.add_body("angle", angle, motion="static")
    for k in range(3):
        points = rng.normal(size=(60, 3)) * 0.08
        rock = dt.Mesh(points, convex_hull(points))
        scene.add_body(f"rock{k}", rock, density=1000, position=(-0.6 + 0.55 * k, 0, 0.35),
                       angular_velocity=rng.normal(size=3))  # fmt: skip
    return scene


def run(monkeypatch, culled):
    calls = []
    found = detection.feature_contacts

    def counted(*arguments):
        calls.append(arguments[1:3])
        return found(*arguments)

    monkeypatch.setattr(detection, "feature_contacts", counted)
    if not culled:
        monkeypatch.setattr(detection, "mark_apart", lambda *_: None)
    result = dt.simulate(hulls_that_pass_each_other(), 0.4, 0.004, dt.contact.SDF(resolution=32),
                         progress=False)  # fmt: skip
    monkeypatch.undo()
    poses = [result.position(name) for name in ("rock0", "rock1", "rock2")]
    return np.array(poses), len(calls)


def test_motion_is_the_same_and_fewer_pairs_are_searched(monkeypatch):
    all_poses, every = run(monkeypatch, culled=False)
    poses, some = run(monkeypatch, culled=True)
    assert np.array_equal(poses, all_poses)
    assert some < 0.9 * every
