"""The quick bound of the springs' natural frequency, beyond which it is computed."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.multibody.freedoms import body_arrays
from dovetail.multibody.loads.forces import LoadForces
from dovetail.multibody.loads.spring_rates import bound_of_frequency, highest_natural_frequency
from dovetail.multibody.state import initial_state


def frequencies(scene: dt.Scene) -> tuple[float, float]:
    model = scene.build()
    bodies, loads = body_arrays(model), LoadForces(model).compiled
    _, highest = highest_natural_frequency(model, initial_state(model), bodies, loads)
    return highest, bound_of_frequency(bodies, loads)


def test_a_bound_of_no_springs_is_zero_and_of_one_through_the_centre_is_exact():
    scene = dt.Scene()
    scene.add_body("ball", dt.Sphere(0.1), mass=2.0)
    assert bound_of_frequency(body_arrays(scene.build()), LoadForces(scene.build()).compiled) == 0.0
    scene.add_spring("pull", "ball", "ground", (0, 0, 0), (1, 0, 0), stiffness=50.0)
    assert frequencies(scene) == pytest.approx((5.0, 5.0), rel=1e-12)  # sqrt(k/m)


@pytest.mark.parametrize("seed", range(20))
def test_no_natural_frequency_is_above_its_bound(seed):
    rng = np.random.default_rng(seed)
    scene, n = dt.Scene(), 4
    for i in range(n):
        held = [True, False, False, True, True, False] if i == 0 else None
        scene.add_body(
            f"body {i}", dt.Box(tuple(rng.uniform(0.1, 1.0, 3))), mass=rng.uniform(0.1, 5.0),
            position=rng.normal(size=3), fixed=held,
        )  # fmt: skip
    for k in range(5):
        a, b = rng.choice(n, 2, replace=False)
        other = "ground" if k == 0 else f"body {b}"
        scene.add_spring(
            f"spring {k}", f"body {a}", other, rng.normal(size=3), rng.normal(size=3),
            stiffness=10.0 ** rng.uniform(0, 4),
        )  # fmt: skip
    highest, bound = frequencies(scene)
    assert 0.0 < highest <= bound * (1.0 + 1e-12)
