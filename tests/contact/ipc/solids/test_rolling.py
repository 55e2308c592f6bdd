"""Cylinders, cones and rings on half-spaces and flat faces roll as smooth shapes do."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import dovetail as dt
from dovetail.verifier.certificate import certify

G = 9.81
ACROSS = Rotation.from_euler("x", 90, degrees=True).as_matrix()  # the axis z along -y
SCHEMES = [None, "BarrierVerlet"]
CYLINDER, RING = dt.Cylinder(0.1, 0.3), dt.Torus(0.08, 0.02)


def grid(n=24, m=6):
    x, y = np.linspace(-4, 4, n), np.linspace(-1.2, 1.3, m)
    corners = [(a, b, 0.0) for a in x for b in y]
    first = [i * m + j for i in range(n - 1) for j in range(m - 1)]
    faces = [f for k in first for f in ((k, k + m, k + m + 1), (k, k + m + 1, k + 1))]
    return dt.Mesh(np.array(corners), np.array(faces))


def on_floor(floor, gravity=(0.0, 0.0, -G)):
    scene = dt.Scene(gravity=gravity)
    if floor == "half-space":
        scene.add_body("floor", dt.HalfSpace(), motion="static")
    elif floor == "mesh":
        scene.add_body("floor", grid(), motion="static")
    else:
        scene.add_body("floor", dt.Box((30, 6, 1)), motion="static", position=(0, 0, -0.5))
    return scene


def run(scene, duration, step, scheme=None, friction=0.5):
    integrator = None if scheme is None else getattr(dt.integrators, scheme)()
    return dt.simulate(
        scene, duration, step, contact=dt.contact.IPC(friction=friction), integrator=integrator,
        progress=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("shape", "floor", "scheme"),
    [
        (CYLINDER, "half-space", None), (CYLINDER, "box", None), (CYLINDER, "mesh", None),
        (CYLINDER, "half-space", "BarrierVerlet"), (CYLINDER, "box", "BarrierVerlet"),
        (RING, "half-space", None), (RING, "half-space", "BarrierVerlet"),
        (RING, "box", None), (RING, "mesh", None), (RING, "box", "BarrierVerlet"),
    ],
)  # fmt: skip
def test_level_rolling_keeps_its_speed(shape, floor, scheme):
    scene = on_floor(floor)
    scene.add_body(
        "roller", shape, density=1000, position=(-2.5, 0, 0.1), rotation=ACROSS, velocity=(1, 0, 0),
        angular_velocity=(0, 10, 0),
    )  # fmt: skip
    result = run(scene, 5.0, 0.01, scheme)
    assert result.velocity("roller")[-1, 0] == pytest.approx(1.0, abs=1e-3)
    assert np.abs(result.velocity("roller")[:, 1:]).max() < 1e-4
    assert certify(result).trusted


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    ("shape", "inertia"),
    [(CYLINDER, 0.5), (RING, (0.08**2 + 0.75 * 0.02**2) / 0.1**2)],
    ids=["cylinder", "ring"],
)
def test_incline(shape, inertia, scheme):
    """The acceleration is g sin / (1 + I / m r^2)."""
    angle = 0.3
    scene = on_floor("half-space", (G * np.sin(angle), 0, -G * np.cos(angle)))
    scene.add_body("roller", shape, density=1000, position=(-5, 0, 0.1), rotation=ACROSS)
    result = run(scene, 2.0, 2e-3, scheme)
    expected = 2.0 * G * np.sin(angle) / (1 + inertia)
    assert result.velocity("roller")[-1, 0] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_sliding_cylinder_ends_rolling_with_two_thirds_of_its_speed(size):
    scene = on_floor("half-space")
    scene.add_body(
        "roller", dt.Cylinder(0.03 * size, 0.1 * size), density=1000,
        position=(0, 0, 0.03 * size), rotation=ACROSS, velocity=(size**0.5, 0, 0),
    )  # fmt: skip
    result = run(scene, 0.5 * size**0.5, 2e-3 * size**0.5, friction=0.3)
    assert result.velocity("roller")[-1, 0] / size**0.5 == pytest.approx(2 / 3, rel=1e-3)


def test_cylinder_rolls_on_a_cylinder():
    """theta'' = 2/3 g / (R + r) sin theta."""
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("below", dt.Cylinder(1.0, 1.0), motion="static", rotation=ACROSS)
    start, reach = 0.1, 1.1
    place = (reach * np.sin(start), 0, reach * np.cos(start))
    scene.add_body("roller", CYLINDER, density=1000, position=place, rotation=ACROSS)
    result = run(scene, 0.5, 2e-3, "BarrierVerlet")
    exact = solve_ivp(
        lambda t, y: [y[1], 2 / 3 * G / reach * np.sin(y[0])], (0, 0.5), [start, 0], rtol=1e-10
    ).y[0, -1]
    x = result.position("roller")[-1]
    assert np.arctan2(x[0], x[2]) - start == pytest.approx(exact - start, rel=2e-3)
    assert certify(result).verdict == "free"


def rolling_cone(h):
    """How far a cone on its side turns about its apex in one turn of the exact motion [rad]."""
    R, H, rate = 0.1, 0.3, 2.0
    tilt = np.arctan(R / H)
    axis = np.array([-np.cos(tilt), 0, -np.sin(tilt)])  # from the base to the apex in the origin
    across = np.array([0.0, 1.0, 0.0])
    rotation = np.stack([np.cross(across, axis), across, axis], axis=1)
    spin = np.array([0, 0, rate]) - rate / axis[2] * axis
    scene = on_floor("half-space")
    scene.add_body(
        "cone", dt.Cone(R, H), density=1000, position=-H * axis, rotation=rotation,
        velocity=np.cross(spin, -0.75 * H * axis), angular_velocity=spin,
    )  # fmt: skip
    result = run(scene, 0.5, h)
    x = result.position("cone")
    radius = np.hypot(x[:, 0], x[:, 1])
    return np.arctan2(x[-1, 1], x[-1, 0]), np.ptp(radius) / radius[0]


def test_cone_on_its_side_turns_about_its_apex():
    angle, off = rolling_cone(1e-3)
    assert angle == pytest.approx(1.0, rel=1e-2)
    assert off < 1e-3


@pytest.mark.parametrize("shape", [dt.Cylinder(0.1, 0.6), dt.Cone(0.1, 0.3)])
def test_what_stands_stays_and_stops_spinning(shape):
    scene = on_floor("box")
    scene.add_body("top", shape, density=1000, position=(0, 0, 0.31), angular_velocity=(0, 0, 3))
    result = run(scene, 1.0, 5e-3)
    assert np.abs(result.velocity("top")[-1]).max() < 1e-6
    assert np.abs(result.angular_velocity("top")[-1]).max() < 1e-6
    assert result.rotation("top")[-1][2, 2] == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(("tilt", "upright"), [(0.30, True), (0.34, False)])
def test_toppling(tilt, upright):
    """A cylinder that leans by less than atan(r / h) comes back."""
    scene = on_floor("box")
    place = (0, 0, 0.1 * np.sin(tilt) + 0.3 * np.cos(tilt))
    rotation = Rotation.from_euler("y", tilt).as_matrix()
    scene.add_body("rod", dt.Cylinder(0.1, 0.6), density=1000, position=place, rotation=rotation)
    result = run(scene, 1.5, 5e-3)
    assert (result.rotation("rod")[-1][2, 2] > 0.9) == upright
    assert certify(result).verdict == "free"


@pytest.mark.parametrize("seed", range(2))
def test_heaps_are_free(seed):
    rng = np.random.default_rng(seed)
    scene = on_floor("half-space" if seed else "box")
    shapes = [
        dt.Cylinder(0.05, 0.12), dt.Cone(0.06, 0.12), dt.Torus(0.08, 0.02, segments=16),
        dt.Box((0.1, 0.08, 0.12)), dt.Sphere(0.05), dt.Capsule(0.04, 0.1),
    ]  # fmt: skip
    for k in range(12):
        place = (0.25 * (k % 2) + 0.02 * rng.random(), 0.25 * (k // 2 % 2), 0.2 + 0.35 * (k // 4))
        scene.add_body(
            f"b{k}", shapes[k % 6], density=800, position=place,
            rotation=Rotation.random(random_state=rng).as_matrix(),
            velocity=rng.normal(size=3), angular_velocity=5 * rng.normal(size=3),
        )  # fmt: skip
    result = run(scene, 0.4, 5e-3, friction=0.3)
    assert certify(result).verdict == "free"


def test_a_cylinder_whose_centre_of_mass_is_off_its_axis_rests_where_it_is(capfd, monkeypatch):
    """A drum with a weight at its side: verified and simulated as its polyhedron, and said so."""
    monkeypatch.delenv("DOVETAIL_QUIET", raising=False)
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.Box((4, 4, 0.2)), motion="static", position=(0, 0, -0.1))
    scene.add_body(
        "drum", dt.Cylinder(0.2, 0.5), mass=3, inertia=(0.1, 0.1, 0.06),
        center_of_mass=(0.15, 0, 0), position=(0, 0, 0.251),
    )  # fmt: skip
    result = dt.simulate(scene, 0.3, 0.01, contact="ipc", progress=False)
    assert "'drum': a polyhedron under contact method 'ipc'" in capfd.readouterr().err
    bottom = result.position("drum")[-1, 2] - 0.25
    assert 0 < bottom < 1e-3
    assert abs(result.position("drum")[-1, 0] - 0.15) < 1e-3
    assert certify(result).verdict == "free"
