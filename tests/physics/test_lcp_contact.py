"""Time stepping with impulses against closed forms."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.linalg.lie import so3

G = 9.81
FLOOR = "floor"


def on_floor(normal=(0, 0, 1), gravity=G):
    scene = dt.Scene(gravity=(0, 0, -gravity))
    scene.add_body(FLOOR, dt.HalfSpace(normal), motion="static")
    return scene


def run(scene, duration, step, every=1, **law):
    return dt.simulate(
        scene, duration, step, contact=dt.contact.LCP(**law), every=every, progress=False
    )


@pytest.mark.parametrize("cone", ["pyramid", "exact"])
def test_sliding_block_stops_after_v2_over_2_mu_g(cone):
    speed, mu = 2.0, 0.4
    scene = on_floor()
    heading = np.array([0.6, 0.8, 0.0])
    scene.add_body("block", dt.Box((1, 1, 0.2)), mass=3, position=(0, 0, 0.1),
                   velocity=speed * heading)  # fmt: skip
    h = 1e-3
    result = run(scene, 0.8, h, every=20, friction=mu, cone=cone)
    displacement = result.position("block")[-1] - result.position("block")[0]
    # semi-implicit Euler: x' = x + h v' makes the displacement v^2 / (2 mu g) shorter by h v / 2
    assert displacement @ heading == pytest.approx(
        speed**2 / (2 * mu * G) - h * speed / 2, abs=2 * h**2 * G
    )
    assert np.abs(displacement - (displacement @ heading) * heading).max() < 1e-6
    assert np.abs(result.velocity("block")[-1]).max() < 1e-9


@pytest.mark.parametrize("facets", [4, 8, 16])
def test_block_slides_only_above_the_friction_angle(facets):
    mu = 0.5
    for share, slides in ((0.999, False), (1.001, True)):
        angle = share * np.arctan(mu)
        R = so3.exp([0, angle, 0])
        scene = on_floor(R[:, 2])
        scene.add_body("block", dt.Box((1, 1, 1)), mass=2, position=0.5 * R[:, 2], rotation=R)
        result = run(scene, 1.0, 0.01, every=10, friction=mu, facets=facets)
        displacement = R.T @ (result.position("block")[-1] - result.position("block")[0])
        expected = 0.5 * G * (np.sin(angle) - mu * np.cos(angle)) if slides else 0.0
        assert displacement[0] == pytest.approx(expected, rel=0.02, abs=1e-7)
        assert np.abs(displacement[1:]).max() < 1e-7


def test_bouncing_ball_reaches_e_squared_of_its_height_each_time():
    e, radius, height = 0.8, 0.1, 1.0
    scene = on_floor()
    scene.add_body("ball", dt.Sphere(radius), mass=1, position=(0, 0, radius + height))
    h = 5e-4
    result = run(scene, 2.6, h, restitution=e)
    z = result.position("ball")[:, 2] - radius
    peaks = z[1:-1][(z[1:-1] > z[:-2]) & (z[1:-1] >= z[2:])]
    fall = np.sqrt(2 * G * height)
    for n, peak in enumerate(peaks[:3], start=1):
        # each impact is taken up to one step early, at a height of up to v h
        assert peak == pytest.approx(height * e ** (2 * n), abs=2 * n * fall * h)
    assert len(peaks) >= 3
    assert z.min() > -1e-9


def test_cradle_sends_the_last_ball_off_at_the_speed_of_the_first():
    scene = dt.Scene()
    for k in range(5):
        scene.add_body(f"ball{k}", dt.Sphere(0.5), mass=1, position=(k - 1.0 * (k == 0), 0, 0),
                       velocity=(1.0 * (k == 0), 0, 0))  # fmt: skip
    result = run(scene, 2.0, 0.01, restitution=1)
    ends = [result.velocity(f"ball{k}")[-1, 0] for k in range(5)]
    np.testing.assert_allclose(ends, [0, 0, 0, 0, 1], atol=1e-12)


def test_two_balls_of_a_cradle_send_two_off():
    scene = dt.Scene()
    for k in range(5):
        first = k < 2
        scene.add_body(f"ball{k}", dt.Sphere(0.5), mass=1, position=(k - 1.0 * first, 0, 0),
                       velocity=(1.0 * first, 0, 0))  # fmt: skip
    result = run(scene, 2.0, 0.01, restitution=1)
    ends = [result.velocity(f"ball{k}")[-1, 0] for k in range(5)]
    np.testing.assert_allclose(ends, [0, 0, 0, 1, 1], atol=1e-9)


def test_five_cubes_stand_on_each_other():
    scene = on_floor()
    for k in range(5):
        scene.add_body(f"cube{k}", dt.Box((1, 1, 1)), density=1000,
                       position=(0.02 * k, 0.01 * k, 0.5 + k))  # fmt: skip
    result = run(scene, 2.0, 0.01, every=20, friction=0.5)
    for k in range(5):
        moved = result.position(f"cube{k}") - result.position(f"cube{k}")[0]
        assert np.abs(moved).max() < 1e-6
    forces = result.contacts.at(-1)
    below = (forces.bodies == 0).any(axis=1)
    assert abs(forces.forces[below, 2].sum()) == pytest.approx(5 * 1000 * G, rel=1e-6)


def wall(rows, columns):
    scene = on_floor()
    for row in range(rows):
        for column in range(columns):
            place = (column + 0.5 * (row % 2), 0, 0.25 + 0.5 * row)
            scene.add_body(f"{row}-{column}", dt.Box((1, 0.5, 0.5)), density=1000, position=place)
    return scene


@pytest.mark.slow
def test_wall_of_a_hundred_boxes_stands():
    scene = wall(10, 10)
    result = run(scene, 1.0, 0.01, every=10, friction=0.6)
    for name in list(scene.bodies)[1:]:
        moved = result.position(name) - result.position(name)[0]
        assert np.abs(moved).max() < 1e-5, name
    assert result.contacts.count[-1] > 1000


def test_friction_of_a_pair_overrides_that_of_the_method():
    scene = on_floor()
    for name, y in (("smooth", 0.0), ("rough", 3.0)):
        scene.add_body(name, dt.Box((1, 1, 1)), mass=1, position=(0, y, 0.5), velocity=(1, 0, 0))
    scene.add_material_pair("smooth", FLOOR, friction=0.0)
    result = run(scene, 0.5, 0.005, friction=0.5)
    assert result.velocity("smooth")[-1, 0] == pytest.approx(1.0, abs=1e-12)
    assert abs(result.velocity("rough")[-1, 0]) < 1e-9


def test_belt_carries_a_block_along():
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("belt", dt.Box((8, 2, 0.2)), motion="kinematic", position=(0, 0, -0.1),
                   velocity=(0.7, 0, 0))  # fmt: skip
    scene.add_body("block", dt.Box((0.5, 0.5, 0.5)), mass=1, position=(0, 0, 0.25))
    result = run(scene, 1.0, 0.005, friction=0.3)
    assert result.velocity("block")[-1, 0] == pytest.approx(0.7, abs=1e-9)
    slip = 0.7**2 / (2 * 0.3 * G)
    lag = 0.7 - (result.position("block")[-1, 0] - result.position("block")[0, 0])
    assert lag == pytest.approx(slip, abs=0.005 * 0.7)


def test_ball_begins_to_roll_at_five_sevenths_of_its_speed():
    scene = on_floor()
    scene.add_body("ball", dt.Sphere(0.2), mass=1, position=(0, 0, 0.2), velocity=(1, 0, 0))
    result = run(scene, 1.0, 0.002, friction=0.3)
    assert result.velocity("ball")[-1, 0] == pytest.approx(5 / 7, rel=1e-6)
    assert result.angular_velocity("ball")[-1, 1] == pytest.approx(5 / 7 / 0.2, rel=1e-6)


def thrown_boxes(step, restitution, seed=3):
    """Eight boxes that fly together; the scene and its run."""
    rng = np.random.default_rng(seed)
    scene = dt.Scene()
    for k in range(8):
        place = np.array([k % 2, k // 2 % 2, k // 4]) * 1.3
        scene.add_body(f"box{k}", dt.Box(0.6 + 0.3 * rng.random(3)), density=100, position=place,
                       rotation=so3.exp(rng.normal(size=3)), velocity=2 * (0.65 - place),
                       angular_velocity=rng.normal(size=3))  # fmt: skip
    return scene, run(scene, 1.5, step, friction=0.4, restitution=restitution)


def second_order_overlaps(scene, result, h):
    """Largest overlap that single steps can leave [m], and the angular momentum it costs [N m s].

    A step is exact to first order, so a gap g is missed by h^2 g'' / 2 at most, where
        g'' <= omega_a^2 r_a + omega_b^2 r_b + 2 max(omega) slip.
    Taking an overlap d back moves a by d m / m_a and b by -d m / m_b, m the reduced mass, and so
    changes x_a cross p_a + x_b cross p_b by at most m d |v_a - v_b|.
    """
    model = scene.build()
    v = np.array([result.velocity(name) for name in scene.bodies])
    spin = np.linalg.norm([result.angular_velocity(name) for name in scene.bodies], axis=2)
    reach = [0.5 * np.linalg.norm(np.ptp(b.surface.vertices, axis=0)) for b in model.bodies]
    deepest, cost = 0.0, 0.0
    for k in range(1, len(result.time)):
        for a, b in {tuple(sorted(pair)) for pair in result.contacts.at(k).bodies.tolist()}:
            apart = np.linalg.norm(v[a, k] - v[b, k])
            wa, wb = spin[a, k], spin[b, k]
            slip = apart + wa * reach[a] + wb * reach[b]
            d = 0.5 * h**2 * (wa**2 * reach[a] + wb**2 * reach[b] + 2 * max(wa, wb) * slip)
            deepest = max(deepest, d)
            cost += d * apart / (1 / model.mass[a] + 1 / model.mass[b])
    return deepest, cost


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_boxes_thrown_together_never_gain_energy_and_keep_momentum(restitution):
    h = 0.005
    scene, result = thrown_boxes(h, restitution)
    kinetic = result.energy["kinetic"]
    # between contacts the energy of a rotating body stays in a band of (h omega)^2
    assert np.diff(kinetic).max() < 1e-3 * kinetic[0]
    assert kinetic[-1] < kinetic[0]
    scale = np.sqrt(2 * kinetic[0] * 100)  # of the momenta of about 100 kg with that energy
    linear, angular = result.momentum["linear"], result.momentum["angular"]
    assert np.abs(linear - linear[0]).max() < 1e-12 * scale
    deepest, cost = second_order_overlaps(scene, result, h)
    assert np.abs(angular - angular[0]).max() <= cost + 1e-12 * scale
    # a fifth of an overlap is taken back in every step, so that five steps' may add up
    assert result.min_distance.min() >= -5 * deepest
    assert result.contacts.count.max() > 5


def test_overlaps_of_boxes_thrown_together_are_of_second_order_and_cost_momentum_to_first():
    lost = np.zeros(3)
    for seed in (3, 5):
        deepest = []
        for k, h in enumerate((0.01, 0.005, 0.0025)):
            _, result = thrown_boxes(h, 0.0, seed)
            deepest.append(-result.min_distance.min())
            lost[k] += np.abs(np.diff(result.momentum["angular"], axis=0)).sum()
        orders = np.log2(np.divide(deepest[:-1], deepest[1:]))
        assert np.all(np.abs(orders - 2) < 0.5), orders
    assert np.log2(lost[0] / lost[-1]) / 2 > 0.75, lost  # order one, over two halvings


def test_bodies_of_a_run_that_is_split_in_two_move_bit_for_bit_alike():
    scene = on_floor()
    scene.add_body("a", dt.Box((1, 1, 1)), mass=1, position=(0, 0, 0.7),
                   rotation=so3.exp([0.3, 0.2, 0]))  # fmt: skip
    scene.add_body("b", dt.Capsule(0.2, 0.6), mass=1, position=(0.2, 0, 1.8))
    law = dt.contact.LCP(friction=0.3, restitution=0.2)
    model = scene.build()
    whole, part = (dt.integrators.StewartTrinkle().start(model, law) for _ in range(2))
    for k in range(1, 201):
        whole.step(k * 0.005)
    for k in range(1, 101):
        part.step(k * 0.005)
    other = dt.integrators.StewartTrinkle().start(model, law)
    other.restore(part.snapshot())
    for k in range(101, 201):
        other.step(k * 0.005)
    for name in ("x", "R", "v", "omega"):
        assert np.array_equal(getattr(other.bodies, name), getattr(whole.bodies, name)), name
