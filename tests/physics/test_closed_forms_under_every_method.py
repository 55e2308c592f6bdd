"""Closed forms of rolling, sliding, toppling, locking and bouncing under LCP, SDF and IPC."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.linalg.lie import so3

G = 9.81
METHODS = {"LCP": dt.contact.LCP, "SDF": dt.contact.SDF, "IPC": dt.contact.IPC}
every_method = pytest.mark.parametrize("method", METHODS)


@pytest.fixture(autouse=True)
def _quiet(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.getbasetemp() / "fields"
    monkeypatch.setattr("dovetail.collision.sdf.building.field_folder", lambda: folder)
    monkeypatch.setenv("DOVETAIL_QUIET", "1")


def run(scene, method, duration, h, **options):
    contact = METHODS[method](**options)
    return dt.simulate(scene, duration, h, contact=contact, progress=False)


def on_floor(angle=0.0):
    """A floor whose downhill direction is x."""
    scene = dt.Scene(gravity=(G * np.sin(angle), 0, -G * np.cos(angle)))
    scene.add_body("floor", dt.Box((20, 4, 1)), motion="static", position=(0, 0, -0.5))
    return scene


@every_method
def test_a_billiard_ball_rolls_at_five_sevenths_of_its_speed(method):
    v, mu, t, errors = 2.0, 0.5, 0.4, []
    slides = 2 * v / (7 * mu * G)
    expected = 12 * v**2 / (49 * mu * G) + 5 / 7 * v * (t - slides)
    for h in (4e-3, 2e-3):
        scene = on_floor()
        scene.add_body("ball", dt.Sphere(0.1), mass=1, position=(0, 0, 0.1), velocity=(v, 0, 0))
        result = run(scene, method, t, h, friction=mu)
        assert result.velocity("ball")[-1, 0] == pytest.approx(5 / 7 * v, rel=1e-4)
        errors.append(abs(result.position("ball")[-1, 0] - expected))
    assert errors[1] < 2e-3 * expected
    assert errors[1] < 0.65 * errors[0] or errors[0] < 1e-3 * expected  # first order


@every_method
@pytest.mark.parametrize(("name", "share"), [("ball", 5 / 7), ("cylinder", 2 / 3), ("hoop", 1 / 2)])
def test_rollers_go_down_an_incline_with_their_share_of_gravity(method, name, share):
    angle, radius, t, errors = 0.3, 0.1, 0.4, []
    for h in (4e-3, 2e-3):
        scene = on_floor(angle)
        shape = dt.Sphere(radius) if name == "ball" else dt.Cylinder(radius, 0.1)
        about = (1 / share - 1) * radius**2
        moments = (about,) * 3 if name == "ball" else (0.006, 0.006, about)
        turn = np.eye(3) if name == "ball" else so3.exp([np.pi / 2, 0, 0])
        scene.add_body("body", shape, mass=1, inertia=moments, position=(0, 0, radius),
                       rotation=turn)  # fmt: skip
        result = run(scene, method, t, h, friction=0.6)
        speed = share * G * np.sin(angle) * t
        assert result.velocity("body")[-1, 0] == pytest.approx(speed, rel=2e-3)
        errors.append(abs(result.position("body")[-1, 0] - 0.5 * speed * t))
    assert errors[1] < 0.01 * 0.5 * speed * t
    assert errors[1] < 0.65 * errors[0] or errors[0] < 1e-3 * speed * t


@every_method
def test_a_ball_on_a_turntable_circles_at_two_sevenths_of_its_rate(method):
    rate, radius, h = 3.0, 0.05, 2e-3
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("table", dt.Cylinder(1.0, 0.2), motion="kinematic", position=(0, 0, -0.1),
                   angular_velocity=(0, 0, rate))  # fmt: skip
    spin = ((rate * 0.3 - 0.1) / radius, 0, 0)  # so that it rolls
    scene.add_body("ball", dt.Sphere(radius), mass=1, position=(0.3, 0, radius),
                   velocity=(0, 0.1, 0), angular_velocity=spin)  # fmt: skip
    result = run(scene, method, 0.5, h, friction=2.0)
    v = result.velocity("ball")[2:, :2]
    turned = np.unwrap(np.arctan2(v[:, 1], v[:, 0]))
    assert (turned[-1] - turned[0]) / (0.5 - 2 * h) == pytest.approx(2 / 7 * rate, rel=5e-3)


@every_method
@pytest.mark.parametrize(("share", "falls"), [(0.98, False), (1.02, True)])
def test_a_block_topples_where_its_weight_leaves_the_base(method, share, falls):
    scene = on_floor(np.arctan(share * 0.2 / 0.4))
    scene.add_body("block", dt.Box((0.2, 0.2, 0.4)), mass=1, position=(0, 0, 0.2))
    result = run(scene, method, 0.8, 4e-3, friction=2.0)
    tilt = so3.log(result.rotation("block")[-1])[1]
    assert (tilt > 0.01) if falls else (abs(tilt) < 1e-4)


@every_method
@pytest.mark.parametrize(("share", "slips"), [(0.95, False), (1.05, True)])
def test_a_wedge_locks_itself_up_to_twice_the_friction_angle(method, share, slips):
    mu = 0.3
    angle = share * 2 * np.arctan(mu)
    x, z = 0.6, 0.6 * np.tan(angle)
    corners = np.array([[a, b, c] for b in (-0.2, 0.2) for a, c in ((0, 0), (x, 0), (x, z))])
    faces = [[0, 1, 2], [3, 5, 4], [0, 3, 4], [0, 4, 1], [1, 4, 5], [1, 5, 2], [2, 5, 3], [2, 3, 0]]
    scene = on_floor()
    above = np.array([0, 0, 1e-6])
    scene.add_body("wedge", dt.Mesh(corners, faces=faces), mass=0.1, position=above)
    place = np.array([0.3 - 0.1 * np.sin(angle), 0, 0.3 * np.tan(angle) + 0.1 * np.cos(angle)])
    scene.add_body("weight", dt.Sphere(0.1), mass=10, position=place + 2 * above,
                   fixed=(True, True, False, True, True, True))  # fmt: skip
    result = run(scene, method, 0.1, 1e-3, friction=mu)
    x = result.position("wedge")[:, 0]
    moved = x[-1] - x[len(x) // 2]  # IPC opens the gaps at the start, and moves it by 6e-5 m
    assert (moved > 5e-4) if slips else (abs(moved) < 1e-6)


@every_method
@pytest.mark.parametrize("e", [0.0, 0.3, 0.8, 1.0])
def test_a_ball_bounces_to_e_squared_of_its_height(method, e):
    scene = on_floor()
    scene.add_body("ball", dt.Sphere(0.05), density=1000, position=(0, 0, 0.55))
    result = run(scene, method, 0.8, 2e-3, restitution=e)
    later = result.time > np.sqrt(2 * 0.5 / G) + 0.05
    height = result.position("ball")[later, 2].max() - 0.05
    assert height == pytest.approx(0.5 * e**2, rel=0.02, abs=2e-4)  # IPC rests 2e-4 m above
    total = result.energy["total"]
    assert np.max(total - np.minimum.accumulate(total)) < 1e-6 * total[0]


@every_method
@pytest.mark.parametrize("gap", [0.0, 1e-6, 1e-3])
def test_a_cradle_passes_the_motion_on(method, gap):
    scene = dt.Scene(gravity=(0, 0, 0))
    for k in range(4):
        scene.add_body(f"{k}", dt.Sphere(0.05), mass=1, position=((0.1 + gap) * k, 0, 0),
                       velocity=(1.0 if k == 0 else 0.0, 0, 0))  # fmt: skip
    result = run(scene, method, 0.02, 1e-3, restitution=1.0)
    speeds = [result.velocity(f"{k}")[-1, 0] for k in range(4)]
    np.testing.assert_allclose(speeds, (0, 0, 0, 1), atol=1e-9)


@every_method
def test_the_friction_curve_between_rest_and_slip_is_the_same_cubic(method):
    """A block laid on a belt is pulled along by mu(slip) m g."""
    mu_s, mu_d, v_s, v_d = 0.5, 0.2, 0.1, 0.5
    for speed in (0.2, 0.3, 0.4):
        scene = dt.Scene(gravity=(0, 0, -G))
        scene.add_body("belt", dt.Box((4, 1, 0.2)), motion="kinematic", position=(0, 0, -0.1),
                       velocity=(speed, 0, 0))  # fmt: skip
        scene.add_body("block", dt.Box((0.4, 0.4, 0.1)), mass=1, position=(0, 0, 0.05))
        result = run(scene, method, 4e-3, 2e-4, friction=(mu_s, mu_d, v_s, v_d))
        s = (speed - result.velocity("block")[-2, 0] - v_s) / (v_d - v_s)
        mu = mu_s + (mu_d - mu_s) * s * s * (3 - 2 * s)
        force = np.abs(result.contacts.at(-1).forces.sum(axis=0))
        assert force[0] / force[2] == pytest.approx(mu, rel=5e-3)
