"""Contact by distance fields with defaults: closed forms, agreement with impulses, energy."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.linalg.lie import so3

G = 9.81
DEGREE = np.radians(1)


@pytest.fixture(autouse=True)
def _quiet(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.getbasetemp() / "fields"
    monkeypatch.setattr("dovetail.collision.sdf.building.field_folder", lambda: folder)
    monkeypatch.setenv("DOVETAIL_QUIET", "1")


def fine_box(size, pieces: int) -> dt.Mesh:
    """A box whose faces are cut into pieces^2 squares of two triangles."""
    flat = np.linspace(-0.5, 0.5, pieces + 1)
    u, v = (a.ravel() for a in np.meshgrid(flat, flat, indexing="ij"))
    i, j = (a.ravel() for a in np.meshgrid(np.arange(pieces), np.arange(pieces), indexing="ij"))
    a = i * (pieces + 1) + j
    b, c, d = a + pieces + 1, a + pieces + 2, a + 1
    one = np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    points, faces = [], []
    for axis in range(3):
        for sign in (0.5, -0.5):
            columns = [np.full_like(u, sign), u, v] if sign > 0 else [np.full_like(u, sign), v, u]
            faces.append(one + len(u) * len(points))
            points.append(np.roll(np.column_stack(columns), axis, axis=1))
    shared, number = np.unique(np.round(np.concatenate(points), 9), axis=0, return_inverse=True)
    return dt.Mesh(shared * size, number.reshape(-1)[np.concatenate(faces)])


FLOORS = {
    "box": lambda: (dt.Box((6, 6, 1)), (0, 0, -0.5)),
    "plane": lambda: (dt.HalfSpace(), (0, 0, 0)),
    "mesh": lambda: (fine_box((6, 6, 1), 24), (0, 0, -0.5)),
}


def on_floor(floor="box", gravity=(0, 0, -G)) -> dt.Scene:
    scene = dt.Scene(gravity=gravity)
    shape, position = FLOORS[floor]()
    scene.add_body("floor", shape, motion="static", position=position)
    return scene


def thrown_crate(floor: str, scale: float = 1.0) -> dt.Scene:
    scene = dt.Scene(gravity=(0, 0, -G * scale))
    shape, position = FLOORS[floor]() if scale == 1 else (dt.Box((6 * scale,) * 2 + (scale,)), None)
    position = (0, 0, -scale / 2) if position is None else position
    scene.add_body("floor", shape, motion="static", position=position)
    scene.add_body(
        "crate", dt.Box(np.array([0.3, 0.2, 0.15]) * scale), density=500 / scale**3,
        position=(0, 0, 0.5 * scale), velocity=np.array([1.5, 0.3, 0]) * scale,
        angular_velocity=(1, 2, 3),
    )  # fmt: skip
    return scene


@pytest.mark.parametrize("floor", FLOORS)
def test_a_thrown_crate_ends_where_impulses_put_it(floor):
    law = dt.contact.SDF(friction=0.4)
    result = dt.simulate(thrown_crate(floor), 1.3, 1e-3, contact=law)
    impulses = dt.simulate(thrown_crate("plane"), 1.3, 1e-3, contact=dt.contact.LCP(friction=0.4))
    apart = result.position("crate")[-1] - impulses.position("crate")[-1]
    assert np.linalg.norm(apart) < 0.01
    assert np.abs(result.velocity("crate")[-1]).max() < 1e-4  # at rest
    for k in range(len(result.time)):  # every normal of the flat floor points up
        assert (np.abs(result.contacts.at(k).normals[:, 2]) > np.cos(DEGREE)).all()
    energy = result.energy["total"]
    assert np.diff(energy).max() < 1e-12 * energy[0]
    assert result.min_distance.min() > -1e-3 * 0.4


def test_lengths_times_a_thousand_or_a_thousandth_move_the_same():
    law = dt.contact.SDF(friction=0.4)
    paths = [
        dt.simulate(thrown_crate("box", s), 1.0, 1e-3, contact=law).position("crate") / s
        for s in (1.0, 1e-3, 1e3)
    ]
    assert np.abs(paths[1] - paths[0]).max() < 1e-10
    assert np.abs(paths[2] - paths[0]).max() < 1e-10


def slid(mu: float, step: float, angle: float = np.radians(20)) -> float:
    scene = on_floor("box", (G * np.sin(angle), 0, -G * np.cos(angle)))
    scene.add_body("block", dt.Box((0.4, 0.4, 0.2)), density=500, position=(0, 0, 0.1))
    result = dt.simulate(scene, 0.5, step, contact=dt.contact.SDF(friction=mu))
    assert np.diff(result.energy["total"]).max() < 1e-12
    return float(result.position("block")[-1, 0])


def test_a_block_on_a_slope_sticks_below_and_slides_above_the_friction_angle():
    assert slid(0.4, 1e-3) < 2e-6  # tan 20 = 0.364
    exact = 0.5 * G * (np.sin(np.radians(20)) - 0.3 * np.cos(np.radians(20))) * 0.25
    errors = [abs(slid(0.3, step) - exact) for step in (4e-3, 1e-3)]
    assert errors[1] < 1e-3 * exact + 1e-4
    assert errors[0] / errors[1] > 3.5  # first order


def test_five_cubes_stand_in_a_stack():
    scene = on_floor()
    for k in range(5):
        scene.add_body(f"cube {k}", dt.Box((0.2,) * 3), density=500, position=(0, 0, 0.1 + 0.2 * k))
    result = dt.simulate(scene, 1.0, 1e-3, contact=dt.contact.SDF(friction=0.5))
    for k in range(5):
        place, turn = result.position(f"cube {k}")[-1], result.rotation(f"cube {k}")[-1]
        np.testing.assert_allclose(place, (0, 0, 0.1 + 0.2 * k), atol=1e-5)
        np.testing.assert_allclose(turn, np.eye(3), atol=1e-6)
    assert np.diff(result.energy["total"]).max() < 1e-10
    last = result.contacts.at(-1)
    weight = 5 * 500 * 0.2**3 * G
    held = last.forces[(last.bodies == 0).any(axis=1)][:, 2].sum()
    assert abs(held) == pytest.approx(weight, rel=1e-6)


@pytest.mark.parametrize("shape", [dt.Sphere(0.1), dt.Box((0.2, 0.2, 0.2))], ids=["ball", "box"])
@pytest.mark.parametrize("e", [0.0, 0.3, 0.8, 1.0])
def test_a_dropped_body_rebounds_with_the_restitution_requested(shape, e):
    scene = on_floor()
    scene.add_body("body", shape, density=500, position=(0, 0, 1.1))
    result = dt.simulate(scene, 1.2, 1e-3, contact=dt.contact.SDF(restitution=e))
    fall = np.sqrt(2 / G)
    height = result.position("body")[:, 2] - 0.1
    assert np.sqrt(max(height[result.time > fall + 0.02].max(), 0)) == pytest.approx(e, abs=0.01)
    assert np.diff(result.energy["total"]).max() < 1e-10
    assert np.abs(result.angular_velocity("body")).max() < 1e-9


@pytest.mark.parametrize(
    ("shape", "share", "turn"),
    [(dt.Sphere(0.1), 2 / 5, [0, 0, 0]), (dt.Cylinder(0.1, 0.2), 1 / 2, [np.pi / 2, 0, 0])],
    ids=["ball", "cylinder"],
)
@pytest.mark.parametrize("floor", ["box", "plane"])
def test_round_bodies_roll_down_at_their_share_of_the_pull(shape, share, turn, floor):
    angle = np.radians(20)
    exact = 0.5 * G * np.sin(angle) / (1 + share) * 0.25
    errors = []
    for step in (4e-3, 1e-3):
        scene = on_floor(floor, (G * np.sin(angle), 0, -G * np.cos(angle)))
        scene.add_body("body", shape, density=500, position=(0, 0, 0.1), rotation=so3.exp(turn))
        result = dt.simulate(scene, 0.5, step, contact=dt.contact.SDF(friction=0.5))
        errors.append(abs(float(result.position("body")[-1, 0]) - exact))
    assert errors[1] < 3e-3 * exact
    assert errors[0] / errors[1] > 3.5  # first order


def test_a_hoop_rolls_down_at_half_of_the_pull():
    angle = np.radians(20)
    scene = on_floor("box", (G * np.sin(angle), 0, -G * np.cos(angle)))
    scene.add_body(
        "hoop", dt.Cylinder(0.1, 0.05), mass=1.0, inertia=(0.005, 0.005, 0.01),
        position=(0, 0, 0.1), rotation=so3.exp([np.pi / 2, 0, 0]),
    )  # fmt: skip
    result = dt.simulate(scene, 0.5, 1e-3, contact=dt.contact.SDF(friction=0.5))
    exact = 0.5 * G * np.sin(angle) / 2 * 0.25
    assert result.position("hoop")[-1, 0] == pytest.approx(exact, rel=3e-3)


def test_a_sliding_ball_ends_rolling_at_five_sevenths_of_its_speed():
    scene = on_floor("plane")
    scene.add_body("ball", dt.Sphere(0.1), density=500, position=(0, 0, 0.1), velocity=(1, 0, 0))
    result = dt.simulate(scene, 0.4, 1e-3, contact=dt.contact.SDF(friction=0.2))
    assert result.velocity("ball")[-1, 0] == pytest.approx(5 / 7, rel=1e-4)
    assert result.angular_velocity("ball")[-1, 1] == pytest.approx(50 / 7, rel=1e-4)


def test_a_ball_on_a_turntable_circles_at_two_sevenths_of_its_rate():
    rate, x0, radius = 3.0, np.array([0.5, 0, 0]), 0.1
    axis = np.array([0.0, 0.0, 1.0])
    carried = np.cross(rate * axis, x0)
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body(
        "table", dt.Cylinder(2.0, 0.1), motion="kinematic", position=(0, 0, -0.05),
        angular_velocity=rate * axis,
    )  # fmt: skip
    scene.add_body(
        "ball", dt.Sphere(radius), density=500, position=x0 + radius * axis,
        velocity=2 / 7 * carried, angular_velocity=np.cross(axis, -5 / 7 * carried / radius),
    )  # fmt: skip
    errors = []
    for step in (4e-3, 1e-3):
        result = dt.simulate(scene, 1.0, step, contact=dt.contact.SDF(friction=0.6))
        turned = 2 / 7 * rate * result.time[-1]
        exact = 0.5 * np.array([np.cos(turned), np.sin(turned)])
        errors.append(np.linalg.norm(result.position("ball")[-1, :2] - exact))
    assert errors[1] < 5e-3
    assert errors[0] / errors[1] > 3.5


@pytest.mark.parametrize(("share", "stands"), [(0.97, True), (1.03, False)])
def test_a_tall_box_topples_when_its_weight_leaves_its_base(share, stands):
    angle = np.arctan(0.2 / 0.6 * share)
    scene = on_floor("box", (G * np.sin(angle), 0, -G * np.cos(angle)))
    scene.add_body("box", dt.Box((0.2, 0.4, 0.6)), density=500, position=(0, 0, 0.3))
    result = dt.simulate(scene, 2.0, 1e-3, contact=dt.contact.SDF(friction=0.9))
    upright = result.rotation("box")[-1][2, 2]
    assert upright == pytest.approx(1.0 if stands else 0.0, abs=1e-3)


@pytest.mark.parametrize(("degrees", "holds"), [(20.0, True), (26.0, False)])
def test_a_loaded_wedge_locks_below_twice_the_friction_angle(degrees, holds):
    # forces at both faces are within the friction cones if alpha < 2 arctan mu = 22.6 degrees
    slope = np.tan(np.radians(degrees))
    points = np.array([[x, y, z] for x, z in ((0, 0), (1, 0), (1, slope)) for y in (-0.2, 0.2)])
    faces = [[0, 1, 3], [0, 3, 2], [2, 3, 5], [2, 5, 4], [0, 5, 1], [0, 4, 5], [0, 2, 4], [1, 5, 3]]
    scene = on_floor()
    scene.add_body("wedge", dt.Mesh(points, faces), mass=1.0, position=(-0.5, 0, 0))
    turn = so3.exp([0, -np.radians(degrees), 0])
    centre = np.array([0, 0, slope / 2]) + turn @ [0, 0, 0.05]
    scene.add_body("load", dt.Box((0.2, 0.2, 0.1)), mass=10.0, position=centre, rotation=turn)
    scene.add_joint("rail", dt.Prismatic(tuple(centre), (0, 0, 1)), "ground", "load")
    result = dt.simulate(scene, 0.2, 1e-3, contact=dt.contact.SDF(friction=0.2))
    moved = abs(result.position("wedge")[-1, 0] - result.position("wedge")[0, 0])
    assert moved < 1e-4 if holds else moved > 1e-2


def test_a_box_over_the_edge_of_a_table_rests_on_that_edge():
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("table", dt.Box((1, 1, 1)), motion="static", position=(0, 0, -0.5))
    scene.add_body("box", dt.Box((0.4, 0.3, 0.2)), density=500, position=(0.45, 0.1, 0.1))
    result = dt.simulate(scene, 0.3, 1e-3, contact=dt.contact.SDF(friction=0.5))
    np.testing.assert_allclose(result.position("box")[-1], (0.45, 0.1, 0.1), atol=1e-5)
    edge = np.isclose(result.contacts.at(-1).points[:, 0], 0.5, atol=1e-3)
    assert edge.any() and (result.contacts.at(-1).normals[:, 2] > np.cos(DEGREE)).all()


def test_two_edges_that_cross_push_across_both():
    turn = so3.exp([0, np.pi / 4, 0])
    scene = dt.Scene(gravity=(0, 0, -G))
    beam = dt.Box((0.2, 1, 0.2))
    scene.add_body("lower", beam, motion="static", rotation=turn)
    across = so3.exp([0, 0, np.pi / 2 - 0.3]) @ turn
    top = 0.2 * np.sqrt(2)
    scene.add_body("upper", beam, density=500, position=(0, 0, top + 1e-4), rotation=across)
    result = dt.simulate(scene, 0.05, 1e-3, contact=dt.contact.SDF(friction=0.5))
    last = result.contacts.at(-1)
    assert len(last.gaps) == 1
    np.testing.assert_allclose(last.normals, [[0, 0, 1]], atol=1e-6)
    np.testing.assert_allclose(last.points, [[0, 0, top / 2]], atol=1e-4)
    assert result.position("upper")[-1, 2] == pytest.approx(top, abs=1e-5)


@pytest.mark.parametrize(("radius", "density"), [(0.05, 4000), (0.1, 500), (5e-3, 7800)])
def test_a_ball_that_lands_deep_is_lifted_by_what_it_stored_and_no_more(radius, density):
    scene = on_floor()
    scene.add_body("ball", dt.Sphere(radius), density=density, position=(0, 0, 1 + radius))
    result = dt.simulate(scene, 0.6, 1e-3, contact=dt.contact.SDF())
    energy = result.energy
    assert energy["contact"].max() > 0.0
    assert np.diff(energy["total"]).max() < 1e-12 * energy["total"][0]


def falling_cubes(seed):
    scene, rng = on_floor(), np.random.default_rng(seed)
    for k in range(6):
        scene.add_body(f"cube {k}", dt.Box((0.1,) * 3), density=1000,
                       position=(*rng.uniform(-0.03, 0.03, 2), 0.1 + 0.17 * k),
                       rotation=so3.exp(rng.normal(size=3)))  # fmt: skip
    return scene


@pytest.mark.parametrize(
    ("h", "seeds", "most"),
    [(1e-2, (4, 6, 8), 1e-12), (1e-3, (3, 4, 20, 29), 2e-5)],
)  # where an edge slides off another one a contact may be found deep: seeds 20 and 29
def test_cubes_that_fall_on_each_other_gain_no_energy(h, seeds, most):
    for seed in seeds:
        contact = dt.contact.SDF(friction=0.5)
        total = dt.simulate(falling_cubes(seed), 0.8, h, contact=contact).energy["total"]
        assert np.max(total - np.minimum.accumulate(total)) < most * total[0]


@pytest.mark.parametrize("shape", [dt.Box((0.1, 0.1, 0.2)), dt.Cylinder(0.05, 0.2)])
@pytest.mark.parametrize("method", [dt.contact.SDF, dt.contact.LCP])
def test_a_body_that_is_struck_within_a_step_stops_at_the_next_one(method, shape):
    """Nobody but the first moves when the step begins, so it alone seems to come near anything."""
    scene, h, gap = dt.Scene(), 1e-2, 1e-3
    for k in range(4):
        scene.add_body(f"{k}", shape, density=1000, position=(0, 0, (0.2 + gap) * k),
                       velocity=(0, 0, float(k == 0)))  # fmt: skip
    result = dt.simulate(scene, 0.05, h, contact=method())
    z = np.array([result.position(f"{k}")[:, 2] for k in range(4)])
    assert (np.diff(z, axis=0) - 0.2).min() > -2e-4  # what an impact at 1 m/s may go deep
    v = [result.velocity(f"{k}")[-1, 2] for k in range(4)]
    np.testing.assert_allclose(v, 0.25, atol=1e-3)


def test_a_card_that_falls_flat_is_caught_by_the_edge_that_comes_down():
    """At 10 ms it turns by 0.1 rad in the step: the edge that lands is not the lowest before."""
    tilt = 0.02
    scene = on_floor()
    scene.add_body("card", dt.Box((1e-3, 0.1, 0.2)), density=600, rotation=so3.exp([0, tilt, 0]),
                   position=(0, 0, 0.1 * np.cos(tilt) + 5e-4 * np.sin(tilt)))  # fmt: skip
    result = dt.simulate(scene, 1.0, 1e-2, contact=dt.contact.SDF(friction=0.4))
    assert min(result.contacts.at(k).gaps.min(initial=0) for k in range(100)) > -2e-4
    total = result.energy["total"]
    assert np.max(total - np.minimum.accumulate(total)) < 1e-3 * total[0]
