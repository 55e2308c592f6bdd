"""Bodies that begin within the barrier stay where they are: no start is thrown."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact import IPC
from dovetail.integrators import ImplicitEuler

GAPS = (1e-9, 1e-7, 1e-5, 1e-4, 3e-4, None)  # [m]; None: dhat
STEPS = (1e-2, 1e-3, 1e-4, 1e-5)  # [s]


def on_floor(size, mass, gap, half_space=False):
    """A box at rest above a floor."""
    scene, long = dt.Scene(gravity=(0, 0, -9.81)), max(size)
    if half_space:
        scene.add_body("floor", dt.HalfSpace(), motion="static")
    else:
        floor = dt.Box((10 * long, 10 * long, long))
        scene.add_body("floor", floor, density=500, motion="static", position=(0, 0, -0.5 * long))
    scene.add_body("box", dt.Box(size), mass=mass, position=(0, 0, 0.5 * size[2] + gap))
    return scene


def fastest(scene, h, steps=20, **options):
    """[m/s] of a centre, and the energies [J] of the contacts, at t = 0 and after each step."""
    stepper = ImplicitEuler().start(scene.build(), IPC(**options))
    speed, energies = 0.0, [stepper.observe().contact.energy]
    for k in range(steps):
        stepper.step(h * (k + 1))
        speed = max(speed, float(np.abs(stepper.bodies.v).max()))
        energies.append(stepper.observe().contact.energy)
    return speed, np.array(energies)


@pytest.mark.parametrize(("size", "mass"), [((0.4, 0.4, 0.2), 32.0), ((0.2, 0.2, 0.2), 8.0)])
@pytest.mark.parametrize("gap", GAPS)
def test_a_box_within_the_barrier_is_not_thrown_whatever_gap_and_step(size, mass, gap):
    dhat = 1e-3 * float(np.linalg.norm(size))
    for h in STEPS:
        speed, energy = fastest(on_floor(size, mass, dhat if gap is None else gap), h)
        assert speed < 1e-5
        np.testing.assert_allclose(energy, energy[0], rtol=1e-2)
        assert 0 < energy[0] < mass * 9.81 * dhat  # recorded from the start


@pytest.mark.parametrize("scale", [1e-3, 1.0, 10.0])
@pytest.mark.parametrize("mass", [1e-3, 1e4])
def test_nor_are_boxes_of_other_sizes_and_masses(scale, mass):
    size = (scale, 0.7 * scale, 0.5 * scale)
    for gap in (1e-6 * scale, 1e-4 * scale, 1e-3 * scale):
        for h in (1e-2, 1e-4):
            assert fastest(on_floor(size, mass, gap, half_space=True), h)[0] < 1e-4


def lopsided(gap):
    """An L that stands on its foot, its weight not over the middle."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    scene.add_body("L", dt.Box((0.4, 0.2, 0.1)), mass=3.0, inertia=(0.1, 0.1, 0.1),
                   center_of_mass=(0.12, 0.05, 0.3), position=(0, 0, 0.05 + gap))  # fmt: skip
    return scene


def between_walls(gap):
    """A box between walls that touch nothing but are within the barrier."""
    scene = on_floor((0.4, 0.4, 0.2), 32.0, gap)
    for k, side in enumerate((-1, 1)):
        scene.add_body(f"wall {k}", dt.Box((0.1, 1, 1)), density=500, motion="static",
                       position=(side * (0.25 + 0.3 * gap), 0, 0.5))  # fmt: skip
    return scene


def tower(gap, n=5):
    """Boxes of other masses on each other."""
    scene = on_floor((0.4, 0.4, 0.2), 32.0, gap)
    for k in range(1, n):
        scene.add_body(f"box {k}", dt.Box((0.4 - 0.01 * k, 0.4, 0.2)), mass=3.0**k,
                       position=(0, 0, 0.1 + gap + k * (0.2 + gap)))  # fmt: skip
    return scene


@pytest.mark.parametrize("build", [lopsided, between_walls, tower])
@pytest.mark.parametrize("gap", [1e-9, 1e-6, 1e-4])
def test_nor_are_bodies_whose_loads_are_not_even(build, gap):
    for h in (1e-2, 1e-3, 1e-4):
        assert fastest(build(gap), h)[0] < 1e-3


def test_a_pair_that_no_load_presses_together_has_no_energy_and_gets_its_dhat_back():
    scene = dt.Scene()
    for k in range(2):
        scene.add_body(f"cube {k}", dt.Box((1, 1, 1)), mass=1.0, position=(0, 0, 1.0001 * k),
                       velocity=(0, 0, 0.1 * k))  # fmt: skip
    stepper = ImplicitEuler().start(scene.build(), IPC())
    assert stepper.observe().contact.energy == 0.0
    widths = []
    for k in range(5):
        stepper.step(0.01 * (k + 1))
        np.testing.assert_allclose(stepper.bodies.v[:, 2], [0.0, 0.1], atol=1e-12)
        known = stepper._solver.solver.pairs_snapshot()["values"]
        widths.append(known[0, 0] if len(known) else None)
    assert 1e-5 < widths[0] <= 1e-4  # [m], the gap or, as they pass each other, a part of it
    assert widths[-1] is None  # as any other


def test_bodies_that_begin_close_and_meet_fast_are_stopped_without_more_energy():
    for h in (1e-2, 1e-3, 1e-4, 1e-5):
        scene = on_floor((0.4, 0.4, 0.2), 32.0, 1e-4)
        model = scene.build()
        stepper = ImplicitEuler().start(model, IPC())
        stepper.bodies.v[1, 2] = -3.0
        before = 0.5 * 32.0 * 9.0 + stepper.observe().contact.energy
        for k in range(30):
            stepper.step(h * (k + 1))
            now = 0.5 * 32.0 * float(stepper.bodies.v[1] @ stepper.bodies.v[1])
            now += 32.0 * 9.81 * (stepper.bodies.x[1, 2] - 0.1 - 1e-4)
            assert now + stepper.observe().contact.energy < before * (1 + 1e-3)


def tower_of(gap, half_space):
    scene = on_floor((0.4, 0.4, 0.2), 32.0, gap, half_space)
    for k in range(1, 4):
        scene.add_body(f"box {k}", dt.Box((0.3, 0.4, 0.2)), mass=5.0,
                       position=(0, 0, 0.1 + gap + k * (0.2 + gap)))  # fmt: skip
    return scene


@pytest.mark.parametrize("half_space", [True, False])
def test_what_touches_at_the_start_is_opened_and_stays(half_space):
    for h in (1e-2, 1e-4):
        assert fastest(tower_of(0.0, half_space), h)[0] < 1e-4
    stepper = ImplicitEuler().start(tower_of(0.0, half_space).build(), IPC())
    moved = stepper.bodies.x[1:, 2] - [0.1, 0.3, 0.5, 0.7]
    assert np.all(np.diff(moved) > 1e-7)
    assert np.all((moved > 1e-7) & (moved < 1e-5))


@pytest.mark.parametrize("gap", [0.0, 1e-6])
@pytest.mark.parametrize("mu", [0.3, 0.49])
def test_what_begins_on_a_slope_slides_as_it_should(gap, mu):
    """tan = 0.5; Nothing turns."""
    angle, h = np.arctan(0.5), 5e-3
    scene = dt.Scene(gravity=(9.81 * np.sin(angle), 0, -9.81 * np.cos(angle)))
    scene.add_body("slope", dt.Box((4, 4, 0.2)), motion="static", position=(1, 0, -0.1))
    scene.add_body("block", dt.Box((0.2,) * 3), density=1000, position=(0, 0, 0.1 + gap))
    result = dt.simulate(scene, 0.5, h, contact=IPC(friction=mu), progress=False)
    exact = 0.5 * 9.81 * (np.sin(angle) - mu * np.cos(angle)) * 0.5**2
    assert result.position("block")[-1, 0] == pytest.approx(exact, rel=3e-4)
    assert np.abs(result.angular_velocity("block")).max() < 1e-3


def test_what_crosses_at_the_start_is_refused():
    with pytest.raises(dt.errors.InputError, match="must not intersect at the start"):
        ImplicitEuler().start(tower_of(-1e-6, False).build(), IPC())
    with pytest.raises(dt.errors.InputError, match="must be more than 0 m above half-space"):
        ImplicitEuler().start(tower_of(-1e-6, True).build(), IPC())
