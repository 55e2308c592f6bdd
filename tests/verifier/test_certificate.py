"""The certificate: no crossing between two frames is missed, and near misses are free."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dovetail as dt
from dovetail.collision.intersection.surfaces import PlacedTree, intersecting_pairs
from dovetail.simulate import simulate
from dovetail.verifier.certificate import certify
from dovetail.verifier.path_clearance import path_between
from dovetail.verifier.paths import PathVerifier
from dovetail.verifier.recorded_motion import motions_of
from dovetail.verifier.recorded_states import check_states
from dovetail.verifier.records import MEET, UNDECIDED, Limits, RelativeMotion
from dovetail.verifier.verified_surface import verified_surfaces

WALL = dt.Box((0.001, 4, 4))


def flown(scene, duration=1.0, step=0.25, every=4):
    return simulate(scene, duration, step, every=every)


def shot_at_wall(y=0.1, wall_height=4.0):
    """A bullet of side 0.01 that goes 100 m between two frames, through x = 0.3."""
    scene = dt.Scene()
    scene.add_body(
        "bullet", dt.Box((0.01, 0.01, 0.01)), position=(-50, y, 0.2), velocity=(100, 0, 0)
    )
    scene.add_body("wall", dt.Box((0.001, wall_height, 4)), motion="static", position=(0.3, 0, 0))
    return scene


def test_a_bullet_through_a_thin_wall_between_two_frames_is_found():
    found = certify(flown(shot_at_wall()))
    assert found.states.crossings == ()
    assert found.verdict == "intersecting"
    (path,) = found.paths
    assert {path.body_a, path.body_b} == {"bullet", "wall"}
    assert path.time == pytest.approx(0.503, abs=1.2e-4)  # 50.3 m at 100 m/s, +- half its side


@pytest.mark.parametrize(
    ("gap", "verdict"), [(1e-6, "free"), (1e-10, "free"), (-1e-6, "intersecting")]
)
def test_a_bullet_past_the_edge_of_a_wall_is_verified_by_its_gap(gap, verdict):
    edge = 2 + 0.005 + gap
    assert certify(flown(shot_at_wall(y=edge))).verdict == verdict


def spinning_bar(post_at, tilt=(0.0, 0.0, 0.0), turn=3.0, bar=(2.0, 0.02, 0.02)):
    """A bar turning `turn` rad about the world's z in one frame, and a thin post."""
    R = Rotation.from_rotvec(tilt).as_matrix()
    scene = dt.Scene()
    scene.add_body("bar", dt.Box(bar), angular_velocity=R @ (0, 0, turn), rotation=R)
    scene.add_body(
        "post", dt.Box((0.02, 0.02, 1)), motion="static", position=R @ post_at, rotation=R
    )
    return scene


@pytest.mark.parametrize("tilt", [(0, 0, 0), (0.3, -1.1, 0.7)])
def test_a_spinning_bar_that_sweeps_through_a_post_is_found(tilt):
    found = certify(flown(spinning_bar((0.1, 0.8, 0), tilt)))
    assert found.states.crossings == ()
    assert found.verdict == "intersecting"
    angle = np.arctan2(0.8, 0.1)
    assert found.paths[0].time == pytest.approx(angle / 3, abs=0.03)


@pytest.mark.parametrize(("gap", "verdict"), [(1e-6, "free"), (-1e-6, "intersecting")])
def test_the_tip_of_a_spinning_bar_is_verified_on_its_arc_and_not_on_its_chord(gap, verdict):
    corner = np.hypot(1.0, 0.01)  # of the bar, from the axis
    post = spinning_bar((0, corner + 0.01 + gap, 0))
    assert certify(flown(post)).verdict == verdict


def test_a_wheel_that_rolls_away_over_a_half_space_stays_clear_and_one_that_dips_is_found():
    for height, verdict in ((1e-6, "free"), (-1e-6, "intersecting")):
        scene = dt.Scene()
        scene.add_body("floor", dt.HalfSpace(), motion="static")
        scene.add_body(
            "needle", dt.Box((2, 0.002, 0.002)), position=(0, 0, np.hypot(1, 0.001) + height),
            velocity=(3, 0, 0), angular_velocity=(0, 3, 0),
        )  # fmt: skip
        found = certify(flown(scene))
        assert found.states.crossings == ()
        assert found.verdict == verdict


@pytest.mark.parametrize(
    ("height", "verdict", "tested"),
    [(1e-6, "free", True), (-1e-6, "intersecting", True), (10.0, "free", False)],
)
def test_only_bodies_low_over_a_slope_are_tested_against_it(height, verdict, tested):
    """A needle that turns through the upright while it slides along a slope."""
    normal = np.array([1.0, -2.0, 3.0]) / np.sqrt(14)
    along = np.array([2.0, 1.0, 0.0]) / np.sqrt(5)
    origin = np.array([5.0, -7.0, 11.0])
    scene = dt.Scene()
    scene.add_body("slope", dt.HalfSpace(normal), motion="static", position=origin)
    scene.add_body(
        "needle", dt.Box((2, 0.002, 0.002)), angular_velocity=3 * np.cross(normal, along),
        rotation=np.column_stack([along, normal, np.cross(along, normal)]), velocity=3 * along,
        position=origin + (np.hypot(1, 0.001) + height) * normal, inertia=(1, 1, 1), mass=1,
    )  # fmt: skip
    found = certify(flown(scene))
    assert found.states.crossings == ()
    assert (found.verdict, found.tests > 0) == (verdict, tested)


def test_a_body_at_a_recorded_state_under_a_half_space_is_found():
    scene = dt.Scene()
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    scene.add_body("box", dt.Box((2, 2, 2)), position=(0, 0, 1.5), velocity=(0, 0, -1))
    found = certify(flown(scene))
    assert [(crossing.time, crossing.pairs) for crossing in found.states.crossings] == [(1.0, 4)]


def test_two_bodies_that_fly_side_by_side_at_any_speed_are_free():
    scene = dt.Scene()
    for k in range(2):
        scene.add_body(
            f"plane{k}", dt.Box((1, 1, 1)), position=(0, k * (1 + 1e-9), 0), velocity=(1e3, 5e2, 7)
        )
    found = certify(flown(scene))
    assert found.verdict == "free"
    assert found.tests < 1000


def test_bodies_that_slide_and_turn_nanometres_apart_are_decided():
    scene = dt.Scene()
    scene.add_body("floor", dt.Box((4, 4, 1)), motion="static", position=(0, 0, -0.5))
    scene.add_body(
        "puck", dt.Cylinder(0.5, 0.2), position=(0, 0, 0.1 + 1e-9), velocity=(1, 0, 0),
        angular_velocity=(0, 0, 2),
    )  # fmt: skip
    assert certify(flown(scene)).verdict == "free"


def washer(sides=128, hole=0.05, rim=0.1, thickness=0.01):
    """A ring of long thin triangles, as drawing programs make them."""
    angle = 2 * np.pi * np.arange(sides) / sides
    circle = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    up = np.array([0, 0, thickness / 2])
    rings = [hole * circle - up, rim * circle - up, rim * circle + up, hole * circle + up]
    faces = []
    for k in range(4):
        for i in range(sides):
            j, here, there = (i + 1) % sides, k * sides, (k + 1) % 4 * sides
            faces += [(here + i, there + i, here + j), (here + j, there + i, there + j)]
    return dt.Mesh(np.concatenate(rings), np.array(faces))


@pytest.mark.parametrize(("gap", "verdict"), [(1e-5, "free"), (-1e-8, "intersecting")])
def test_large_faces_that_slide_on_each_other_are_decided_within_the_budget(gap, verdict):
    scene = dt.Scene()
    scene.add_body("lower", washer(), angular_velocity=(0, 0, 0.17))
    scene.add_body(
        "upper", washer(), position=(1e-3, 0, 0.01 + gap), angular_velocity=(0, 0, -0.06),
        velocity=(0.01, 0.005, 0),
    )  # fmt: skip
    found = certify(flown(scene))
    assert found.verdict == verdict
    if verdict == "free":
        assert found.tests < 1000  # one layer of boxes each; 1024 triangles in each


def test_a_block_that_rotates_with_the_jaws_around_it_costs_no_more_than_one_at_rest():
    scene = dt.Scene()
    slabs = [dt.Placed(dt.Box((0.2, 1, 1)), position=(x, 0, 0)) for x in (-0.6, 0.6)]
    turning = (0.3, -0.5, 0.8)
    scene.add_body("jaws", dt.Compound(slabs), angular_velocity=turning, inertia=(1, 1, 1), mass=1)
    scene.add_body("block", dt.Box((1 - 2e-7, 1, 1)), angular_velocity=turning)
    found = certify(flown(scene))
    assert found.verdict == "free"
    assert found.tests < 500


def creeping(gap, steps=400, advance=2e-5):
    """A plate that comes down on another by `advance` [m] per frame until `gap` [m] is left."""
    scene = dt.Scene()
    scene.add_body("lower", dt.Box((1, 1, 0.1)), motion="static")
    scene.add_body(
        "upper", dt.Cylinder(0.5, 0.1), position=(0, 0, 0.1 + gap + steps * advance),
        velocity=(advance, 0, -advance), angular_velocity=(0, 0, 10 * advance),
    )  # fmt: skip
    return flown(scene, steps, 1.0, 1)


@pytest.mark.parametrize(("gap", "verdict"), [(1e-9, "free"), (-4.05e-4, "intersecting")])
def test_a_plate_that_creeps_down_on_another_is_followed_to_the_end(gap, verdict):
    found = certify(creeping(gap))
    assert found.verdict == verdict
    if verdict == "intersecting":
        assert found.paths[0].begin == pytest.approx(400 - 21)
        assert found.overlaps[0].first == found.paths[0].time


def test_bodies_that_hardly_move_are_not_tested_at_each_step():
    slow, slower = certify(creeping(1e-2)), certify(creeping(1e-2, advance=1e-7))
    assert (slow.verdict, slower.verdict) == ("free", "free")
    assert slow.tests < 10 * 400
    assert slower.tests < 40


@pytest.mark.parametrize("seed", range(12))
def test_bodies_that_drift_slowly_are_verified_as_each_of_their_steps_alone(seed):
    """What is known to be between them spares tests, and changes no verdict."""
    rng = np.random.default_rng(seed)
    scene = dt.Scene()
    for k in range(2):
        scene.add_body(
            f"b{k}", dt.Box((0.5, 0.4, 0.3)), inertia=(1, 1, 1), mass=1, position=(k * 0.508, 0, 0),
            rotation=Rotation.from_rotvec(0.01 * rng.normal(size=3)).as_matrix(),
            velocity=(1.3e-5 * (1 - 2 * k), 0, 0), angular_velocity=5e-6 * rng.normal(size=3),
        )  # fmt: skip
    result = flown(scene, 300, 1.0, 1)
    found = certify(result)
    a, b = motions_of(result)
    surfaces = verified_surfaces([a.verified, b.verified])
    codes = []
    for k in range(300):
        D, v = b.x[k] - a.x[k], b.v[k] - a.v[k]
        vectors = (D, v, a.R[k], a.w[k], b.R[k], b.w[k])
        placed = (tuple(map(tuple, u)) if u.ndim == 2 else tuple(u) for u in vectors)
        motion = RelativeMotion(*placed)
        codes.append(path_between(surfaces, 0, 1, motion, Limits(1e-15, 0.0, 100_000, 0.0)).code)
    assert UNDECIDED not in codes
    met = [k for k, code in enumerate(codes) if code == MEET]
    assert [round(path.begin) for path in found.paths] == met


def test_more_than_half_a_revolution_between_frames_is_undecided_only_near_others():
    near = certify(flown(spinning_bar((0, 0.8, 0), turn=4.0)))
    assert near.verdict == "undecided"
    assert "half a revolution" in near.paths[0].reason
    assert certify(flown(spinning_bar((0, 3.0, 0), turn=4.0))).verdict == "free"


def test_the_axis_of_a_spinning_body_widens_what_counts_as_touching_of_its_own_pairs_alone():
    """A heap of 25 bodies, one of them round, was *touching* at a gap of 6e-11 m of two others."""
    scene = dt.Scene()
    for k in range(2):
        scene.add_body(f"box {k}", dt.Box((1, 1, 20)), density=1, position=(2 * k, 0, 0))
    scene.add_body(
        "top", dt.Cylinder(1, 1), density=1, position=(9, 0, 0), angular_velocity=(1e-10, 0, 1)
    )
    bodies = motions_of(simulate(scene, 0.1, 0.05, contact="none"))
    surfaces = verified_surfaces([body.verified for body in bodies])
    verifier = PathVerifier(bodies, surfaces, 1e-16, 0.0, 1000)
    assert bodies[2].axis_error > 1e-14
    assert verifier.limits(np.array([[0, 1]])).defect == 1e-16
    for pairs in ([[0, 2]], [[0, 1], [1, 2]]):
        assert verifier.limits(np.array(pairs)).defect > bodies[2].axis_error


def test_what_cannot_be_decided_within_the_budget_is_said_to_be_so():
    found = certify(flown(spinning_bar((0, np.hypot(1.0, 0.01) + 0.01 + 1e-9, 0))), 20)
    assert found.verdict == "undecided"
    assert "20 tests" in found.paths[0].reason


def test_bodies_that_rest_cost_no_path_test():
    scene = dt.Scene()
    scene.add_body("one", dt.Box((1, 1, 1)))
    scene.add_body("two", dt.Box((1, 1, 1)), position=(0, 0, 1 + 1e-9))
    found = certify(flown(scene, every=1))
    assert (found.verdict, found.tests) == ("free", 0)


def test_pairs_that_never_collide_are_left_out_and_reported():
    scene = dt.Scene()
    for k in range(2):
        scene.add_body(f"ghost{k}", dt.Box((1, 1, 1)), position=(k / 2, 0, 0), group="ghosts",
                       velocity=(1, 0, 0))  # fmt: skip
    found = certify(flown(scene))
    assert found.verdict == "free"
    (pair,) = found.excused
    assert (pair.body_a, pair.body_b, pair.verdict) == ("ghost0", "ghost1", "intersecting")
    assert pair.reason == "both are of group 'ghosts'"


def test_swept_boxes_hold_every_vertex_along_the_path():
    rng = np.random.default_rng(0)
    scene = dt.Scene()
    scene.add_body("bar", dt.Box((2, 0.1, 0.3)), velocity=(1, -2, 0.5), angular_velocity=(1, 2, -1))
    (bar,) = motions_of(flown(scene, 3.0))
    for k in range(3):
        for s in rng.random(50):
            R = Rotation.from_rotvec(s * bar.w[k]).as_matrix() @ bar.R[k]
            world = bar.tree.vertices @ R.T + bar.x[k] + s * bar.v[k]
            assert np.all(world >= bar.swept_boxes[k, :3])
            assert np.all(world <= bar.swept_boxes[k, 3:])


@pytest.mark.parametrize("seed", range(8))
def test_random_tumbling_bodies_are_verified_as_dense_sampling_sees_them(seed):
    """Where sampling the path finds a meeting, so does the verifier; where it says free, none."""
    rng = np.random.default_rng(seed)
    scene = dt.Scene()
    for k in range(2):
        scene.add_body(
            f"b{k}", dt.Box(rng.uniform(0.1, 1.5, 3)), inertia=(1, 1, 1), mass=1,
            position=(k * 2.2 - 1.1, 0, 0), rotation=Rotation.random(rng=rng).as_matrix(),
            velocity=rng.normal(size=3) * (1 - k), angular_velocity=rng.normal(size=3),
        )  # fmt: skip
    result = flown(scene)
    found = certify(result)
    a, b = motions_of(result)
    met = False
    for s in np.linspace(0, 1, 400):
        placed = []
        for body in (a, b):
            R = Rotation.from_rotvec(s * body.w[0]).as_matrix() @ body.R[0]
            placed.append(PlacedTree(body.tree, body.x[0] + s * body.v[0], R))
        met = met or len(intersecting_pairs(*placed)) > 0
    assert found.verdict != "undecided"
    if met:
        assert found.verdict == "intersecting"
    if found.verdict == "intersecting" and not found.states.crossings:
        path = found.paths[0]
        s, placed = path.time, []
        for body in (a, b):
            R = Rotation.from_rotvec(s * body.w[0]).as_matrix() @ body.R[0]
            placed.append(PlacedTree(body.tree, body.x[0] + s * body.v[0], R))
        assert [path.simplex_a, path.simplex_b] in intersecting_pairs(*placed).tolist()


@pytest.mark.parametrize("seed", range(4))
def test_bodies_that_meet_at_a_recorded_time_are_counted_as_one_by_one(seed):
    rng = np.random.default_rng(seed)
    surfaces = [dt.Sphere(0.5).surface(), dt.Torus(0.5, 0.1).surface()]
    meshes = [dt.Mesh(surface.vertices, surface.faces) for surface in surfaces]
    scene, shapes = dt.Scene(), (meshes[0], dt.Box((0.7, 0.5, 0.9)), meshes[1])
    for k in range(12):
        scene.add_body(
            f"b{k}", shapes[k % 3], position=rng.uniform(-0.8, 0.8, 3),
            rotation=Rotation.random(rng=rng).as_matrix(), velocity=rng.normal(size=3),
        )  # fmt: skip
    result = flown(scene, 0.5, 0.25, 1)
    motions = motions_of(result)
    expected = []
    for frame, time in enumerate(result.time.tolist()):
        for i, a in enumerate(motions):
            for b in motions[i + 1 :]:
                pairs = intersecting_pairs(a.placed(frame), b.placed(frame))
                if len(pairs):
                    expected.append((time, a.name, b.name, *pairs[0].tolist(), len(pairs)))
    found = check_states(result).crossings
    assert len(expected) > 20
    assert [tuple(vars(crossing).values()) for crossing in found] == expected


@pytest.mark.parametrize(
    ("clearance", "verdict"), [(0.0, "free"), (0.00999, "free"), (0.01001, "intersecting")]
)
def test_a_bullet_that_passes_at_one_centimetre_keeps_less_and_not_more(clearance, verdict):
    edge = 2 + 0.005 + 0.01
    assert certify(flown(shot_at_wall(y=edge)), clearance=clearance).verdict == verdict


@pytest.mark.parametrize(("clearance", "verdict"), [(0.0499, "free"), (0.0501, "intersecting")])
def test_the_tip_of_a_spinning_bar_keeps_its_distance_from_a_post(clearance, verdict):
    post = np.hypot(1.0, 0.01) + 0.01 + 0.05  # beyond the circle of the bar's corners
    found = certify(flown(spinning_bar((0, post, 0))), clearance=clearance)
    assert found.verdict == verdict


@pytest.mark.parametrize(("clearance", "verdict"), [(0.199, "free"), (0.201, "intersecting")])
def test_clearance_holds_over_a_half_space_and_between_bodies_at_rest(clearance, verdict):
    scene = dt.Scene()
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    scene.add_body("flat", dt.Box((1, 1, 1)), position=(0, 0, 0.7))
    assert certify(flown(scene), clearance=clearance).verdict == verdict
    scene = dt.Scene()
    for name, x in (("one", 0.0), ("other", 1.2)):
        scene.add_body(name, dt.Box((1, 1, 1)), position=(x, 0, 0))
    assert certify(flown(scene), clearance=clearance).verdict == verdict


def test_a_clearance_that_is_no_length_is_refused():
    with pytest.raises(dt.InputError, match="clearance"):
        certify(flown(shot_at_wall()), clearance=-1.0)


@pytest.mark.parametrize(("gap", "verdict"), [(1e-5, "free"), (-1e-5, "intersecting")])
def test_a_nut_that_turns_on_its_bolt_is_decided(shared_data, gap, verdict):
    """Thirty thousand triangles around each other; second-order bounds left it undecided."""
    folder = shared_data / "factory"
    bolt = dt.Mesh(folder / "factory_bolt_m8_loose.obj")
    nut = dt.Mesh(folder / "factory_nut_m8_loose_subdiv_3x.obj")
    scene, turn, flank = dt.Scene(), 0.02, 0.0029128451  # where the threads touch [m]
    scene.add_body("bolt", bolt, motion="static")
    scene.add_body(
        "nut", nut, mass=0.01, inertia=(1, 1, 1), position=(0, 0, flank + gap),
        rotation=np.diag([-1.0, -1.0, 1.0]), velocity=(0, 0, turn * 1.25e-3 / (2 * np.pi)),
        angular_velocity=(0, 0, turn),
    )  # fmt: skip
    found = certify(flown(scene, 1.0, 1.0, 1))
    assert found.verdict == verdict
    assert found.tests < 1_000_000
