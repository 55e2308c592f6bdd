"""Balls and capsules under intersection-free contact are what they are called: they roll."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dovetail as dt
from dovetail.verifier.certificate import certify

G = 9.81
ACROSS = Rotation.from_euler("x", 90, degrees=True).as_matrix()  # the axis z along -y
SCHEMES = [None, "BarrierVerlet"]


def integrator(name):
    return None if name is None else getattr(dt.integrators, name)()


def on_floor(floor, gravity=(0.0, 0.0, -G)):
    scene = dt.Scene(gravity=gravity)
    if floor == "half-space":
        scene.add_body("floor", dt.HalfSpace(), motion="static")
    else:
        scene.add_body("floor", dt.Box((30, 6, 1)), motion="static", position=(0, 0, -0.5))
    return scene


def run(scene, duration, step, scheme, friction=0.5, **options):
    return dt.simulate(
        scene, duration, step, contact=dt.contact.IPC(friction=friction, **options),
        integrator=integrator(scheme), progress=False,
    )  # fmt: skip


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("floor", ["half-space", "box"])
@pytest.mark.parametrize(
    ("shape", "rotation"),
    [(dt.Sphere(0.1), None), (dt.Capsule(0.1, 0.3), ACROSS)],
    ids=["ball", "capsule"],
)
def test_level_rolling_keeps_its_speed(shape, rotation, floor, scheme):
    scene = on_floor(floor)
    scene.add_body(
        "roller", shape, density=1000, position=(-2.5, 0, 0.1), rotation=rotation,
        velocity=(1, 0, 0), angular_velocity=(0, 10, 0),
    )  # fmt: skip
    result = run(scene, 5.0, 0.01, scheme)
    assert result.velocity("roller")[-1, 0] == pytest.approx(1.0, abs=1e-3)
    assert np.abs(result.velocity("roller")[:, 1:]).max() < 1e-4
    assert certify(result).trusted


@pytest.mark.parametrize("scheme", SCHEMES)
def test_ball_rolls_down_an_incline_with_five_sevenths_of_the_slope(scheme):
    angle, h = 0.3, 2e-3
    scene = on_floor("box", (G * np.sin(angle), 0, -G * np.cos(angle)))
    scene.add_body("ball", dt.Sphere(0.1), density=1000, position=(-5, 0, 0.1))
    result = run(scene, 2.0, h, scheme)
    a = 5 / 7 * G * np.sin(angle)
    assert result.velocity("ball")[-1, 0] == pytest.approx(2.0 * a, rel=1e-3)
    expected = a / 2 * (4.0 + (2.0 * h if scheme is None else 0.0))  # implicit Euler's own error
    assert result.position("ball")[-1, 0] + 5 == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_sliding_ball_ends_rolling_with_five_sevenths_of_its_speed(scheme):
    scene = on_floor("half-space")
    scene.add_body("ball", dt.Sphere(0.03), density=1000, position=(0, 0, 0.03), velocity=(1, 0, 0))
    result = run(scene, 0.5, 2e-3, scheme, friction=0.3)
    assert result.velocity("ball")[-1, 0] == pytest.approx(5 / 7, rel=1e-3)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_ball_on_a_turntable_circles_with_two_sevenths_of_its_rate(scheme):
    """A ball that rolls on a plane turning at W moves on a circle, at 2/7 W about its centre."""
    W, v0, T = 3.0, 0.3, 4.0
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body(
        "table", dt.Box((3, 3, 0.2)), motion="kinematic", position=(0, 0, -0.1),
        angular_velocity=(0, 0, W),
    )  # fmt: skip
    # rolling at the start: v + omega x (-r n) = W e_z x x
    r, x0 = 0.05, np.array([0.3, 0.0, 0.05])
    slip = np.array([0.0, W * x0[0] - v0, 0.0])
    spin = np.cross(np.array([0, 0, 1.0]), -slip) / r
    assert np.allclose(np.array([0, v0, 0]) + np.cross(spin, [0, 0, -r]), [0, W * x0[0], 0])
    scene.add_body(
        "ball", dt.Sphere(r), density=1000, position=x0, velocity=(0, v0, 0), angular_velocity=spin
    )
    result = run(scene, T, 1e-3, scheme)
    rate = 2 / 7 * W
    centre = x0 - [v0 / rate, 0, 0]
    angle = rate * T
    expected = centre + v0 / rate * np.array([np.cos(angle), np.sin(angle), 0])
    assert np.linalg.norm(result.position("ball")[-1, :2] - expected[:2]) < 0.01


def test_ball_rolls_off_the_edge_of_a_box_and_over_its_corner():
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    scene.add_body("table", dt.Box((1, 1, 0.4)), motion="static", position=(0, 0, 0.2))
    for name, y, direction in (("side", 0.0, (1, 0)), ("corner", 0.38, (1, 1))):
        v = 0.3 * np.array([*direction, 0]) / np.linalg.norm(direction)
        scene.add_body(
            name, dt.Sphere(0.05), density=1000, position=(0.38, y, 0.45), velocity=v,
            angular_velocity=np.cross([0, 0, 1], v) / 0.05,
        )  # fmt: skip
    result = run(scene, 1.0, 2e-3, "BarrierVerlet")
    assert certify(result).verdict == "free"
    for name in ("side", "corner"):
        assert result.position(name)[-1, 2] < 0.06  # on the floor
        energy = 0.5 * np.sum(result.velocity(name) ** 2, axis=1) + G * result.position(name)[:, 2]
        assert np.all(energy <= energy[0] * (1 + 1e-3))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_rubbing_balls_keep_their_momentum(scheme):
    """Free balls that hit off centre: forces are equal and opposite, at one point."""
    scene = dt.Scene()
    scene.add_body(
        "a", dt.Sphere(0.1), density=1000, velocity=(1, 0, 0), angular_velocity=(0, 0, 20)
    )
    scene.add_body("b", dt.Sphere(0.1), density=1000, position=(0.25, 0.08, 0.02))
    result = run(scene, 0.3, 1e-3, scheme, friction=0.3)
    mass = 1000 * 4 / 3 * np.pi * 0.1**3
    x, v = (np.stack([read(n) for n in "ab"]) for read in (result.position, result.velocity))
    spin = np.stack([result.angular_velocity(n) for n in "ab"])
    assert np.abs(v[1, -1]).max() > 0.1  # they met
    assert np.abs(spin[1, -1]).max() > 0.1  # and rubbed
    p = mass * v.sum(axis=0)
    L = (mass * np.cross(x, v) + 0.4 * mass * 0.1**2 * spin).sum(axis=0)
    assert np.abs(p - p[0]).max() < 1e-6 * mass
    # where they met is known within a step: the barrier moves them apart by 1 m/s * h
    assert np.abs(L - L[0]).max() < mass * 1.0 * 1e-3
    spun = np.abs(0.4 * mass * 0.1**2 * spin[:, -1]).max()
    assert spun > 10 * np.abs(L - L[0]).max()


@pytest.mark.parametrize("size", [1e-3, 1e3])
def test_rolling_is_the_same_at_every_size(size):
    """Lengths by s, times by sqrt(s): the same motion."""
    ends = []
    for s in (1.0, size):
        scene = on_floor("half-space")
        scene.add_body(
            "ball", dt.Sphere(0.1 * s), density=1000, position=(0, 0, 0.1 * s),
            velocity=(s**0.5, 0, 0), angular_velocity=(0, 3.0 / s**0.5, 0),
        )  # fmt: skip
        result = run(scene, 0.5 * s**0.5, 0.01 * s**0.5, None)
        ends.append(result.position("ball")[-1] / s)
    np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-6)


def test_what_touches_is_opened_and_what_overlaps_is_refused():
    scene = on_floor("box")
    scene.add_body("ball", dt.Sphere(0.1), density=1, position=(0, 0, 0.1))
    scene.add_body("rod", dt.Capsule(0.1, 0.3), density=1, position=(0.2, 0, 0.25))
    contact = dt.contact.IPC()
    assert contact.prepare(scene.build()).opened.any()
    scene.add_body("deep", dt.Sphere(0.1), density=1, position=(0.35, 0, 0.25))
    with pytest.raises(dt.InputError, match=r"'rod' and 'deep'.*gap between them is -0.05 m"):
        contact.prepare(scene.build())
    inside = on_floor("box")
    inside.add_body("lost", dt.Sphere(0.01), density=1, position=(0, 0, -0.5))
    with pytest.raises(dt.InputError, match="'lost' must not be inside the solid"):
        contact.prepare(inside.build())


@pytest.mark.parametrize("seed", range(4))
def test_heaps_of_round_and_other_bodies_are_free(seed):
    rng = np.random.default_rng(seed)
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    ring = dt.Torus(0.12, 0.03, segments=16)
    shapes = [dt.Sphere(0.06), dt.Capsule(0.04, 0.12), dt.Box((0.1, 0.08, 0.12)), ring]
    for k in range(12):
        place = (0.25 * (k % 2) + 0.02 * rng.random(), 0.25 * (k // 2 % 2), 0.2 + 0.35 * (k // 4))
        scene.add_body(
            f"b{k}", shapes[k % 4], density=800, position=place,
            rotation=Rotation.random(random_state=rng).as_matrix(),
            velocity=rng.normal(size=3) * [1, 1, 2], angular_velocity=5 * rng.normal(size=3),
        )  # fmt: skip
    result = run(scene, 0.6, 5e-3, SCHEMES[seed % 2], friction=0.3)
    assert certify(result).verdict == "free"


def test_spinning_costs_a_ball_no_search_steps():
    """A ball in its seat that spins at 3000 rpm is free at once: nothing of it moves."""
    from dovetail.contact.ipc.candidates.lists import update_body_pairs
    from dovetail.contact.ipc.line_search.step_size import collision_free_step_size
    from dovetail.contact.ipc.poses import set_path_lengths
    from dovetail.contact.ipc.records import Poses
    from ipc_arrays import IpcArrays

    scene = on_floor("box")
    scene.add_body("ball", dt.Sphere(0.1), density=1, position=(0, 0, 0.1 + 1e-6))
    arrays = IpcArrays(scene.build())
    x, R = np.array([[0, 0, -0.5], [0, 0, 0.1 + 1e-6]]), np.stack([np.eye(3)] * 2)
    twist, lengths = np.zeros((2, 6)), np.zeros(2)
    twist[1, 3:] = [0.0, 3.0, 1.0]
    set_path_lengths(arrays.bodies.slot, arrays.bodies.geometry.core_radius, twist, lengths)
    assert lengths[1] < 1e-9
    assert update_body_pairs(*arrays.parts[:2], Poses(x, R), lengths, 1e-4)
    assert collision_free_step_size(*arrays.parts, Poses(x, R), twist, 0.0, 0.0, 0.1)[0] == 1.0
