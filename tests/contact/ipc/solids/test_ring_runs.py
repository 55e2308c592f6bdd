"""Rings on flat faces in whole runs: momentum, energy, sides of faces, starts that touch."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dovetail as dt
from contact_rings import ring_scene
from dovetail.contact.ipc.start_check import checked_start
from dovetail.verifier.certificate import certify

G = 9.81
ACROSS = Rotation.from_euler("x", 90, degrees=True).as_matrix()
RING = dt.Torus(0.08, 0.02)


def run(scene, duration, step, **options):
    return dt.simulate(
        scene, duration, step, contact=dt.contact.IPC(**options), progress=False
    )  # fmt: skip


def momenta(result, names):
    """Linear and angular momentum about the origin, first and last (2, 3) each."""
    model = result.scene.build()
    linear, angular = np.zeros((2, 3)), np.zeros((2, 3))
    for name in names:
        i = model.names.index(name)
        for k, frame in enumerate((0, -1)):
            x, v = result.position(name)[frame], result.velocity(name)[frame]
            R, w = result.rotation(name)[frame], result.angular_velocity(name)[frame]
            linear[k] += model.mass[i] * v
            spin = R @ model.inertia[i] @ R.T @ w
            angular[k] += model.mass[i] * np.cross(x, v) + spin
    return linear, angular


def struck(step):
    """A ring that strikes a free box, where the part of the circle changes with the pose."""
    scene = dt.Scene()
    scene.add_body("box", dt.Box((0.4, 0.4, 0.2)), density=500, position=(0, 0, -0.1))
    lean = Rotation.from_euler("x", 70, degrees=True).as_matrix()
    scene.add_body(
        "ring", RING, density=1000, position=(0.19, 0.03, 0.11), rotation=lean,
        velocity=(0.2, 0.1, -1.0), angular_velocity=(1.0, 4.0, 0.0),
    )  # fmt: skip
    return run(scene, 0.2, step, friction=0.3)


def test_momentum_is_kept_where_a_ring_strikes_a_free_box_near_a_side():
    """Angular momentum to the order of implicit Euler, 1."""
    off = []
    for step in (1e-3, 2.5e-4):
        result = struck(step)
        assert result.velocity("box")[-1, 2] < -0.01  # it was struck
        linear, angular = momenta(result, ["box", "ring"])
        np.testing.assert_allclose(linear[1], linear[0], atol=1e-9)
        off.append(np.linalg.norm(angular[1] - angular[0]))
    assert off[1] < 0.5 * off[0] < 2e-4


@pytest.mark.parametrize("heading", [0.0, 0.6])
def test_ring_that_rolls_off_a_box_is_free_and_gains_less_with_shorter_steps(heading):
    """BDF2 is of second order: what a step over the side gains falls to a quarter with h / 2."""
    turn, gains = Rotation.from_euler("z", heading), []
    for step in (5e-3, 1.25e-3):
        scene = dt.Scene(gravity=(0, 0, -G))
        scene.add_body("floor", dt.Box((3, 3, 0.1)), motion="static", position=(0, 0, -0.35))
        scene.add_body("box", dt.Box((0.6, 0.6, 0.2)), motion="static", position=(0, 0, -0.1))
        scene.add_body(
            "ring", RING, density=1000, position=(0, 0, 0.1), rotation=turn.as_matrix() @ ACROSS,
            velocity=turn.apply((0.6, 0, 0)), angular_velocity=turn.apply((0, 6, 0)),
        )  # fmt: skip
        result = run(scene, 1.2, step, friction=0.5)
        assert result.position("ring")[:, 2].min() < -0.15  # it fell
        assert certify(result).verdict == "free"
        gains.append(np.diff(result.energy["total"]).max() / result.energy["kinetic"][0])
    assert gains[1] < 0.25 * gains[0] and gains[0] < 2e-3


def test_ring_rolls_on_over_the_joint_of_two_boxes():
    """Near the sides it is its polyhedron, 0.38 mm lower at most: a loss, no gain, no jump."""
    scene = dt.Scene(gravity=(0, 0, -G))
    for side in (-1, 1):
        scene.add_body(f"floor {side}", dt.Box((2, 1, 0.2)), motion="static",
                       position=(1.0005 * side, 0, -0.1))  # fmt: skip
    scene.add_body("ring", RING, density=1000, position=(-0.6, 0, 0.1), rotation=ACROSS,
                   velocity=(1, 0, 0), angular_velocity=(0, 10, 0))  # fmt: skip
    result = run(scene, 1.2, 5e-3, friction=0.5)
    speed = result.velocity("ring")[:, 0]
    assert result.position("ring")[-1, 0] > 0.4
    assert 0.9 < speed[-1] <= 1.0 + 1e-6


def test_ring_whose_circle_touches_at_the_start_is_opened():
    """Turned by half a facet its polyhedron is 0.2 mm above the box that the circle touches."""
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("box", dt.Box((1, 1, 0.2)), motion="static", position=(0, 0, -0.1))
    turn = ACROSS @ Rotation.from_euler("z", np.pi / 48).as_matrix()
    scene.add_body("ring", RING, density=1000, position=(0, 0, 0.1), rotation=turn)
    size = float(np.linalg.norm((0.2, 0.04, 0.2)))
    opened = checked_start(scene.build(), 0.0)[1]
    assert 0.0 < opened[2] < 2e-6 * size
    result = run(scene, 0.2, 5e-3, friction=0.5)
    assert np.abs(result.velocity("ring")).max() < 1e-3  # not thrown
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("box", dt.Box((1, 1, 0.2)), motion="static", position=(0, 0, -0.1))
    scene.add_body("ring", RING, density=1000, position=(0, 0, 0.0999), rotation=turn)
    opened = checked_start(scene.build(), 0.0)[1]
    assert opened[2] == pytest.approx(1e-4, rel=0.01)


def test_ring_that_cannot_be_opened_keeps_its_facets(capsys, monkeypatch):
    """Its circle meets the box by 0.1 mm, its polyhedron is free: it turns where it is held."""
    monkeypatch.setenv("DOVETAIL_QUIET", "0")
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("box", dt.Box((1, 1, 0.2)), motion="static", position=(0, 0, -0.1))
    turn = ACROSS @ Rotation.from_euler("z", np.pi / 48).as_matrix()
    scene.add_body(
        "ring", RING, density=1000, position=(0, 0, 0.0999), rotation=turn,
        fixed=[True, True, True, False, False, False],
    )  # fmt: skip
    result = run(scene, 0.1, 5e-3)
    assert "polyhedra on faces, too" in capsys.readouterr().err
    assert np.abs(result.velocity("ring")).max() < 1e-9
    assert certify(result).verdict == "free"


def test_ring_falls_over_a_peg():
    """The disc within the circle is no obstacle, nor what lies beneath a face on its other side."""
    scene = dt.Scene(gravity=(0, 0, -G))
    scene.add_body("peg", dt.Box((0.07, 0.07, 0.4)), motion="static", position=(0, 0, 0.2))
    tilted = Rotation.from_euler("x", 12, degrees=True).as_matrix()
    scene.add_body("ring", RING, density=1000, position=(0, 0, 0.5), rotation=tilted)
    result = run(scene, 0.4, 2e-3, friction=0.0)
    assert result.position("ring")[-1, 2] < 0.2
    assert certify(result).verdict == "free"


@pytest.mark.parametrize("seed", [4, 5, 6, 9])
def test_random_rings_are_free(seed):
    """Of `benchmarks/ipc_fuzz.py --rings`."""
    case = ring_scene(seed)
    result = dt.simulate(
        case.scene, case.duration, case.step, dt.contact.IPC(**case.options),
        integrator=case.integrator, progress=False,
    )  # fmt: skip
    assert certify(result).verdict == "free"
