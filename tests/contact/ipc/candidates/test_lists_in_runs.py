"""What is computed does not depend on when candidate lists were made, to the bit."""

import numpy as np
import pytest
import trimesh

import dovetail as dt
from dovetail.contact import IPC
from dovetail.contact.ipc import solver as solver_module
from dovetail.integrators import ImplicitEuler

STEPS, STEP = 40, 0.01


def heap():
    """Balls and cubes thrown at each other over a floor, fast enough for long paths."""
    rng = np.random.default_rng(4)
    ball = trimesh.creation.icosphere(2, radius=0.5)
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.Box((20, 20, 1)), motion="static", position=(0, 0, -0.6))
    for k in range(5):
        shape = dt.Mesh(ball.vertices, ball.faces) if k % 2 else dt.Box((0.8, 0.6, 0.7))
        place = np.array([1.3 * (k % 3) - 1.3, 1.3 * (k // 3), 0.7 + 0.2 * k])
        scene.add_body(f"body {k}", shape, density=1000, position=place, velocity=-6 * place,
                       angular_velocity=5 * rng.normal(size=3))  # fmt: skip
    return scene.build()


def run(between):
    """Poses at the end; `between(solver)` is called after every step."""
    stepper = ImplicitEuler().start(heap(), IPC())
    iterations = 0
    for k in range(STEPS):
        iterations += stepper.step((k + 1) * STEP).iterations
        between(stepper._solver.solver)
    refreshes = int(stepper._solver.solver._lists.counters[0].refreshes)
    return stepper.bodies.x.copy(), stepper.bodies.R.copy(), iterations, refreshes


def forget(solver):
    """All pairs and lists are made again in the next step."""
    solver._lists.reach[...] = -1.0
    solver._lists.counters[0].sweeps = 0


def shorten(solver):
    """Lists that claim to be complete within less, so that paths lead beyond them."""
    solver._lists.reach[...] *= 0.5
    solver._lists.slack[...] *= 0.1
    solver._lists.counters[0].measured_pose = 0


@pytest.fixture(scope="module")
def kept():
    return run(lambda solver: None)


@pytest.mark.parametrize("between", [forget, shorten])
def test_a_run_is_the_same_to_the_bit_whenever_its_lists_are_made(kept, between):
    x, R, iterations, made = run(between)
    assert np.array_equal(x, kept[0])
    assert np.array_equal(R, kept[1])
    assert iterations == kept[2]
    assert made > kept[3]


def test_looking_at_contacts_and_waypoints_between_steps_changes_nothing(kept):
    def look(solver):
        solver.contacts(1.0)
        solver.waypoints(2)

    x, R, iterations, _ = run(look)
    assert np.array_equal(x, kept[0])
    assert np.array_equal(R, kept[1])
    assert iterations == kept[2]


def test_a_run_is_the_same_to_the_bit_with_hardly_any_memory_to_begin_with(kept, monkeypatch):
    for name, few in (("PAIRS", 1), ("CANDIDATES", 4), ("ITERATES", (3, 3))):
        monkeypatch.setattr(solver_module, name, few)
    sizes = []
    x, R, iterations, _ = run(
        lambda solver: sizes.append((solver._pairs, solver._candidates, solver._iterates))
    )
    assert np.all(np.max(sizes, axis=0) > [8, 32, 3])  # all have grown
    assert np.array_equal(x, kept[0])
    assert np.array_equal(R, kept[1])
    assert iterations == kept[2]
