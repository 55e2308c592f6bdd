"""Few bodies are paired one by one, many by a sweep: the same pairs come out."""

import numpy as np

import dovetail as dt
from dovetail.contact.penalty import detection
from dovetail.linalg.lie import so3
from dovetail.multibody.state import initial_state


def crowd() -> dt.Scene:
    """Boxes and balls at random, half of them near another one, over a floor."""
    rng = np.random.default_rng(3)
    scene = dt.Scene()
    scene.add_body("floor", dt.HalfSpace((0, 0, 1)), motion="static")
    for k in range(24):
        shape = dt.Sphere(0.1) if k % 3 else dt.Box((0.3, 0.2, 0.1))
        scene.add_body(
            f"part {k}", shape, mass=1.0, position=rng.uniform((-0.5, -0.5, 0), (0.5, 0.5, 0.8)),
            rotation=so3.exp(rng.normal(size=3)), group="pair" if k < 2 else None,
        )  # fmt: skip
    return scene


def test_all_pairs_of_few_bodies_are_those_a_sweep_finds(monkeypatch):
    model = crowd().build()
    found = []
    for few in (100, 0):
        monkeypatch.setattr(detection, "FEW", few)
        law = dt.contact.SDF(stiffness=1e4).prepare(model)
        state = initial_state(model)
        pairs = []
        for turn in range(3):
            state.x += 0.02 * turn
            pairs.append(law._detector.near_pairs(state.x, state.R)[0].tolist())
        found.append((pairs, law.wrenches(state)))
    assert len(found[0][0][0]) > 20
    assert found[0][0] == found[1][0]
    np.testing.assert_array_equal(found[0][1], found[1][1])
