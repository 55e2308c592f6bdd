"""What the verifier calls clear is clear all along the arc, not only along its tangent."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dovetail.collision.broad_phase.obb_overlap import boxes_overlap
from dovetail.collision.intersection.simplices import triangles_meet
from dovetail.verifier.leaves import leaves_stay_apart
from dovetail.verifier.moving_boxes import (
    acceleration_of_body,
    acceleration_of_origin,
    boxes_stay_apart,
    displacement_bound,
    frame_rotation,
    kinematics,
)
from dovetail.verifier.moving_points import along_direction, taylor_of_origin, taylor_of_point
from dovetail.verifier.plane_clearance import disc_heights


def tuples(rows):
    return tuple(map(tuple, np.asarray(rows, float).tolist()))


def moved(corners, centre, v, w, tau):
    R = Rotation.from_rotvec(tau * np.asarray(w)).as_matrix()
    return (corners - centre) @ R.T + centre + tau * np.asarray(v)


def test_a_tip_whose_arc_bends_into_a_wall_is_not_called_clear_by_its_tangent():
    tip = tuples([(1, 0, 0)] * 3)
    wall = tuples([(0.9, -5, 0), (0.9, 5, 0), (0.9, 5, 0)])
    zero, spin = (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    assert leaves_stay_apart(tip, wall, zero, zero, spin, zero, zero, 0.4, 1e-14)  # cos 0.4 = 0.92
    assert not leaves_stay_apart(
        tip, wall, zero, zero, spin, zero, zero, 0.5, 1e-14
    )  # cos 0.5 = 0.88


def frames(rng, w_a, w_b):
    """Rotations of the frame from which the path is seen: none, with a, with b, any."""
    return np.zeros(3), w_a, w_b, rng.normal(size=3)


@pytest.mark.parametrize("frame", range(4))
@pytest.mark.parametrize("flat", [False, True])
def test_triangles_called_clear_do_not_meet_anywhere_on_a_random_path(flat, frame):
    rng = np.random.default_rng(3)
    cleared = 0
    for _ in range(300):
        A, B = rng.normal(size=(2, 3, 3))
        if flat:
            A[2], B[1:] = A[1], B[0]  # a wire and a point
        D, v, w_a, w_b = rng.normal(size=(4, 3))
        half = rng.uniform(0.01, 0.6)
        B += D
        c = frames(rng, w_a, w_b)[frame]
        vectors = (tuple(row) for row in (D, v, w_a, w_b, c))
        if not leaves_stay_apart(tuples(A), tuples(B), *vectors, half, 1e-14):
            continue
        cleared += 1
        for tau in np.linspace(-half, half, 60):
            a, b = moved(A, np.zeros(3), np.zeros(3), w_a, tau), moved(B, D, v, w_b, tau)
            assert not triangles_meet(*tuples(a), *tuples(b))
    assert cleared > 20


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("frame", range(3))
def test_a_face_that_rocks_just_above_a_tip_is_clear_in_one_piece(frame, swapped):
    gap, spin = 1e-7, np.array([3e-4, -1e-4, 0.0])
    tip = np.array([(0, 0, 0), (1, 0, -1), (0, 1, -1)], float)
    face = np.array([(-1, -1, gap), (1, -1, gap), (0, 1, gap)])
    up, rest = np.array([0, 0, gap]), np.zeros(3)
    A, B, D, w_a, w_b = tip, face, up, rest, spin
    if swapped:
        A, B, D, w_a, w_b = face - up, tip - up, -up, spin, rest
    c = (rest, w_a, w_b)[frame]
    vectors = (tuple(row.tolist()) for row in (D, rest, w_a, w_b, c))
    left = leaves_stay_apart(tuples(A), tuples(B), *vectors, 0.5, 1e-14)
    assert left == pytest.approx(gap, rel=1e-3)


@pytest.mark.parametrize("frame", range(4))
def test_boxes_called_clear_do_not_meet_anywhere_on_a_random_path(frame):
    rng = np.random.default_rng(5)
    cleared = tight = 0
    for _ in range(400):
        lower = rng.normal(size=(2, 3))
        boxes = np.concatenate([lower, lower + rng.uniform(0, 1, (2, 3))], axis=1)
        D, v, w_a, w_b = rng.normal(size=(4, 3))
        half = rng.uniform(0.01, 1.0)
        Q_a, Q_b = Rotation.random(2, rng=rng).as_matrix()
        c = frames(rng, w_a, w_b)[frame]
        vectors = (tuple(row) for row in (D, v, w_a, w_b, c))
        now = kinematics(tuples(Q_a), tuples(Q_b), *vectors)
        if not boxes_stay_apart(boxes, 0, boxes, 1, now, half, 1e-14)[0]:
            continue
        cleared += 1
        tight += not boxes_stay_apart(boxes, 0, boxes, 1, now, 2 * half, 1e-14)[0]
        middle, side = (boxes[:, :3] + boxes[:, 3:]) / 2, (boxes[:, 3:] - boxes[:, :3]) / 2
        for tau in np.linspace(-half, half, 60):
            rotation_a = Rotation.from_rotvec(tau * w_a).as_matrix() @ Q_a
            rotation_b = Rotation.from_rotvec(tau * w_b).as_matrix() @ Q_b
            apart = rotation_a.T @ (D + tau * v + rotation_b @ middle[1]) - middle[0]
            M = rotation_a.T @ rotation_b
            assert not boxes_overlap(tuple(side[0]), tuple(side[1]), tuples(M), tuple(apart))
    assert cleared > 40
    assert tight > 20


@pytest.mark.parametrize("rotates_along", [False, True])
@pytest.mark.parametrize("spinner", ["a", "b"])
def test_a_plate_that_tips_on_another_is_clear_until_its_edge_comes_down(spinner, rotates_along):
    gap, spin, zero = 1e-3, (0.0, 1.0, 0.0), (0.0, 0.0, 0.0)
    plates = np.array([[-1, -1, -0.1, 1, 1, 0], [-1, -1, 0, 1, 1, 0.1]])  # under and above z = 0
    w_a, w_b = (spin, zero) if spinner == "a" else (zero, spin)
    c = spin if rotates_along else zero
    I = tuples(np.eye(3))
    now = kinematics(I, I, (0.0, 0.0, gap), zero, w_a, w_b, c)
    for part, clear in ((0.8, True), (1.2, False)):
        assert boxes_stay_apart(plates, 0, plates, 1, now, part * gap, 1e-14)[0] is clear


def test_no_point_bends_off_its_tangent_faster_than_the_bound():
    """Second differences of n.exp(-tau c) q(tau) along random paths, seen from rotating frames."""
    rng = np.random.default_rng(6)
    used = []
    for k in range(300):
        D, r, v, w, c = rng.normal(size=(5, 3)) * rng.choice([1e-3, 1.0, 2.0], size=(5, 1))
        n = rng.normal(size=3)
        if k % 3 == 0:  # along the axis about which the point rotates in the frame
            n, r = w - c, (w - c) * rng.uniform(0.9, 1.1, 3)
        n /= np.linalg.norm(n)
        half = rng.uniform(0.1, 1.0)
        tau, apart = np.linspace(-half, half, 401, retstep=True)
        q = D + tau[:, None] * v + Rotation.from_rotvec(tau[:, None] * w).apply(r)
        seen = Rotation.from_rotvec(-tau[:, None] * c).apply(q) @ n
        fastest = np.max(np.abs(np.diff(seen, 2))) / apart**2
        sweep, tilt = (np.linalg.norm(np.cross(w - c, u)) for u in (r, n))
        drift = np.linalg.norm(np.cross(c, w))
        bound = acceleration_of_body(tilt, sweep, np.linalg.norm(r), drift, half)
        bound += acceleration_of_origin(
            np.linalg.norm(np.cross(c, n)), tuple(c), tuple(D), tuple(v), half
        )
        assert fastest <= bound * (1 + 1e-6) + 1e-9
        used.append(fastest / bound)
    assert max(used) > 0.9


def test_no_two_points_move_further_relative_to_each_other_than_the_bound():
    rng = np.random.default_rng(7)
    tau = np.linspace(0, 1, 101)[:, None]
    used = []
    for _ in range(200):
        D, v, w_a, w_b = rng.normal(size=(4, 3)) * rng.choice([1e-2, 1.0], size=(4, 1))
        if rng.random() < 0.5:
            w_b = w_a + 1e-2 * w_b
        c = frame_rotation(tuple(w_a), tuple(w_b), 1.0, 2.0)
        vectors = (tuple(row) for row in (D, v, w_a, w_b))
        bound = displacement_bound(*vectors, c, 1.0, 2.0)
        for _ in range(20):
            p, r = rng.normal(size=(2, 3))
            p, r = p / np.linalg.norm(p), 2 * r / np.linalg.norm(r)
            apart = D + tau * v + Rotation.from_rotvec(tau * w_b).apply(r)
            apart -= Rotation.from_rotvec(tau * w_a).apply(p)
            distances = np.linalg.norm(apart, axis=1)
            changed = np.max(np.abs(distances - distances[0]))
            assert changed <= bound * (1 + 1e-12)
            used.append(changed / bound)
    assert max(used) > 0.8


def test_bodies_are_seen_from_the_frame_in_which_least_rotation_is_left():
    fast, faster, none = (0.0, 0.0, 1.0), (0.0, 0.1, 1.1), (0.0, 0.0, 0.0)
    assert frame_rotation(fast, faster, 1.0, 1.0) in (fast, faster)
    assert frame_rotation(fast, faster, 10.0, 1.0) == fast
    assert frame_rotation(fast, faster, 1.0, 10.0) == faster
    assert frame_rotation(fast, none, 1.0, 10.0) == none
    assert frame_rotation(fast, (0.0, 0.0, -1.0), 1.0, 1.0) == none


@pytest.mark.parametrize("radius", [0.0, 0.7])
def test_the_least_height_over_a_moving_plane_is_below_all_heights_on_the_path(radius):
    rng = np.random.default_rng(4)
    used = []
    for k in range(300):
        p, r, v, w, w_h, axis = rng.normal(size=(6, 3))
        n = rng.normal(size=3)
        n, axis = n / np.linalg.norm(n), axis / np.linalg.norm(axis)
        w_h = np.zeros(3) if k % 2 else w_h
        w = 2 * axis if k % 5 == 0 else w  # spins about its own axis
        half = rng.uniform(0.01, 0.6)
        vectors = [tuple(row) for row in (p, v, w, r, axis)]
        now, least = disc_heights(*vectors, radius, tuple(n), tuple(w_h), half)
        heights = []
        for tau in np.linspace(-half, half, 41):
            normal, turned = (Rotation.from_rotvec(tau * u) for u in (w_h, w))
            normal, across = normal.apply(n), turned.apply(axis)
            across = normal - (normal @ across) * across
            centre = p + tau * v + turned.apply(r)
            heights.append(normal @ centre - radius * np.linalg.norm(across))
        assert heights[20] == pytest.approx(now)
        assert least <= min(heights) + 1e-12
        used.append((now - min(heights)) / (now - least))
    assert max(used) > 0.99


def test_no_point_is_further_off_its_parabola_than_the_third_order_bound():
    rng = np.random.default_rng(1)
    used = []
    for k in range(300):
        D, r, v, w, c = rng.normal(size=(5, 3)) * rng.choice([1e-2, 1, 2.0], size=(5, 1))
        c = (np.zeros(3), w, 2 * w, c)[k % 4]
        n = rng.normal(size=3)
        n, half = n / np.linalg.norm(n), rng.uniform(0.05, 0.6)
        seen = along_direction(tuple(n), tuple(w), tuple(c))
        origin = taylor_of_origin(seen, tuple(D), tuple(v), half)
        f = np.add(origin, taylor_of_point(seen, tuple(r), half))
        tau = np.linspace(-half, half, 81)
        q = D + tau[:, None] * v + Rotation.from_rotvec(tau[:, None] * w).apply(r)
        y = Rotation.from_rotvec(-tau[:, None] * c).apply(q) @ n
        off = np.abs(y - (f[0] + f[1] * tau + f[2] * tau**2 / 2))
        bound = f[3] * np.abs(tau) ** 3 / 6
        assert np.all(off <= bound * (1 + 1e-9) + 1e-13)
        used.append(off[0] / bound[0] if bound[0] > 1e-9 else 0.0)
    assert max(used) > 0.95
