"""Bodies that roll on edges and corners under LCP: no step gains energy, however long it is."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact.impulse.lifting import StepMotion, groups_of_bodies, lost_energy
from dovetail.linalg.lie import so3

G = 9.81


def gained(result):
    """Largest rise of the total energy above its least value before, of the largest kinetic."""
    total = result.energy["total"]
    rise = float(np.max(total - np.minimum.accumulate(total)))
    return rise / float(result.energy["kinetic"].max())


def on_floor(floor):
    scene = dt.Scene(gravity=(0, 0, -G))
    if floor == "plane":
        scene.add_body("floor", dt.HalfSpace(), motion="static")
    else:
        scene.add_body("floor", dt.Box((6, 6, 1)), motion="static", position=(0, 0, -0.5))
    return scene


def euler_disk(h, floor):
    radius, thick, tilt = 0.1, 0.004, np.radians(30)
    R = so3.exp([tilt, 0, 0])
    lowest = R @ np.array([0, -radius, -thick / 2])
    spin = np.sqrt(4 * G / (radius * np.sin(tilt))) * np.sin(tilt) * R[:, 1]
    scene = on_floor(floor)
    scene.add_body("disk", dt.Cylinder(radius, thick), density=7800, rotation=R,
                   position=(0, 0, -lowest[2]), velocity=-np.cross(spin, lowest),
                   angular_velocity=spin)  # fmt: skip
    contact = dt.contact.LCP(friction=0.8)
    return dt.simulate(scene, 1.0, h, contact=contact, progress=False)


@pytest.mark.parametrize("floor", ["plane", "box"])
@pytest.mark.parametrize("h", [1e-2, 5e-3, 2e-3])
def test_eulers_disk_gains_no_energy(h, floor):
    result = euler_disk(h, floor)
    assert gained(result) < 1e-9
    if h == 1e-2:  # it lies flat by then, and on the floor
        assert result.position("disk")[-1, 2] == pytest.approx(0.002, abs=1e-5)


@pytest.mark.parametrize("h", [1e-2, 5e-3])
@pytest.mark.parametrize("spin", [5.0, -5.0, 12.0])
def test_a_rattleback_gains_no_energy(h, spin):
    """The rise that is left is that of its free rotation between the contacts."""
    sphere = dt.Sphere(1.0).surface()
    stone = dt.Mesh(np.array(sphere.vertices) * (0.1, 0.02, 0.015), np.array(sphere.faces))
    scene = on_floor("plane")
    scene.add_body("stone", stone, density=1000, position=(0, 0, 0.0151),
                   angular_velocity=(0.5, 0.5, spin))  # fmt: skip
    contact = dt.contact.LCP(friction=0.8)
    assert gained(dt.simulate(scene, 1.0, h, contact=contact, progress=False)) < 1e-6


@pytest.mark.parametrize("seed", [3, 21, 25])
def test_cubes_that_overlap_in_long_steps_gain_no_energy(seed):
    scene, rng = on_floor("box"), np.random.default_rng(seed)
    for k in range(6):
        scene.add_body(f"cube {k}", dt.Box((0.1,) * 3), density=1000,
                       position=(*rng.uniform(-0.03, 0.03, 2), 0.1 + 0.17 * k),
                       rotation=so3.exp(rng.normal(size=3)))  # fmt: skip
    contact = dt.contact.LCP(friction=0.5)
    assert gained(dt.simulate(scene, 0.8, 1e-2, contact=contact, progress=False)) < 1e-6


def test_what_a_step_loses_is_what_its_energies_say():
    """A box that slides and rocks: kinetic energy and work of gravity before and after a step."""
    scene = on_floor("plane")
    scene.add_body("box", dt.Box((0.3, 0.2, 0.1)), mass=2.0, position=(0, 0, 0.15),
                   rotation=so3.exp((0.3, 0.2, 0)), velocity=(1, 0, -1),
                   angular_velocity=(1, -2, 0.5))  # fmt: skip
    model, h = scene.build(), 2e-3
    stepper = dt.integrators.StewartTrinkle().start(model, dt.contact.LCP(friction=0.3))
    inertia, compared = np.array(model.inertia[1]), 0
    for k in range(60):
        state = stepper.bodies
        v, w, z = state.v[1].copy(), state.omega[1].copy(), state.x[1, 2]
        start, R = np.concatenate((state.v, state.spin), axis=1), state.R.copy()
        before = v @ v + 0.5 * w @ inertia @ w + 2.0 * G * z
        stepper.step((k + 1) * h)
        v, w, problem = state.v[1], state.omega[1], stepper._problem
        after = v @ v + 0.5 * w @ inertia @ w + 2.0 * G * state.x[1, 2]
        u = stepper._u
        if not problem.n_rows or not problem.lam[: problem.n_rows].any():
            continue
        problem.R = R  # that of the step
        motion = StepMotion(state.x, start, u, np.zeros((2, 6)), np.zeros(2, np.bool_))
        lost = lost_energy(problem, motion, groups_of_bodies(problem)).sum()
        assert lost == pytest.approx(before - after, abs=1e-9, rel=1e-4)
        compared += 1
    assert compared > 5
