"""Many bodies in contact by distance fields."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.multibody.state import initial_state

G = 9.81


@pytest.fixture(autouse=True)
def _quiet(monkeypatch):
    monkeypatch.setenv("DOVETAIL_QUIET", "1")


def lattice(scene: dt.Scene, side: int, radius: float, at, velocity, name: str) -> None:
    random = np.random.default_rng(len(name))
    for k, place in enumerate(np.ndindex(side, side, side)):
        noise = random.uniform(-0.01, 0.01, 3)
        scene.add_body(
            f"{name} {k}", dt.Sphere(radius), density=1000, velocity=velocity,
            position=np.asarray(at) + radius * (2.03 * np.array(place) + noise),
        )  # fmt: skip


def test_two_clouds_of_balls_keep_momentum_through_hundreds_of_impacts():
    scene = dt.Scene(gravity=(0, 0, 0))
    lattice(scene, 3, 0.02, (0, 0, 0), (0, 0, 0), "still")
    lattice(scene, 3, 0.02, (0.14, 0.012, 0.007), (-1, 0, 0), "fast")
    law = dt.contact.SDF(friction=0.3, restitution=0.6, stiffness=1e7)
    result = dt.simulate(scene, 0.06, 1e-4, contact=law, every=20)
    assert result.contacts.count.max() > 15
    scale = np.linalg.norm(result.momentum["linear"][0])
    for part in ("linear", "angular"):
        momentum = result.momentum[part]
        assert np.abs(momentum - momentum[0]).max() < 1e-12 * scale
    energy = result.energy["total"]
    assert np.diff(energy).max() < 1e-4 * energy[0]
    assert energy[-1] < 0.9 * energy[0]


def test_a_heap_in_a_box_stands_with_its_weight_on_floor_and_walls():
    scene, radius = dt.Scene(gravity=(0, 0, -G)), 0.02
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    for k, normal in enumerate([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)]):
        at = -2.03 * radius * np.array(normal)
        scene.add_body(f"wall {k}", dt.HalfSpace(normal), motion="static", position=at)
    lattice(scene, 2, radius, (-1.015 * radius, -1.015 * radius, radius), (0, 0, 0), "ball")
    law = dt.contact.SDF(friction=0.3, restitution=0.1)
    result = dt.simulate(scene, 0.2, 2e-4, contact=law, every=100)
    last = result.contacts.at(-1)
    held = last.forces[last.bodies[:, 1] < 5]  # by the floor and the walls
    weight = 8 * 1000 * 4 / 3 * np.pi * radius**3 * G
    assert held[:, 2].sum() == pytest.approx(weight, rel=0.01)
    assert np.abs([result.velocity(f"ball {k}")[-1, 2] for k in range(8)]).max() < 1e-3


def test_balls_found_together_are_those_found_one_by_one():
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    scene.add_body("block", dt.Box((0.2, 0.3, 0.1)), density=1000, position=(0, 0, 0.05))
    random = np.random.default_rng(5)
    for k in range(20):
        scene.add_body(
            f"ball {k}", dt.Sphere(0.05), density=1000, position=random.uniform(-0.12, 0.12, 3)
        )
    model = scene.build()
    state = initial_state(model)
    law = dt.contact.SDF(friction=0.3, stiffness=1e6, damping=0).prepare(model)
    together = law.wrenches(state)
    one_by_one = dt.contact.SDF(friction=0.3, stiffness=1e6, damping=0).prepare(model)
    one_by_one._detector._spheres.is_sphere[:] = False
    np.testing.assert_allclose(together, one_by_one.wrenches(state), rtol=1e-9, atol=1e-9)
    assert law.report(state).contacts.points.shape == one_by_one.report(state).contacts.points.shape


def test_numbers_are_made_only_for_pairs_that_came_near():
    scene = dt.Scene(gravity=(0, 0, 0))
    lattice(scene, 4, 0.02, (0, 0, 0), (0, 0, 0), "ball")
    model = scene.build()
    law = dt.contact.SDF().prepare(model)
    law.wrenches(initial_state(model))
    assert len(law.pairs) <= 3 * 4 * 4 * 3  # neighbours along the three axes, of 2016 pairs
    assert law.pairs.rows_of(np.array([[0, 63], [0, 1], [0, 63]])).tolist().count(-1) == 0


def test_a_body_that_could_pass_is_refused_though_others_touch():
    scene = dt.Scene(gravity=(0, 0, 0))
    scene.add_body("sheet", dt.Box((1, 1, 0.01)), motion="static")
    scene.add_body("resting", dt.Sphere(0.02), density=1000, position=(0.3, 0, 0.0249))
    scene.add_body(
        "bullet", dt.Sphere(0.02), density=1000, position=(0, 0, 0.5), velocity=(0, 0, -99)
    )
    with pytest.raises(dt.RunError, match=r"'bullet'.*could pass unseen"):
        dt.simulate(
            scene, 0.1, 1e-2, contact=dt.contact.SDF(stiffness=1e3),
            integrator=dt.integrators.LieVerlet(),
        )  # fmt: skip


def test_the_tip_of_a_spinning_rod_may_not_pass_a_sheet_unseen():
    scene = dt.Scene(gravity=(0, 0, 0))
    scene.add_body("sheet", dt.Box((0.01, 1, 1)), motion="static")
    scene.add_body(
        "rod", dt.Box((1.0, 0.02, 0.02)), density=1000, position=(0.3, 0, 0.52),
        rotation=dt.lie.so3.exp([0, -np.pi / 2, 0]), angular_velocity=(0, 40, 0),
    )  # fmt: skip
    with pytest.raises(dt.RunError, match="could pass unseen"):
        dt.simulate(
            scene, 0.1, 1e-2, contact=dt.contact.SDF(), integrator=dt.integrators.LieVerlet()
        )
